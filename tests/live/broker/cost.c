/*
 * What one open costs with and without; printed, never judged.  Run by hand:
 *
 *	CORDON_CALLER=... taskset -c 0 live-broker-cost
 */
#include "cage.h"

static const struct {
	const char *what, *flags, *path;
} rows[] = {
	{ "read", "0", "w/pub/a" },
	{ "read, 5 deep", "0", "w/pub/1/2/3/4/5" },
	{ "not there", "0", "w/pub/none" },
	{ "denied", "0", "w/x.env" },
	{ "write", "1", "w/pub/a" },
	{ "O_CREAT of what exists", "0101", "w/pub/a" },
	{ "write in a native region", "1", "w/open/a" },
	{ "O_PATH", "010000000", "w/pub/a" },
};

static void
measure_changes(struct cage *cage, const char *name)
{
	const char *path = tmp_path("w/pub/a");
	char line[3][8192];

	(void)cage_ask(cage, "keep 0 %s", path);
	snprintf(line[0], sizeof(line[0]), "%d -100 s:%s 0644", SYS_fchmodat,
	    path);
	snprintf(line[1], sizeof(line[1]), "%d 3 0644", SYS_fchmod);
	snprintf(line[2], sizeof(line[2]), "%d s:%s s:user.a s:value 5 0",
	    SYS_setxattr, path);
	for (int i = 0; i < 3; i++) {
		(void)cage_ask(cage, "timesys 2000 %s", line[i]);
		(void)cage_ask(cage, "timesys 20000 %s", line[i]);
		printf("# %-5s %-26s %s\n", name, i == 0 ? "chmod" :
		    i == 1 ? "fchmod" : "setxattr", cage->answer);
	}
}

static const struct {
	const char *what, *path;
} names[] = {
	{ "mkdir", "w/pub/new" },
	{ "rename", "w/pub/a" },
	{ "unlink", "w/pub/new" },
	{ "mkdir", "w/open/new" },
	{ "rename", "w/open/a" },
	{ "unlink", "w/open/new" },
};

static void
measure_names(struct cage *cage, const char *name)
{
	for (size_t i = 0; i < CDN_LEN(names); i++) {
		(void)cage_ask(cage, "each 500 %s %s", names[i].what,
		    tmp_path(names[i].path));
		(void)cage_ask(cage, "each 4000 %s %s", names[i].what,
		    tmp_path(names[i].path));
		printf("# %-5s %-8s %-12s p50 %s ns\n", name, names[i].what,
		    names[i].path, cage->answer + strlen("done "));
	}
}

static void
measure(enum cage_mode mode, const char *name)
{
	struct cage cage = { 0 };

	tmp_begin();
	cage_files();
	tmp_dir("w/pub/1");
	tmp_dir("w/pub/1/2");
	tmp_dir("w/pub/1/2/3");
	tmp_dir("w/pub/1/2/3/4");
	tmp_file("w/pub/1/2/3/4/5", "deep\n");
	cage_start(&cage, mode);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		(void)cage_ask(&cage, "time 2000 %s %s", rows[i].flags,
		    tmp_path(rows[i].path));
		(void)cage_ask(&cage, "time 20000 %s %s", rows[i].flags,
		    tmp_path(rows[i].path));
		printf("# %-5s %-26s %s\n", name, rows[i].what, cage.answer);
	}
	measure_changes(&cage, name);
	(void)cage_ask(&cage, "chdir %s", tmp_path("w/pub"));
	(void)cage_ask(&cage, "time 20000 0 a");
	printf("# %-5s %-26s %s\n", name, "read, relative", cage.answer);
	measure_names(&cage, name);
	(void)cage_stop(&cage);
	tmp_end();
}

int
main(void)
{
	measure(CAGE_BARE, "plain");
	measure(CAGE_B, "B");
	measure(CAGE_C, "C");
	ok(true, "measured");
	return done_testing();
}
