#include "enforce/backend/wrapper.h"

#include <sys/stat.h>
#include <unistd.h>

static bool
is_trusted(const char *file)
{
	struct stat st;

	if (file[0] != '/' || lstat(file, &st) != 0)
		return false;
	return S_ISREG(st.st_mode) && access(file, X_OK) == 0 &&
	    (st.st_uid == 0 || st.st_uid == geteuid()) &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

const char *
cdn_wrapper_find(const char *const *candidates, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_trusted(candidates[i]))
			return candidates[i];
	return NULL;
}

const char *const *
cdn_wrapper_seatbelt(struct cdn_arena *arena, const char *profile,
    bool is_file, const char *const *argv)
{
	const char *const head[] = { CDN_WRAPPER_SEATBELT,
		is_file ? "-f" : "-p", profile, "--" };
	size_t n = 0;
	const char **v;

	while (argv[n] != NULL)
		n++;
	v = cdn_arena_array(arena, CDN_LEN(head) + n + 1, sizeof(*v));
	if (v == NULL)
		return NULL;
	memcpy(v, head, sizeof(head));
	memcpy(v + CDN_LEN(head), argv, n * sizeof(*v));
	return v;
}
