/* base/buf: growing, the maximum, sticky failure, giving away. */
#include "base/buf.h"

#include "support/tap.h"

static bool
holds(const struct cdn_buf *buf, const char *want)
{
	return buf->p != NULL && buf->n == strlen(want) &&
	    strcmp(buf->p, want) == 0;
}

static void
test_adding(void)
{
	struct cdn_buf buf;
	bool right = true;

	cdn_buf_init(&buf, 1 << 20);
	cdn_buf_puts(&buf, "ab");
	cdn_buf_putc(&buf, 'c');
	cdn_buf_str(&buf, CDN_STR("de"));
	cdn_buf_add(&buf, NULL, 0);
	cdn_buf_printf(&buf, "%d", 6);
	ok(holds(&buf, "abcde6"), "all ways of adding");
	cdn_buf_reset(&buf);
	ok(holds(&buf, ""), "empty after reset");
	for (int i = 0; i < 100000; i++)
		cdn_buf_putc(&buf, (char)('a' + i % 26));
	for (int i = 0; i < 100000; i++)
		right &= buf.p[i] == 'a' + i % 26;
	ok(right && buf.n == 100000, "a long text byte by byte");
	cdn_buf_reset(&buf);
	for (int i = 0; i < 10000; i++)
		cdn_buf_printf(&buf, "%05d", i);
	ok(buf.n == 50000 && strcmp(buf.p + 49995, "09999") == 0,
	    "a long text by printf");
	ok(!cdn_buf_failed(&buf), "nothing failed");
	cdn_buf_done(&buf);
	cdn_buf_done(&buf);
	ok(buf.p == NULL, "done twice");
}

static void
test_maximum(void)
{
	struct cdn_buf buf;

	cdn_buf_init(&buf, 4);
	cdn_buf_puts(&buf, "abcd");
	ok(holds(&buf, "abcd") && !cdn_buf_failed(&buf), "exactly full");
	ok(buf.room <= 5, "no more memory than the maximum can use");
	cdn_buf_putc(&buf, 'e');
	ok(cdn_buf_failed(&buf), "one byte too many fails");
	ok(holds(&buf, "abcd"), "and changes nothing");
	cdn_buf_add(&buf, "", 0);
	ok(cdn_buf_failed(&buf), "failure is sticky");
	ok(cdn_buf_take(&buf) == NULL, "a failed buffer gives nothing");
	cdn_buf_reset(&buf);
	ok(!cdn_buf_failed(&buf), "reset forgives");
	cdn_buf_printf(&buf, "%s", "12345");
	ok(cdn_buf_failed(&buf), "printf honours the maximum");
	cdn_buf_reset(&buf);
	cdn_buf_printf(&buf, "%s", "1234");
	ok(holds(&buf, "1234"), "printf may fill it up");
	cdn_buf_done(&buf);

	cdn_buf_init(&buf, SIZE_MAX);
	cdn_buf_puts(&buf, "x");
	cdn_buf_add(&buf, "", SIZE_MAX - 1);
	ok(cdn_buf_failed(&buf), "a size that wraps is refused");
	cdn_buf_done(&buf);
}

static void
test_sticky(void)
{
	struct cdn_buf buf;

	cdn_buf_init(&buf, 4);
	cdn_buf_puts(&buf, "ab");
	cdn_buf_puts(&buf, "too long");
	cdn_buf_puts(&buf, "c");
	cdn_buf_printf(&buf, "d");
	ok(holds(&buf, "ab"), "what follows a failure is not added");
	cdn_buf_done(&buf);
}

static void
test_take(void)
{
	struct cdn_buf buf = { .max = 100 };
	struct cdn_buf none = { 0 };
	char *text;

	text = cdn_buf_take(&buf);
	ok(text != NULL && text[0] == '\0', "taking nothing gives \"\"");
	free(text);
	cdn_buf_puts(&buf, "abc");
	text = cdn_buf_take(&buf);
	ok(text != NULL && strcmp(text, "abc") == 0, "the text is taken");
	free(text);
	ok(buf.p == NULL && buf.n == 0 && buf.max == 100, "and can refill");
	cdn_buf_puts(&buf, "next");
	ok(holds(&buf, "next"), "with something else");
	cdn_buf_done(&buf);

	cdn_buf_putc(&none, 'x');
	ok(cdn_buf_failed(&none), "a zeroed buffer has no room");
	cdn_buf_done(&none);
}

int
main(void)
{
	test_adding();
	test_maximum();
	test_sticky();
	test_take();
	return done_testing();
}
