/*
 * tap - the whole test framework: numbered points on stdout, a plan at the end.
 *
 *	ok(sum == 4, "two and two");
 *	ok_f(match(p, s) == want, "'%s' matches '%s'", p, s);
 *	skip("needs a kernel with Landlock");
 *	return done_testing();
 *
 * ok() and ok_f() return what they were told, so a test can stop early.
 * skip() is a failure under CORDON_MUST_WORK=1: where everything is known to
 * be there, a skip would hide a regression.  A program that ends without
 * done_testing() has no plan and counts as failed (tools/run-tests).
 */
#ifndef CDN_TESTS_TAP_H
#define CDN_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_points, tap_failures;

#define ok(cond, text)	ok_at((cond), __FILE__, __LINE__, "%s", (text))
#define ok_f(cond, ...) ok_at((cond), __FILE__, __LINE__, __VA_ARGS__)
#define skip(why)	skip_at((why), __FILE__, __LINE__)

/* '#' would begin a directive and a newline the next point: both escaped. */
static inline void
tap_print(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == '#' || *text == 0x7f)
			printf("\\x%02x", (unsigned char)*text);
		else
			putchar(*text);
}

__attribute__((format(printf, 4, 5))) static inline bool
ok_at(bool cond, const char *file, int line, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printf("%s %d - ", cond ? "ok" : "not ok", ++tap_points);
	tap_print(text);
	putchar('\n');
	if (!cond) {
		tap_failures++;
		printf("# failed at %s:%d\n", file, line);
	}
	fflush(stdout); /* a crash must not swallow what was seen before it */
	return cond;
}

static inline void
skip_at(const char *why, const char *file, int line)
{
	const char *must = getenv("CORDON_MUST_WORK");

	if (must != NULL && strcmp(must, "1") == 0) {
		ok_at(false, file, line, "must not be skipped here: %s", why);
		return;
	}
	printf("ok %d # SKIP ", ++tap_points);
	tap_print(why);
	putchar('\n');
}

/* The exit status of the program. */
static inline int
done_testing(void)
{
	printf("1..%d\n", tap_points);
	return tap_failures == 0 && tap_points > 0 ? 0 : 1;
}

#endif
