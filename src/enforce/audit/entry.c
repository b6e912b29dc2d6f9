/*
 * entry - one line of a log as an event.
 */
#include "enforce/audit/log.h"

static bool
text_of(const struct cdn_entry *entry, struct cdn_arena *arena,
    const char *name, cdn_str *ret)
{
	const struct cdn_json_node *node = cdn_json_find(&entry->json,
	    entry->json.nodes, name);

	return node != NULL && node->type == CDN_JSON_STRING &&
	    cdn_json_string(&entry->json, node, arena, ret);
}

bool
cdn_entry_parse(cdn_str text, struct cdn_arena *arena, struct cdn_entry *ret,
    bool *ret_nomem)
{
	static const struct cdn_json_options limits = {
		.max_bytes = CDN_AUDIT_LINE_MAX };
	struct cdn_entry entry = { 0 };
	int r = cdn_line_link(text, &entry.link) ?
	    cdn_json_parse(text, &limits, arena, &entry.json, NULL) :
	    CORDON_E_INVALID;

	if (ret_nomem != NULL)
		*ret_nomem = r == CORDON_E_NOMEM;
	if (r != 0 || !text_of(&entry, arena, "time", &entry.time) ||
	    !text_of(&entry, arena, "run", &entry.run) ||
	    !text_of(&entry, arena, "kind", &entry.kind))
		return false;
	*ret = entry;
	return true;
}

cdn_str
cdn_entry_text(const struct cdn_entry *entry, struct cdn_arena *arena,
    const char *name)
{
	cdn_str text = CDN_STR("");

	(void)!text_of(entry, arena, name, &text);
	return text;
}

int64_t
cdn_entry_number(const struct cdn_entry *entry, const char *name,
    int64_t fallback)
{
	const struct cdn_json_node *node = cdn_json_find(&entry->json,
	    entry->json.nodes, name);
	int64_t number;

	return node != NULL && cdn_json_int(&entry->json, node, &number) ?
	    number : fallback;
}

bool
cdn_entry_is_true(const struct cdn_entry *entry, const char *name)
{
	const struct cdn_json_node *node = cdn_json_find(&entry->json,
	    entry->json.nodes, name);
	bool value;

	return node != NULL && cdn_json_bool(&entry->json, node, &value) &&
	    value;
}

bool
cdn_entry_holds(const struct cdn_entry *entry, struct cdn_arena *arena,
    cdn_str text)
{
	const struct cdn_json *json = &entry->json;

	for (uint32_t i = 0; i < json->count; i++) {
		const struct cdn_json_node *node = &json->nodes[i];
		cdn_str value = cdn_json_raw(json, node);

		if (node->type == CDN_JSON_ARRAY ||
		    node->type == CDN_JSON_OBJECT ||
		    (node->type == CDN_JSON_STRING &&
			!cdn_json_string(json, node, arena, &value)))
			continue;
		if (text.n == 0 || (value.n > 0 &&
			memmem(value.p, value.n, text.p, text.n) != NULL))
			return true;
	}
	return false;
}

/* ----- Time --------------------------------------------------------------- */

/* `n` digits at p; -1 when one is none. */
static int64_t
digits(const char *p, size_t n)
{
	int64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		value = value * 10 + (p[i] - '0');
	}
	return value;
}

/* Days since 1970; years begin with March, so that a leap day is the last. */
static int64_t
days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 +
	    day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

bool
cdn_entry_time(cdn_str time, int64_t *ret_ns)
{
	static const char form[] = "0000-00-00T00:00:00.000Z";
	static const unsigned char at[] = { 0, 5, 8, 11, 14, 17, 20 };
	static const unsigned char width[] = { 4, 2, 2, 2, 2, 2, 3 };
	int64_t v[CDN_LEN(at)];

	if (time.n != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < time.n; i++)
		if (form[i] != '0' && form[i] != time.p[i])
			return false;
	for (size_t i = 0; i < CDN_LEN(at); i++) {
		v[i] = digits(time.p + at[i], width[i]);
		if (v[i] < 0)
			return false;
	}
	if (v[0] < 1970 || v[0] > 2200 || v[1] < 1 || v[1] > 12 || v[2] < 1 ||
	    v[2] > 31 || v[3] > 23 || v[4] > 59 || v[5] > 60)
		return false;
	*ret_ns = ((days_of(v[0], v[1], v[2]) * 24 + v[3]) * 60 + v[4]) * 60 +
	    v[5];
	*ret_ns = (*ret_ns * 1000 + v[6]) * 1000000;
	return true;
}
