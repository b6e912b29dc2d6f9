/*
 * The numbers that the headers of this machine may not know yet: the running
 * kernel has a call there, and none after the last one.
 *
 *	newest syscalls.truth
 */
#include "try.h"

#include <err.h>
#include <errno.h>
#include <sys/utsname.h>

#include "support/tap.h"

/* A call that is there but not built into this kernel answers ENOSYS too. */
static const char *const optional[] = { "map_shadow_stack", "uretprobe",
	"uprobe", "lsm_get_self_attr", "lsm_set_self_attr",
	"lsm_list_modules" };

static bool
is_optional(const char *name)
{
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
		if (strcmp(optional[i], name) == 0)
			return true;
	return false;
}

static struct try_result
probe(struct try *try, long nr)
{
	char request[64];

	snprintf(request, sizeof(request), "%ld -1 -1 -1 -1 -1 -1", nr);
	return try_ask(try, request);
}

static void
check_line(struct try *try, const char *line)
{
	char name[48], number[CDN_FILTER_ARCH_MAX][16];
	struct try_result got;

	if (line[0] == '#' || sscanf(line, "%47s %15s %15s", name, number[0],
		number[1]) != 3 || number[CDN_FILTER_ARCH_HERE][0] == '-')
		return;
	got = probe(try, strtol(number[CDN_FILTER_ARCH_HERE], NULL, 10));
	if (got.kind == TRY_ERRNO && got.n == ENOSYS && is_optional(name))
		printf("# %s is not built into this kernel\n", name);
	else
		ok_f(got.kind != TRY_BROKEN &&
			(got.kind != TRY_ERRNO || got.n != ENOSYS),
		    "%s is %s: %s", name, number[CDN_FILTER_ARCH_HERE],
		    got.text);
}

int
main(int argc, char **argv)
{
	struct utsname host;
	unsigned major = 0, minor = 0;
	char line[256];
	struct try try;
	FILE *file;

	if (argc != 2 || (file = fopen(argv[1], "r")) == NULL)
		errx(1, "usage: newest syscalls.truth");
	uname(&host);
	(void)sscanf(host.release, "%u.%u", &major, &minor);
	if (major < 6 || (major == 6 && minor < 18)) {
		skip("the kernel is older than 6.18");
		return done_testing();
	}
	if (!try_start(&try, "self", NULL))
		errx(1, "trysys");
	while (fgets(line, sizeof(line), file) != NULL)
		check_line(&try, line);
	if (major == 6 && minor == 18) {
		struct try_result got = probe(&try, 470);

		ok_f(got.kind == TRY_ERRNO && got.n == ENOSYS,
		    "and 470 is nothing: %s", got.text);
	}
	try_stop(&try);
	fclose(file);
	return done_testing();
}
