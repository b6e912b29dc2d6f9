/*
 * syscalls.def against two sources that know nothing of it: the headers of the
 * machine and the resolver of libseccomp, in both directions.
 *
 *	table HEADER-x86_64 HEADER-aarch64 syscalls.truth
 */
#include "numbers.h"

#include <err.h>
#include <errno.h>

#ifdef HAVE_LIBSECCOMP
#include <seccomp.h>
#endif

#include "support/tap.h"

#define NEWEST 469

static const struct {
	const char *name;
	int nr[ARCHES];
} rows[] = {
#define CALL(name, x86_64, aarch64, kind) { #name, { x86_64, aarch64 } },
#include "enforce/backend/syscalls.def"
#undef CALL
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *
name_of(int arch, int nr)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].nr[arch] == nr)
			return rows[i].name;
	return NULL;
}

static void
check_rows(int arch)
{
	int twice = 0, beyond = 0;

	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < i; j++)
			twice += strcmp(rows[i].name, rows[j].name) == 0 ||
			    (rows[i].nr[arch] >= 0 &&
				rows[i].nr[arch] == rows[j].nr[arch]);
	for (size_t i = 0; i < ROWS; i++)
		beyond += rows[i].nr[arch] > NEWEST || rows[i].nr[arch] < -1;
	ok_f(twice == 0, "%s: no name and no number twice", arch_names[arch]);
	ok_f(beyond == 0, "%s: no number past %d", arch_names[arch], NEWEST);
}

/* What a source says about one call; `nr` -1: it does not exist there. */
static int
compare(const char *source, int arch, const char *name, int ours, int nr)
{
	if (ours == nr)
		return 0;
	printf("# %s: %s is %d in the table and %d in %s\n", arch_names[arch],
	    name, ours, nr, source);
	return 1;
}

static int
row_number(const char *name, int arch)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].nr[arch];
	return -1;
}

/* Every call of ours, and every call of theirs that is not newer than ours. */
static void
check_header(int arch, const struct numbers *theirs)
{
	int wrong = 0;

	for (size_t i = 0; i < ROWS; i++)
		wrong += compare("the headers", arch, rows[i].name,
		    rows[i].nr[arch], numbers_find(theirs, rows[i].name));
	for (size_t i = 0; i < theirs->n; i++)
		if (theirs->call[i].nr <= NEWEST)
			wrong += compare("the headers", arch,
			    theirs->call[i].name,
			    row_number(theirs->call[i].name, arch),
			    theirs->call[i].nr);
	ok_f(wrong == 0, "%s: the table is what the headers say (%zu calls)",
	    arch_names[arch], theirs->n);
}

#ifdef HAVE_LIBSECCOMP
static void
check_libseccomp(int arch)
{
	static const uint32_t tokens[] = { SCMP_ARCH_X86_64,
		SCMP_ARCH_AARCH64 };
	int wrong = 0, known = 0;

	/* It has negative numbers for calls of other architectures. */
	for (size_t i = 0; i < ROWS; i++) {
		int nr = seccomp_syscall_resolve_name_arch(tokens[arch],
		    rows[i].name);

		if (nr == __NR_SCMP_ERROR)
			continue;
		known++;
		wrong += compare("libseccomp", arch, rows[i].name,
		    rows[i].nr[arch], nr < 0 ? -1 : nr);
	}
	for (int nr = 0; nr <= NEWEST; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(tokens[arch],
		    nr);

		if (name != NULL)
			wrong += compare("libseccomp", arch, name,
			    row_number(name, arch), nr);
		free(name);
	}
	ok_f(wrong == 0 && known > 300,
	    "%s: the table is what libseccomp says (%d calls)",
	    arch_names[arch], known);
}
#else
static void
check_libseccomp(int arch)
{
	(void)arch;
	skip("libseccomp is not installed (libseccomp-dev)");
}
#endif

int
main(int argc, char **argv)
{
	static struct numbers theirs[ARCHES];

	if (argc != 4)
		errx(1, "usage: table HEADER-x86_64 HEADER-aarch64 TRUTH");
	for (int arch = 0; arch < ARCHES; arch++)
		if (strcmp(argv[1 + arch], "-") == 0)
			skip("the headers have no numbers of this architecture");
		else
			numbers_read_header(&theirs[arch], argv[1 + arch]);
	ok(numbers_add_newer(theirs, argv[3]) == 0,
	    "the headers do not contradict syscalls.truth");
	for (int arch = 0; arch < ARCHES; arch++) {
		check_rows(arch);
		if (strcmp(argv[1 + arch], "-") != 0)
			check_header(arch, &theirs[arch]);
		check_libseccomp(arch);
	}
	ok(name_of(X86_64, NEWEST) != NULL && name_of(AARCH64, NEWEST) != NULL,
	    "the last line is the newest call");
	return done_testing();
}
