#include "front/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <termios.h>
#include <unistd.h>

#define PATIENCE_MS  2000 /* with a terminal that takes nothing */
#define LINE_MAX_OUT (512UL * 1024UL * 1024UL) /* bytes of one JSON line */

static int failure = CLI_INVALID; /* see cli_output_failure() */
static bool quiet;
static bool colour_out;
static int write_errno; /* of the first failed write */
static char out_room[8192];

/* ----- The three streams ------------------------------------------------ */

static bool
wants_colour(bool terminal)
{
	const char *term = secure_getenv("TERM");

	return terminal && secure_getenv("NO_COLOR") == NULL && term != NULL &&
	    strcmp(term, "dumb") != 0;
}

/* Asked when there is something to say: mostly there is not. */
static bool
colour_err(void)
{
	return wants_colour(isatty(STDERR_FILENO) == 1);
}

/*
 * A closed descriptor would be given to the next file opened, and messages
 * would then land in it.
 */
static bool
occupy(int fd)
{
	return fcntl(fd, F_GETFD) >= 0 || open("/dev/null", O_RDWR) == fd;
}

bool
cli_output_init(void)
{
	bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0, terminal;

	if (!occupy(STDIN_FILENO) || !occupy(STDOUT_FILENO) ||
	    !occupy(STDERR_FILENO))
		return false;
	if (closed) {
		cli_error("standard output is closed: no answer can be given");
		return false;
	}
	signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error */
	signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow */
	/* Nobody reads along: no libc may write before its room is full. */
	terminal = isatty(STDOUT_FILENO) == 1;
	if (!terminal)
		(void)setvbuf(stdout, out_room, _IOFBF, sizeof(out_room));
	colour_out = wants_colour(terminal);
	return true;
}

void
cli_output_failure(int code)
{
	failure = code;
}

void
cli_output_quiet(void)
{
	quiet = true;
}

bool
cli_output_is_quiet(void)
{
	return quiet;
}

void
cli_output_flush(void)
{
	if (fflush(stdout) != 0 && write_errno == 0)
		write_errno = errno;
}

bool
cli_output_broken(void)
{
	return ferror(stdout) != 0;
}

/* Right after a write: errno still says why it failed. */
static void
notice_failure(void)
{
	if (cli_output_broken() && write_errno == 0)
		write_errno = errno;
}

int
cli_output_finish(int status)
{
	cli_output_flush();
	if (write_errno == 0 && !cli_output_broken())
		return status;
	cli_error("cannot write to standard output: %s",
	    write_errno != 0 ? strerrordesc_np(write_errno) : "the write failed");
	return failure;
}

/* ----- Text ------------------------------------------------------------- */

static uint32_t
code_point(const char *p, size_t n)
{
	static const unsigned char lead[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)p[0] & lead[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)p[i] & 0x3fU);
	return c;
}

/* What moves the cursor, changes the terminal or hides the order of letters. */
static bool
unsafe(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x00, 0x1f },	    /* C0 */
		{ 0x7f, 0x9f },	    /* DEL, C1 */
		{ 0x061c, 0x061c }, /* Arabic letter mark */
		{ 0x200b, 0x200f }, /* zero width, direction marks */
		{ 0x2028, 0x202e }, /* separators, embeddings, overrides */
		{ 0x2060, 0x2069 }, /* word joiner, isolates */
		{ 0xfeff, 0xfeff },
	};

	for (size_t i = 0; i < CDN_LEN(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

void
cli_put_safe(FILE *to, cdn_str text)
{
	const char *p = text.p;
	const char *end = p + text.n;

	while (text.n > 0 && p < end) {
		size_t n = cdn_utf8_len(p, end);
		bool bad = n == 1 && (unsigned char)*p >= 0x80;

		if (!bad && !unsafe(code_point(p, n))) {
			fwrite(p, 1, n, to);
			p += n;
			continue;
		}
		for (; n > 0; n--)
			fprintf(to, "\\x%02x", (unsigned char)*p++);
	}
}

void
cli_put_coloured(FILE *to, enum cli_colour colour, const char *text)
{
	static const char *const codes[] = { "", "32", "31", "33", "1" };
	bool on = to == stdout ? colour_out : colour_err();

	if (!on || colour == CLI_PLAIN)
		fputs(text, to);
	else
		fprintf(to, "\033[%sm%s\033[0m", codes[colour], text);
}

void
cli_put_text(const char *text)
{
	size_t n = strlen(text);

	fwrite(text, 1, n, stdout);
	if (n > 0 && text[n - 1] != '\n')
		putchar('\n');
	notice_failure();
}

void
cli_put_lines(const char *text)
{
	cdn_str rest = cdn_str_of(text);
	cdn_str line;

	while (cdn_str_next(&rest, '\n', &line)) {
		if (rest.p == NULL && line.n == 0)
			break; /* behind the last newline */
		cli_put_safe(stdout, line);
		putchar('\n');
	}
}

/* ----- Messages --------------------------------------------------------- */

/*
 * A terminal that was stopped, or that is not read by anybody, would keep us
 * for ever.  While a run has it raw, it makes no CR LF of LF.
 */
static bool
takes_messages(bool *ret_raw)
{
	static int patience_ms = PATIENCE_MS; /* is lost once */
	struct pollfd on = { .fd = STDERR_FILENO, .events = POLLOUT };
	struct termios settings;
	int r;

	*ret_raw = false;
	if (tcgetattr(STDERR_FILENO, &settings) != 0)
		return true;
	*ret_raw = (settings.c_oflag & OPOST) == 0;
	do
		r = poll(&on, 1, patience_ms);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		patience_ms = 0;
	return r != 0;
}

CDN_PRINTF(3, 0)
static void
message(enum cli_colour colour, const char *head, const char *fmt, va_list ap)
{
	char *text = NULL, *line = NULL;
	int n = vasprintf(&text, fmt, ap);
	size_t size = 0;
	bool raw, takes = takes_messages(&raw);
	FILE *to = n < 0 ? NULL : open_memstream(&line, &size);

	if (to == NULL)
		cli_out_of_memory();
	cli_output_flush(); /* what was answered comes first */
	cli_put_coloured(to, colour, head);
	cli_put_safe(to, (cdn_str){ text, (size_t)n });
	fputs(raw ? "\r\n" : "\n", to);
	if (fclose(to) != 0)
		cli_out_of_memory();
	if (takes) /* in one piece: others write there too */
		fwrite(line, 1, size, stderr);
	free(line);
	free(text);
}

void
cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(CLI_BOLD, "cordon: ", fmt, ap);
	va_end(ap);
}

void
cli_hint(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	va_start(ap, fmt);
	message(CLI_PLAIN, "  hint: ", fmt, ap);
	va_end(ap);
}

void
cli_note(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	va_start(ap, fmt);
	message(CLI_PLAIN, "cordon: ", fmt, ap);
	va_end(ap);
}

/* ----- Findings --------------------------------------------------------- */

static void
put_position(FILE *to, const char *source, unsigned line, unsigned column)
{
	cli_put_safe(to, cdn_str_of(source));
	if (line > 0)
		fprintf(to, ":%u:%u", line, column);
	fputs(": ", to);
}

static void
put_diag(FILE *to, const struct cordon_diag *diag)
{
	bool is_error = diag->severity == CORDON_ERROR;
	const char *source = diag->source[0] != '\0' ? diag->source : "cordon";

	put_position(to, source, diag->line, diag->column);
	cli_put_coloured(to, is_error ? CLI_RED : CLI_YELLOW,
	    is_error ? "error" : "warning");
	fputs(": ", to);
	cli_put_safe(to, cdn_str_of(diag->text));
	fputc('\n', to);
	if (diag->hint != NULL) {
		fputs("  hint: ", to);
		cli_put_safe(to, cdn_str_of(diag->hint));
		fputc('\n', to);
	}
}

size_t
cli_diags(FILE *to, const struct cordon_diags *diags)
{
	size_t count = cordon_diags_count(diags);
	size_t omitted = cordon_diags_omitted(diags);

	if (to == stderr)
		cli_output_flush();
	for (size_t i = 0; i < count; i++)
		put_diag(to, cordon_diags_get(diags, i));
	if (omitted > 0)
		cli_error("%zu more findings are not shown", omitted);
	return count + omitted;
}

void
cli_failure(const struct cordon_diags *diags, const struct cordon_error *err)
{
	if (diags != NULL && cordon_diags_errors(diags) > 0) {
		cli_diags(stderr, diags);
		return;
	}
	if (err->line == 0) {
		cli_error("%s", err->text);
		return;
	}
	put_position(stderr, err->source, err->line, err->column);
	cli_put_coloured(stderr, CLI_RED, "error");
	fputs(": ", stderr);
	cli_put_safe(stderr, cdn_str_of(err->text));
	fputc('\n', stderr);
}

static void
diag_json(const struct cordon_diag *diag)
{
	bool is_error = diag->severity == CORDON_ERROR;
	struct cli_json json;

	cli_json_begin(&json);
	cli_json_bytes(&json, "source", NULL,
	    diag->source[0] != '\0' ? cdn_str_of(diag->source) :
				      (cdn_str){ NULL, 0 });
	cli_json_position(&json, diag->line, diag->column);
	cli_json_member(&json, "severity", is_error ? "error" : "warning");
	cli_json_member(&json, "error",
	    is_error ? cordon_code_name(CORDON_E_INVALID) : NULL);
	cli_json_member(&json, "message", diag->text);
	cli_json_member(&json, "id", diag->id);
	cli_json_member(&json, "hint", diag->hint);
	cli_json_end(&json);
}

void
cli_diags_json(const struct cordon_diags *diags)
{
	size_t omitted = cordon_diags_omitted(diags);

	for (size_t i = 0; i < cordon_diags_count(diags); i++)
		diag_json(cordon_diags_get(diags, i));
	if (omitted > 0)
		cli_error("%zu more findings are not shown", omitted);
}

/* ----- JSON ------------------------------------------------------------- */

void
cli_json_begin(struct cli_json *json)
{
	cdn_buf_init(&json->buf, LINE_MAX_OUT);
	cdn_json_begin(&json->w, &json->buf);
	cdn_json_open(&json->w, '{');
	cdn_json_put_key(&json->w, "schema");
	cdn_json_put_uint(&json->w, 1);
}

void
cli_json_end(struct cli_json *json)
{
	cdn_json_close(&json->w);
	if (!cdn_json_end(&json->w))
		cli_out_of_memory();
	fwrite(json->buf.p, 1, json->buf.n, stdout);
	putchar('\n');
	notice_failure();
	cdn_buf_done(&json->buf);
}

void
cli_json_member(struct cli_json *json, const char *key, const char *value)
{
	cdn_json_put_key(&json->w, key);
	cdn_json_put_cstring(&json->w, value);
}

static void
put_hex(struct cli_json *json, const char *key, cdn_str bytes)
{
	static const char digits[] = "0123456789abcdef";
	char *hex = cli_alloc(bytes.n * 2 + 1, 1);

	for (size_t i = 0; i < bytes.n; i++) {
		unsigned char c = (unsigned char)bytes.p[i];

		hex[2 * i] = digits[c >> 4];
		hex[2 * i + 1] = digits[c & 15];
	}
	cli_json_member(json, key, hex);
	free(hex);
}

void
cli_json_bytes(struct cli_json *json, const char *key, const char *hex_key,
    cdn_str bytes)
{
	cdn_json_put_key(&json->w, key);
	if (bytes.p == NULL) {
		cdn_json_put_null(&json->w);
		return;
	}
	cdn_json_put_string(&json->w, bytes);
	if (hex_key != NULL && cdn_utf8_bad(bytes) < bytes.n)
		put_hex(json, hex_key, bytes);
}

static void
put_number(struct cli_json *json, const char *key, unsigned n)
{
	cdn_json_put_key(&json->w, key);
	if (n == 0)
		cdn_json_put_null(&json->w);
	else
		cdn_json_put_uint(&json->w, n);
}

void
cli_json_position(struct cli_json *json, unsigned line, unsigned column)
{
	put_number(json, "line", line);
	put_number(json, "column", column);
}

/* ----- Memory ----------------------------------------------------------- */

void
cli_out_of_memory(void)
{
	fputs("cordon: out of memory\n", stderr);
	fflush(stdout);
	_exit(failure);
}

void *
cli_alloc(size_t count, size_t size)
{
	void *p = calloc(count > 0 ? count : 1, size > 0 ? size : 1);

	if (p == NULL)
		cli_out_of_memory();
	return p;
}

char *
cli_copy(cdn_str text)
{
	char *p = cli_alloc(text.n + 1, 1);

	if (text.n > 0)
		memcpy(p, text.p, text.n);
	return p;
}

char *
cli_printf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		cli_out_of_memory();
	return text;
}
