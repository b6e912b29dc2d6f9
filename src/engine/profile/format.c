/*
 * format - a resolved profile for people and programs.
 *
 * Rules appear normalised and in the order in which they are walked, denies
 * as "!rule": what is printed is what decides.
 */
#include "engine/profile/profile.h"

#include "base/json.h"

static const char *const network_words[] = {
	[CDN_NETWORK_UNSET] = "none",
	[CDN_NETWORK_NONE] = "none",
	[CDN_NETWORK_LOOPBACK] = "loopback",
	[CDN_NETWORK_FULL] = "full",
};

static const char *const op_keys[CDN_RULE_OPS] = {
	[CORDON_READ] = "read",
	[CORDON_MODIFY] = "modify",
	[CORDON_EXEC] = "exec",
};

/* "!pattern" or "pattern"; the longest rule is far below the buffer. */
static cdn_str
spell(const struct cdn_rule *rule, char *out, size_t size)
{
	int n = snprintf(out, size, "%s%.*s", rule->negated ? "!" : "",
	    CDN_STR_ARG(rule->pattern));

	return (cdn_str){ out, (size_t)n };
}

static void
put_rules(struct cdn_json_writer *w, const struct cdn_rules *rules)
{
	char text[CDN_RULE_MAX + 2];

	cdn_json_open(w, '[');
	for (size_t i = 0; i < rules->n; i++)
		cdn_json_put_string(w,
		    spell(&rules->v[i], text, sizeof(text)));
	cdn_json_close(w);
}

static void
put_roots(struct cdn_json_writer *w, const struct cdn_roots *roots)
{
	cdn_json_open(w, '[');
	for (size_t i = 0; i < roots->n; i++)
		cdn_json_put_string(w, roots->v[i].text);
	cdn_json_close(w);
}

static void
put_network(struct cdn_json_writer *w, const struct cdn_network_set *network)
{
	if (network->mode == CDN_NETWORK_LIST)
		put_rules(w, &network->list.rules);
	else
		cdn_json_put_cstring(w, network_words[network->mode]);
}

static void
put_profile(struct cdn_json_writer *w, const struct cordon_profile *profile)
{
	cdn_json_put_key(w, "name");
	cdn_json_put_cstring(w, profile->name);
	for (size_t op = 0; op < CDN_RULE_OPS; op++) {
		cdn_json_put_key(w, op_keys[op]);
		put_rules(w, &profile->sets[op].rules);
	}
	cdn_json_put_key(w, "network");
	put_network(w, &profile->network);
	cdn_json_put_key(w, "host");
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "read");
	put_roots(w, &profile->host_read);
	cdn_json_put_key(w, "modify");
	put_roots(w, &profile->host_modify);
	cdn_json_close(w);
	cdn_json_put_key(w, "sockets");
	put_roots(w, &profile->sockets);
}

static void
format_json(const struct cordon_profile *profile, const char *layer,
    const char *source, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "schema");
	cdn_json_put_int(&w, 1);
	put_profile(&w, profile);
	if (layer != NULL) {
		cdn_json_put_key(&w, "layer");
		cdn_json_put_cstring(&w, layer);
		cdn_json_put_key(&w, "source");
		cdn_json_put_cstring(&w, source);
	}
	cdn_json_close(&w);
	if (!cdn_json_end(&w))
		out->failed = true;
	cdn_buf_putc(out, '\n');
}

/* A JSON string is a YAML scalar too. */
static void
yaml_string(struct cdn_buf *out, cdn_str text)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_put_string(&w, text);
	if (!cdn_json_end(&w))
		out->failed = true;
}

/* A file name inside a comment must not end it. */
static void
comment_source(struct cdn_buf *out, const char *source)
{
	for (; *source != '\0'; source++)
		cdn_buf_putc(out, (unsigned char)*source < ' ' ? '?' : *source);
}

static void
yaml_rules(struct cdn_buf *out, const char *key, const struct cdn_rules *rules)
{
	char text[CDN_RULE_MAX + 2];

	cdn_buf_printf(out, "%s:%s\n", key, rules->n == 0 ? " []" : "");
	for (size_t i = 0; i < rules->n; i++) {
		const struct cdn_rule *rule = &rules->v[i];

		cdn_buf_puts(out, "  - ");
		yaml_string(out, spell(rule, text, sizeof(text)));
		if (rule->pos.line != 0) {
			cdn_buf_puts(out, "  # ");
			comment_source(out, rule->pos.source);
			cdn_buf_printf(out, ":%u:%u", rule->pos.line,
			    rule->pos.column);
		}
		cdn_buf_putc(out, '\n');
	}
}

static void
yaml_roots(struct cdn_buf *out, const char *indent, const char *key,
    const struct cdn_roots *roots)
{
	cdn_buf_printf(out, "%s%s:%s\n", indent, key,
	    roots->n == 0 ? " []" : "");
	for (size_t i = 0; i < roots->n; i++) {
		cdn_buf_printf(out, "%s  - ", indent);
		yaml_string(out, roots->v[i].text);
		cdn_buf_putc(out, '\n');
	}
}

static void
format_yaml(const struct cordon_profile *profile, const char *layer,
    const char *source, struct cdn_buf *out)
{
	if (layer != NULL) {
		cdn_buf_printf(out, "# %s: ", layer);
		comment_source(out, source);
		cdn_buf_putc(out, '\n');
	}
	cdn_buf_puts(out, "name: ");
	yaml_string(out, cdn_str_of(profile->name));
	cdn_buf_putc(out, '\n');
	for (size_t op = 0; op < CDN_RULE_OPS; op++)
		yaml_rules(out, op_keys[op], &profile->sets[op].rules);
	if (profile->network.mode == CDN_NETWORK_LIST)
		yaml_rules(out, "network", &profile->network.list.rules);
	else
		cdn_buf_printf(out, "network: %s\n",
		    network_words[profile->network.mode]);
	cdn_buf_puts(out, "host:\n");
	yaml_roots(out, "  ", "read", &profile->host_read);
	yaml_roots(out, "  ", "modify", &profile->host_modify);
	yaml_roots(out, "", "sockets", &profile->sockets);
}

int
cdn_profile_format(const struct cordon_profile *profile,
    enum cordon_format format, const char *layer, const char *source,
    struct cdn_buf *out, struct cordon_error *err)
{
	if (format == CORDON_FORMAT_JSON)
		format_json(profile, layer, source, out);
	else
		format_yaml(profile, layer, source, out);
	if (cdn_buf_failed(out))
		return cdn_err_nomem(err);
	return 0;
}
