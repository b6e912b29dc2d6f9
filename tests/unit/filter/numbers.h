/*
 * numbers - names and numbers of system calls, from sources that are not ours:
 * the machine's headers as the preprocessor prints them (cc -E -dM), and
 * tests/truth/syscalls.truth for what those do not know yet.
 */
#ifndef CDN_TESTS_FILTER_NUMBERS_H
#define CDN_TESTS_FILTER_NUMBERS_H

#include <stddef.h>

enum { X86_64, AARCH64, ARCHES };

#define NUMBERS_MAX 600

struct numbers {
	size_t n;
	struct {
		char name[48];
		int nr;
	} call[NUMBERS_MAX];
};

extern const char *const arch_names[ARCHES];

/* The calls in what the preprocessor printed; ends the program if it cannot. */
void numbers_read_header(struct numbers *ret, const char *path);

/* Adds the newer ones, and says with how many the two sources disagree. */
int numbers_add_newer(struct numbers both[ARCHES], const char *path);

/* -1: there is no such call. */
int numbers_find(const struct numbers *numbers, const char *name);

#endif
