#include "enforce/store/database.h"

#include <errno.h>
#include <pwd.h>

#define ENTRY_ROOM_FIRST 4096
#define ENTRY_ROOM_MAX	 (1024UL * 1024UL) /* bytes of one database entry */

/* Who is meant: a name, or the uid when name is NULL. */
struct who {
	const char *name;
	uid_t uid;
};

static int
ask_database(const struct who *who, struct passwd *entry, char *room,
    size_t size, struct passwd **found)
{
	if (who->name != NULL)
		return getpwnam_r(who->name, entry, room, size, found);
	return getpwuid_r(who->uid, entry, room, size, found);
}

/* "No such user" has many spellings, see getpwnam_r(3). */
static bool
is_unknown(int error)
{
	return error == 0 || error == ENOENT || error == ESRCH ||
	    error == EBADF || error == EPERM;
}

/* 0 or an errno; *ret is set to a copy, or stays as it is. */
static int
ask_with_room(struct cdn_arena *arena, const struct who *who, size_t size,
    const char **ret)
{
	struct passwd entry, *found = NULL;
	char *room = malloc(size);
	int error = ENOMEM;

	if (room == NULL)
		return ENOMEM;
	do {
		error = ask_database(who, &entry, room, size, &found);
	} while (error == EINTR);
	if (error == 0 && found != NULL && found->pw_dir[0] == '/') {
		*ret = cdn_arena_dup(arena, found->pw_dir,
		    strlen(found->pw_dir));
		if (*ret == NULL)
			error = ENOMEM;
	}
	free(room);
	return error;
}

int
cdn_database_home(struct cdn_arena *arena, const char *name, uid_t uid,
    const char **ret, struct cordon_error *err)
{
	const struct who who = { name, uid };
	const char *home = "";
	int error = ERANGE;

	for (size_t size = ENTRY_ROOM_FIRST;
	     error == ERANGE && size <= ENTRY_ROOM_MAX; size *= 4)
		error = ask_with_room(arena, &who, size, &home);
	if (error == ENOMEM)
		return cdn_err_nomem(err);
	if (!is_unknown(error))
		return cdn_err_sys(err, error, "cannot ask for the home of %s",
		    name != NULL ? name : "this user");
	*ret = home;
	return 0;
}
