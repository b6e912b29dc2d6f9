/*
 * values - durations, sizes and counts as people write them.
 *
 *	duration  a number and ms, s, m or h; without a unit: seconds
 *	size      a number of bytes, or of K, M or G (powers of 1024)
 *	count     a number
 *
 * Decimal, no sign, no fraction, no leading zero (YAML readers disagree about
 * what 010 is), greater than zero.  Nothing is rounded, nothing wraps.
 */
#ifndef CDN_POLICY_VALUES_H
#define CDN_POLICY_VALUES_H

#include "base/buf.h"
#include "base/err.h"

enum cdn_value_kind {
	CDN_VALUE_DURATION, /* in milliseconds */
	CDN_VALUE_SIZE,	    /* in bytes */
	CDN_VALUE_COUNT,
};

/* Errors, CORDON_E_INVALID: "'10x' is not a duration" and the like. */
CDN_MUST_USE int cdn_value_parse(enum cdn_value_kind kind, cdn_str text,
    uint64_t *ret, struct cordon_error *err);

/* The shortest exact spelling, which cdn_value_parse() reads back. */
void cdn_value_format(enum cdn_value_kind kind, uint64_t value,
    struct cdn_buf *out);

/* How to write one, for a hint.  Static. */
const char *cdn_value_hint(enum cdn_value_kind kind);

#endif
