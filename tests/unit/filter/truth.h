/*
 * truth - tests/truth/filter.truth read and obeyed, line by line.
 *
 * The slow and readable way to the answer: the first line that fits.  It shares
 * nothing with the filter but the fields of the spec.
 */
#ifndef CDN_TESTS_FILTER_TRUTH_H
#define CDN_TESTS_FILTER_TRUTH_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

#include "enforce/backend/filter.h"
#include "numbers.h"

#define TRUTH_CONDITIONS_MAX 6
#define TRUTH_CALLS_MAX	     1024

struct condition {
	unsigned arg;
	uint64_t width; /* the bits the kernel reads */
	uint64_t mask;
	bool any;	/* any bit of mask, rather than a comparison */
	bool differs;	/* != rather than = */
	uint64_t value;
};

struct line {
	int number;	/* in the file */
	unsigned modes; /* bits of enum cdn_filter_mode; NONE is no broker */
	unsigned nets;	/* bits of enum cdn_filter_network */
	unsigned words; /* bits of what the spec must say */
	size_t n;
	struct condition condition[TRUTH_CONDITIONS_MAX];
	uint32_t answer;
	const struct line *next; /* of the same call */
};

/* The lines of each call, by architecture and number. */
struct truth {
	const struct line *calls[ARCHES][TRUTH_CALLS_MAX];
	size_t n_lines;
};

/* Ends the program with the line it does not understand. */
void truth_read(struct truth *ret, const char *path,
    const struct numbers numbers[ARCHES]);

/* *by (may be NULL): the number of the line, 0 when none fits. */
uint32_t truth_answer(const struct truth *truth,
    const struct cdn_filter_spec *spec, const struct seccomp_data *data,
    int *by);

/* "allow", "trap", "EPERM" ... */
const char *truth_word(uint32_t answer);

#endif
