/*
 * The real directories, for a plan: asked, or as the session found them a
 * moment ago.  What was not found is always asked for.
 */
#include "enforce/launch/launch.h"

#include "enforce/path/lookup.h"
#include "support/tap.h"
#include "support/tmpdir.h"

static struct cdn_arena *arena;

/* One that knows what it found under these names. */
static struct cdn_plan_reader
knowing(const char *const *names)
{
	struct cdn_plan_reader reader = cdn_launch_reader;
	struct cdn_lookup *lookup = cdn_lookup_new(arena);
	struct cdn_found found;

	tmp_need(lookup != NULL, "lookup", "");
	for (; *names != NULL; names++)
		tmp_need(cdn_lookup_find(lookup, tmp_path(*names), &found,
		    NULL) == 0, "find", *names);
	reader.arg = lookup;
	return reader;
}

static bool
exists(const struct cdn_plan_reader *reader, const char *name, bool directory)
{
	bool is_directory = !directory;

	return reader->exists(reader->arg, tmp_path(name), &is_directory) &&
	    is_directory == directory;
}

static bool
is_there(const struct cdn_plan_reader *reader, const char *name)
{
	return exists(reader, name, true) || exists(reader, name, false);
}

static void
test_same(const struct cdn_plan_reader *reader, const char *who)
{
	ok_f(exists(reader, "dir", true) && exists(reader, "file", false),
	    "%s: what is there", who);
	ok_f(!is_there(reader, "none") && !is_there(reader, "link") &&
	    !is_there(reader, "dangling"), "%s: what is not", who);
	ok_f(exists(reader, "link/in", false),
	    "%s: by a link that leads to it", who);
	ok_f(reader->readable(reader->arg, tmp_path("file")) &&
	    reader->readable(reader->arg, tmp_path("dir")) &&
	    !reader->readable(reader->arg, tmp_path("shut")) &&
	    !reader->readable(reader->arg, tmp_path("none")),
	    "%s: what can be read", who);
}

static void
test_later(const struct cdn_plan_reader *reader)
{
	tmp_dir("made");
	tmp_link("dir", "none");
	ok(exists(reader, "made", true),
	    "a directory that is made for the run is there");
	ok(!is_there(reader, "none"), "a link that came later is none");
}

int
main(void)
{
	static const char *const names[] = { "dir", "file", "link", "link/in",
		"dangling", "shut", "none", "made", NULL };
	struct cdn_plan_reader reader;

	arena = cdn_arena_new();
	tmp_need(arena != NULL, "arena", "");
	tmp_begin();
	tmp_dir("dir");
	tmp_file("dir/in", "");
	tmp_file("file", "");
	tmp_file("shut", "");
	tmp_mode("shut", 0);
	tmp_link("dir", "link");
	tmp_link("nowhere", "dangling");
	reader = knowing(names);
	test_same(&cdn_launch_reader, "asked");
	test_same(&reader, "as found");
	test_later(&reader);
	tmp_end();
	cdn_arena_free(arena);
	return done_testing();
}
