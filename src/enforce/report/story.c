#include "enforce/report/story.h"

struct telling {
	const struct cdn_entry *entry;
	struct cdn_arena *arena;
	struct cdn_buf *out;
};

static cdn_str
text(const struct telling *t, const char *name)
{
	return cdn_entry_text(t->entry, t->arena, name);
}

static bool
has(const struct telling *t, const char *name)
{
	return cdn_json_find(&t->entry->json, t->entry->json.nodes, name) !=
	    NULL;
}

/* ----- Commands ----------------------------------------------------------- */

/* As a shell would have to be told, if it is more than one plain word. */
static void
put_word(struct cdn_buf *out, cdn_str word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./:,@%^[]";
	bool quote = word.n == 0;

	for (size_t i = 0; i < word.n && !quote; i++)
		quote = word.p[i] == '\0' || strchr(plain, word.p[i]) == NULL;
	if (!quote) {
		cdn_buf_str(out, word);
		return;
	}
	cdn_buf_putc(out, '\'');
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '\'')
			cdn_buf_puts(out, "'\\'");
		cdn_buf_putc(out, word.p[i]);
	}
	cdn_buf_putc(out, '\'');
}

void
cdn_story_command(const struct cdn_entry *entry, struct cdn_arena *arena,
    struct cdn_buf *out)
{
	const struct cdn_json *json = &entry->json;
	const struct cdn_json_node *list = cdn_json_find(json, json->nodes,
	    "argv");
	const struct cdn_json_node *node = list == NULL ? NULL :
	    cdn_json_first(json, list);
	const char *between = "";

	for (; node != NULL; node = cdn_json_next(json, node)) {
		cdn_str word;

		if (!cdn_json_string(json, node, arena, &word))
			continue;
		cdn_buf_puts(out, between);
		put_word(out, word);
		between = " ";
	}
}

/* ----- Kinds -------------------------------------------------------------- */

static void
tell_start(const struct telling *t)
{
	cdn_buf_puts(t->out, "started ");
	cdn_story_command(t->entry, t->arena, t->out);
	cdn_buf_puts(t->out, " in ");
	cdn_buf_str(t->out, text(t, "workspace"));
	if (!cdn_entry_is_true(t->entry, "enforced"))
		cdn_buf_puts(t->out, ", not everything enforced");
}

static void
tell_end(const struct telling *t)
{
	int64_t ms = cdn_entry_number(t->entry, "duration_ms", 0);
	int64_t denials = cdn_entry_number(t->entry, "denials", -1);
	int64_t lost = cdn_entry_number(t->entry, "lost", 0);
	int64_t unrecorded = cdn_entry_number(t->entry, "unrecorded", 0);
	int64_t signal = cdn_entry_number(t->entry, "signal", 0);

	if (cdn_entry_is_true(t->entry, "timed_out"))
		cdn_buf_puts(t->out, "ended: took too long");
	else if (signal > 0)
		cdn_buf_printf(t->out, "ended by signal %lld",
		    (long long)signal);
	else
		cdn_buf_printf(t->out, "ended with %lld", (long long)
		    cdn_entry_number(t->entry, "exit_code", 0));
	cdn_buf_printf(t->out, " after %lld.%03d s", (long long)(ms / 1000),
	    (int)(ms < 0 ? 0 : ms % 1000));
	if (denials >= 0)
		cdn_buf_printf(t->out, ", %lld denial%s", (long long)denials,
		    denials == 1 ? "" : "s");
	if (lost > 0)
		cdn_buf_printf(t->out, ", %lld of them not recorded",
		    (long long)lost);
	if (unrecorded > 0)
		cdn_buf_printf(t->out, ", %lld allowed accesses not recorded",
		    (long long)unrecorded);
}

static void
tell_left(const struct telling *t)
{
	cdn_buf_puts(t->out, "left: ");
	cdn_buf_str(t->out, text(t, "what"));
	cdn_buf_puts(t->out, ", ");
	cdn_buf_str(t->out, text(t, "path"));
}

static void
tell_refused(const struct telling *t)
{
	cdn_buf_puts(t->out, "not started: ");
	cdn_story_command(t->entry, t->arena, t->out);
	cdn_buf_puts(t->out, ": ");
	cdn_buf_str(t->out, text(t, "message"));
}

static void
tell_rule(const struct telling *t)
{
	cdn_str source = text(t, "source");
	int64_t line = cdn_entry_number(t->entry, "line", 0);

	cdn_buf_puts(t->out, " by ");
	cdn_buf_str(t->out, text(t, "matched_rule"));
	if (source.n == 0)
		return;
	cdn_buf_puts(t->out, " (");
	cdn_buf_str(t->out, source);
	if (line > 0)
		cdn_buf_printf(t->out, ":%lld", (long long)line);
	cdn_buf_puts(t->out, ")");
}

static void
tell_repeats(const struct telling *t)
{
	long long n = (long long)cdn_entry_number(t->entry, "repeats", 0);
	cdn_str alike = text(t, "alike");

	if (n <= 0)
		return;
	if (alike.n == 0)
		cdn_buf_printf(t->out, ", %lld more of the same", n);
	else
		cdn_buf_printf(t->out, ", the last of %lld more %s", n,
		    cdn_str_is(alike, "rule") ? "by this rule" :
						"of this run");
}

static void
tell_verdict(const struct telling *t)
{
	cdn_str call = text(t, "call"), op = text(t, "op");
	long long pid = cdn_entry_number(t->entry, "pid", 0);

	if (!has(t, "path")) { /* a program that was not to be started */
		tell_refused(t);
		return;
	}
	cdn_buf_puts(t->out, cdn_entry_is_true(t->entry, "allowed") ?
	    "allowed " : "denied ");
	cdn_buf_str(t->out, op.n > 0 ? op : CDN_STR("a call on"));
	cdn_buf_puts(t->out, " ");
	cdn_buf_str(t->out, text(t, "path"));
	tell_rule(t);
	if (call.n == 0)
		return;
	cdn_buf_puts(t->out, ", ");
	cdn_buf_str(t->out, call);
	if (pid > 0)
		cdn_buf_printf(t->out, " of process %lld", pid);
	else
		cdn_buf_puts(t->out, " of some process, seen after the run");
	tell_repeats(t);
	if (cdn_entry_is_true(t->entry, "allowed") &&
	    cdn_entry_number(t->entry, "errno", 0) > 0)
		cdn_buf_printf(t->out, ", which failed (errno %lld)",
		    (long long)cdn_entry_number(t->entry, "errno", 0));
}

static void
tell_torn(const struct telling *t)
{
	cdn_buf_printf(t->out, "a writer was killed: of its event %lld bytes "
	    "are left: ", (long long)cdn_entry_number(t->entry, "bytes", 0));
	cdn_buf_str(t->out, text(t, "text"));
}

static void
tell_adopted(const struct telling *t)
{
	cdn_buf_printf(t->out, "lines that the head did not know: %lld from "
	    "line %lld on; a writer was killed, or somebody else added them",
	    (long long)cdn_entry_number(t->entry, "lines", 0),
	    (long long)cdn_entry_number(t->entry, "first", 0));
}

/* Whatever it is: its fields as they stand there, without the frame. */
static void
tell_fields(const struct telling *t)
{
	static const char *const frame[] = { "schema", "seq", "prev", "time",
		"run", "kind" };
	const struct cdn_json *json = &t->entry->json;
	const struct cdn_json_node *node = cdn_json_first(json, json->nodes);

	for (size_t i = 0; node != NULL; node = cdn_json_next(json, node)) {
		cdn_str key;

		if (i++ < CDN_LEN(frame) ||
		    !cdn_json_key(json, node, t->arena, &key))
			continue;
		cdn_buf_puts(t->out, i == CDN_LEN(frame) + 1 ? "" : ", ");
		cdn_buf_str(t->out, key);
		cdn_buf_puts(t->out, " ");
		cdn_buf_str(t->out, cdn_json_raw(json, node));
	}
}

static const struct {
	const char *kind;
	void (*tell)(const struct telling *t);
	bool denial;
} kinds[] = {
	{ "run.start", tell_start, false },
	{ "run.end", tell_end, false },
	{ "run.refused", tell_refused, false },
	{ "run.left", tell_left, false },
	{ "fs.call.request", tell_verdict, false },
	{ "fs.call.result", tell_verdict, false },
	{ "fs.call.denied", tell_verdict, true },
	{ "net.denied", tell_verdict, true },
	{ "exec.denied", tell_verdict, true },
	{ "call.denied", tell_verdict, true },
	{ "audit.torn", tell_torn, false },
	{ "audit.adopted", tell_adopted, false },
};

void
cdn_story_put(const struct cdn_entry *entry, struct cdn_arena *arena,
    struct cdn_buf *out)
{
	const struct telling t = { entry, arena, out };

	for (size_t i = 0; i < CDN_LEN(kinds); i++)
		if (cdn_str_is(entry->kind, kinds[i].kind)) {
			kinds[i].tell(&t);
			return;
		}
	tell_fields(&t);
}

bool
cdn_story_is_denial(const struct cdn_entry *entry)
{
	for (size_t i = 0; i < CDN_LEN(kinds); i++)
		if (cdn_str_is(entry->kind, kinds[i].kind))
			return kinds[i].denial;
	return false;
}
