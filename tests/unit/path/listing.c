/*
 * Directories that are read as a whole: who asks for names gets the answers he
 * would get one by one, and what cannot be read, or is too long, is asked for
 * one by one.
 */
#include "enforce/path/listing.h"

#include "enforce/path/lookup.h"
#include "support/tap.h"
#include "support/tmpdir.h"

static struct cdn_arena *arena;

static struct cdn_lookup *
expecting(const char *dir)
{
	struct cdn_lookup *lookup = cdn_lookup_new(arena);

	tmp_need(lookup != NULL && cdn_lookup_expect(lookup, dir), "lookup",
	    dir);
	return lookup;
}

static struct cdn_found
find(struct cdn_lookup *lookup, const char *name)
{
	struct cdn_found found = { 0 };
	char *path = cdn_arena_dup(arena, tmp_path(name),
	    strlen(tmp_path(name)));

	tmp_need(path != NULL && cdn_lookup_find(lookup, path, &found, NULL) ==
	    0, "find", name);
	return found;
}

static enum cdn_listed
listed(const struct cdn_listing *listing, const char *name)
{
	uint32_t hash = CDN_NAME_HASH;

	for (const char *c = name; *c != '\0'; c++)
		hash = cdn_name_hash(hash, *c);
	return cdn_listing_find(listing, cdn_str_of(name), hash);
}

static void
test_names(void)
{
	const struct cdn_listing *l;

	tmp_begin();
	tmp_dir("dir");
	tmp_file("file", "");
	tmp_file("Upper", "");
	tmp_link("dir", "link");
	l = cdn_listing_read(arena, tmp_root);
	tmp_need(l != NULL, "listing of", tmp_root);
	ok(listed(l, "dir") == CDN_LISTED_DIRECTORY &&
	    listed(l, "link") == CDN_LISTED_LINK &&
	    listed(l, "file") == CDN_LISTED_PERHAPS,
	    "what is there");
	ok(listed(l, "fil") == CDN_LISTED_NOT &&
	    listed(l, "files") == CDN_LISTED_NOT &&
	    listed(l, "none") == CDN_LISTED_NOT,
	    "and what is not");
	ok(listed(l, "upper") == CDN_LISTED_PERHAPS &&
	    listed(l, "DIR") == CDN_LISTED_PERHAPS,
	    "in other letters it may be");
	ok(cdn_listing_links(l), "links are text");
	tmp_end();
}

static void
make_many(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "d/name-%u", i);
		tmp_file(name, "");
	}
}

static void
test_lengths(void)
{
	tmp_begin();
	tmp_dir("d");
	ok(cdn_listing_read(arena, tmp_path("d")) != NULL, "an empty one");
	make_many(200);
	ok(cdn_listing_read(arena, tmp_path("d")) != NULL, "200 names");
	make_many(400);
	ok(cdn_listing_read(arena, tmp_path("d")) == NULL,
	    "400 names are more than are read");
	tmp_link("link", "d/link");
	tmp_dir("link");
	ok(find(expecting(tmp_path("d")), "d/name-399").exists &&
	    !find(expecting(tmp_path("d")), "d/name-400").exists,
	    "they are asked for");
	tmp_end();
}

static void
test_special(void)
{
	tmp_begin();
	tmp_file("file", "");
	tmp_dir("d");
	tmp_link("d", "l");
	ok(cdn_listing_read(arena, tmp_path("file")) == NULL, "no directory");
	ok(cdn_listing_read(arena, tmp_path("none")) == NULL, "nothing");
	ok(cdn_listing_read(arena, tmp_path("l")) == NULL, "a link");
	ok(cdn_listing_read(arena, "/proc/self") == NULL &&
	    cdn_listing_read(arena, "/proc") == NULL, "a file system that "
	    "makes names up");
	tmp_end();
}

/* What comes after the directory was read is not there; a new lookup sees it. */
static void
test_later(void)
{
	struct cdn_lookup *lookup;
	struct cdn_found found;
	struct cdn_real real;

	tmp_begin();
	tmp_dir("home");
	tmp_dir("secret");
	lookup = expecting(tmp_path("home"));
	ok(!find(lookup, "home/a").exists, "read with the first name");
	tmp_link("../secret", "home/.ssh");
	found = find(lookup, "home/.ssh");
	ok(!found.exists && strcmp(found.path, tmp_path("home/.ssh")) == 0,
	    "a link that came later is a missing name");
	ok(!cdn_lookup_recall(lookup, tmp_path("home/.ssh"), &real),
	    "which is never recalled");
	found = find(expecting(tmp_path("home")), "home/.ssh");
	ok(found.exists && strcmp(found.path, tmp_path("secret")) == 0,
	    "and is found anew");
	tmp_end();
}

/* A listing tells the kind; what is behind it is asked of the kernel. */
static void
test_replaced(void)
{
	struct cdn_lookup *lookup;
	struct cdn_found found;

	tmp_begin();
	tmp_dir("home");
	tmp_dir("home/.aws");
	tmp_link("nowhere", "home/.ssh");
	tmp_dir("other");
	tmp_file("other/x", "");
	lookup = expecting(tmp_path("home"));
	(void)find(lookup, "home/a");
	tmp_need(unlink(tmp_path("home/.ssh")) == 0 &&
	    rmdir(tmp_path("home/.aws")) == 0, "remove", "home");
	tmp_link("../other", "home/.ssh");
	tmp_dir("home/.aws");
	found = find(lookup, "home/.ssh/x");
	ok(found.exists && strcmp(found.path, tmp_path("other/x")) == 0,
	    "a link is read when it is asked for");
	ok(!find(lookup, "home/.aws/credentials").exists,
	    "so is what lies in a directory");
	tmp_end();
}

/* Who may search but not read asks; who may read but not search is refused. */
static int
closed_body(void *arg)
{
	struct cdn_lookup *lookup = expecting(tmp_path("unread"));
	struct cordon_error err = { 0 };
	struct cdn_found found = { 0 };
	bool good = find(lookup, "unread/file").exists &&
	    !find(lookup, "unread/none").exists &&
	    find(lookup, "unread/link").exists;

	(void)arg;
	lookup = expecting(tmp_path("unsearched"));
	for (unsigned i = 0; i < 2; i++)
		good = good && cdn_lookup_find(lookup,
		    tmp_path("unsearched/none"), &found, &err) ==
		    CORDON_E_RESOLVE && err.sys_errno == EACCES;
	return good ? 0 : 1;
}

static void
test_closed(void)
{
	int closed;

	tmp_begin();
	tmp_dir("unread");
	tmp_dir("unsearched");
	tmp_file("unread/file", "");
	tmp_link("file", "unread/link");
	tmp_file("unsearched/file", "");
	tmp_mode("unread", 0311);
	tmp_mode("unsearched", 0444);
	closed = tmp_child(closed_body, NULL, true);
	if (closed < 0)
		skip("nobody else to be here");
	else
		ok(closed == 0, "closed directories");
	tmp_end();
}

/* getcwd() says what is real, and it is not asked again. */
static void
test_known(void)
{
	struct cdn_lookup *lookup = cdn_lookup_new(arena);
	struct cdn_real real;

	tmp_begin();
	tmp_dir("ws");
	tmp_file("ws/file", "");
	tmp_need(lookup != NULL && cdn_lookup_know(lookup, tmp_path("ws")) &&
	    cdn_lookup_know(lookup, "/"), "know", "ws");
	ok(find(lookup, "ws/file").exists && !find(lookup, "ws/none").exists &&
	    find(lookup, "ws").is_directory, "names in what is known");
	ok(cdn_lookup_recall(lookup, tmp_path("ws"), &real) &&
	    real.is_directory && strcmp(real.path, tmp_path("ws")) == 0,
	    "is known");
	ok(cdn_lookup_recall(lookup, tmp_path("ws/../ws/file"), &real) &&
	    strcmp(real.path, tmp_path("ws/file")) == 0, "was found");
	ok(!cdn_lookup_recall(lookup, tmp_path("ws/none"), &real) &&
	    !cdn_lookup_recall(lookup, tmp_path("ws/file/x"), &real) &&
	    !cdn_lookup_recall(lookup, tmp_path("other"), &real) &&
	    !cdn_lookup_recall(lookup, "ws", &real), "was not");
	tmp_end();
}

int
main(void)
{
	arena = cdn_arena_new();
	tmp_need(arena != NULL, "arena", "");
	test_names();
	test_lengths();
	test_special();
	test_later();
	test_replaced();
	test_closed();
	test_known();
	cdn_arena_free(arena);
	return done_testing();
}
