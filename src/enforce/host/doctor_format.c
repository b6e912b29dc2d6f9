/* What doctor found, in columns or as JSON. */
#include "enforce/host/doctor.h"

#include "base/json.h"

#define SEVERITY_WIDTH 9
#define ID_WIDTH       20
#define FACT_WIDTH     11
#define LINE_WIDTH     79

static const char *const enforces_names[CDN_ENFORCES_MAX] = {
	[CDN_ENFORCES_NONE] = "none",
	[CDN_ENFORCES_DEGRADED] = "degraded",
	[CDN_ENFORCES_REQUIRED] = "required",
};

static const char *const severity_names[CDN_HOST_SEVERITY_MAX] = {
	[CDN_HOST_OK] = "ok",
	[CDN_HOST_NOTE] = "note",
	[CDN_HOST_WARNING] = "warning",
	[CDN_HOST_ERROR] = "error",
};

static const char *const bwrap_names[] = {
	[CDN_BWRAP_MISSING] = "missing",
	[CDN_BWRAP_BROKEN] = "broken",
	[CDN_BWRAP_USABLE] = "usable",
};

const char *
cdn_enforces_name(enum cdn_enforces enforces)
{
	return enforces_names[enforces];
}

const char *
cdn_host_severity_name(enum cdn_host_severity severity)
{
	return severity_names[severity];
}

/* ----- Text ------------------------------------------------------------- */

static void
put_fact(struct cdn_buf *out, const char *name, const char *value)
{
	cdn_buf_printf(out, "%-*s%s\n", FACT_WIDTH, name, value);
}

static void
put_facts(const struct cdn_host *host, struct cdn_buf *out)
{
	char text[64];

	snprintf(text, sizeof(text), "%u.%u", host->kernel_major,
	    host->kernel_minor);
	put_fact(out, "kernel", text);
	snprintf(text, sizeof(text), "ABI %d", host->landlock_abi);
	put_fact(out, "landlock", host->landlock_abi > 0 ? text : "none");
	put_fact(out, "seccomp",
	    host->seccomp_notify     ? "filter, listener" :
		host->seccomp_filter ? "filter" :
				       "none");
	put_fact(out, "userns", host->userns ? "usable" : "not usable");
	put_fact(out, "bwrap", bwrap_names[host->bwrap]);
	put_fact(out, "cgroup", host->cgroup_delegated ? "delegated" : "none");
	snprintf(text, sizeof(text), "%d", host->yama_scope);
	put_fact(out, "yama", text);
}

/* Word by word; the cursor stands at the column of the text already. */
static void
put_wrapped(struct cdn_buf *out, const char *text)
{
	const size_t indent = SEVERITY_WIDTH + ID_WIDTH;
	cdn_str rest = cdn_str_of(text), word;
	size_t column = indent;

	while (cdn_str_next(&rest, ' ', &word)) {
		if (column > indent && column + 1 + word.n > LINE_WIDTH) {
			cdn_buf_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			cdn_buf_putc(out, ' ');
			column++;
		}
		cdn_buf_str(out, word);
		column += word.n;
	}
	cdn_buf_putc(out, '\n');
}

static void
put_finding(struct cdn_buf *out, const struct cdn_host_finding *finding)
{
	char hint[512];

	cdn_buf_printf(out, "%-*s%-*s", SEVERITY_WIDTH,
	    severity_names[finding->severity], ID_WIDTH, finding->id);
	put_wrapped(out, finding->text);
	if (finding->remedy == NULL)
		return;
	snprintf(hint, sizeof(hint), "hint: %s", finding->remedy);
	cdn_buf_printf(out, "%*s", SEVERITY_WIDTH + ID_WIDTH, "");
	put_wrapped(out, hint);
}

static void
put_text(const struct cdn_doctor *doctor, struct cdn_buf *out)
{
	put_facts(&doctor->host, out);
	put_fact(out, "enforces", enforces_names[doctor->enforces]);
	cdn_buf_putc(out, '\n');
	for (size_t i = 0; i < doctor->count; i++)
		put_finding(out, &doctor->findings[i]);
}

/* ----- JSON ------------------------------------------------------------- */

static void
put_bool(struct cdn_json_writer *w, const char *key, bool value)
{
	cdn_json_put_key(w, key);
	cdn_json_put_bool(w, value);
}

static void
put_string(struct cdn_json_writer *w, const char *key, const char *value)
{
	cdn_json_put_key(w, key);
	cdn_json_put_cstring(w, value);
}

static void
put_findings(struct cdn_json_writer *w, const struct cdn_doctor *doctor)
{
	cdn_json_put_key(w, "findings");
	cdn_json_open(w, '[');
	for (size_t i = 0; i < doctor->count; i++) {
		const struct cdn_host_finding *finding = &doctor->findings[i];

		cdn_json_open(w, '{');
		put_string(w, "id", finding->id);
		put_string(w, "severity", severity_names[finding->severity]);
		put_string(w, "text", finding->text);
		put_string(w, "remedy", finding->remedy);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

static void
put_json(const struct cdn_doctor *doctor, struct cdn_buf *out)
{
	const struct cdn_host *host = &doctor->host;
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "schema");
	cdn_json_put_int(&w, 1);
	cdn_json_put_key(&w, "landlock_abi");
	cdn_json_put_int(&w, host->landlock_abi);
	put_bool(&w, "seccomp_notify", host->seccomp_notify);
	put_bool(&w, "userns", host->userns);
	put_string(&w, "bwrap", bwrap_names[host->bwrap]);
	put_bool(&w, "cgroup", host->cgroup_delegated);
	put_string(&w, "enforces", enforces_names[doctor->enforces]);
	put_findings(&w, doctor);
	cdn_json_close(&w);
}

int
cdn_doctor_format(const struct cdn_doctor *doctor, enum cordon_format format,
    struct cdn_buf *out, struct cordon_error *err)
{
	if (format == CORDON_FORMAT_JSON)
		put_json(doctor, out);
	else
		put_text(doctor, out);
	return cdn_buf_failed(out) ? cdn_err_nomem(err) : 0;
}
