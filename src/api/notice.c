/*
 * notice - the boundary in words, for the instructions of an agent.
 *
 * Who knows what will be refused does not try it.  It is no boundary itself.
 */
#include "api/api.h"

#include "enforce/session/workers.h"
#include "engine/decide/floor.h"
#include "engine/decide/preset.h"

static const char head[] =
    "# The boundary you work in\n"
    "\n"
    "Access to files and to the network is sandbox-enforced by the operating "
    "system, for\n"
    "you and for everything you start. What is not allowed fails with "
    "\"Permission denied\".\n"
    "Do not look for a way around it and do not try again: say what you need, "
    "and why.\n"
    "\n";

static const char tail[] =
    "- `cordon check PATH` says which rule decides about a path.\n";

/* ----- Lists ------------------------------------------------------------------ */

struct list {
	struct cdn_buf *out;
	size_t n;
};

static void
put_item(struct list *list, const char *text)
{
	cdn_buf_puts(list->out, list->n++ == 0 ? " " : ", ");
	cdn_buf_putc(list->out, '`');
	/* A document's own text must not end the line or the word. */
	for (const char *p = text; *p != '\0'; p++)
		cdn_buf_putc(list->out, (unsigned char)*p < ' ' || *p == '`' ?
			'?' : *p);
	cdn_buf_putc(list->out, '`');
}

static void
end_list(const struct list *list)
{
	cdn_buf_puts(list->out, list->n == 0 ? " nothing\n" : "\n");
}

static void
put_rules(struct list *list, const struct cdn_rules *rules, bool negated)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].negated == negated)
			put_item(list, rules->v[i].pattern.p);
}

static void
put_places(struct list *list, const struct cdn_place_list *places)
{
	for (size_t i = 0; i < places->n; i++)
		put_item(list, places->v[i].shown);
}

/* ----- What is open ------------------------------------------------------------ */

/* One layer; where there are several, all of them hold. */
static void
put_layer(struct cdn_buf *out, const struct cordon_profile *profile,
    enum cordon_op op)
{
	const struct cdn_rules *rules = &profile->sets[op].rules;
	struct list list = { out, 0 };
	struct list but = { out, 0 };

	put_rules(&list, rules, false);
	end_list(&list);
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].negated)
			but.n++;
	if (but.n == 0)
		return;
	but.n = 0;
	cdn_buf_puts(out, "  - but never:");
	put_rules(&but, rules, true);
	end_list(&but);
}

static void
put_defaults(struct cdn_buf *out, const struct cordon_profile *profile)
{
	const struct cdn_rules *rules = &profile->sets[CORDON_MODIFY].rules;
	struct list list = { out, 0 };

	cdn_buf_puts(out, "- Never modifiable in the workspace (defaults: this "
	    "machine would execute it):");
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].negated && !cdn_defaults_silent(&rules->v[i]))
			put_item(&list, rules->v[i].text.p);
	end_list(&list);
}

static void
put_operation(struct cdn_buf *out, const struct cordon_session *s,
    enum cordon_op op, const char *word)
{
	struct cdn_builtin builtins[CDN_BUILTINS_MAX];
	size_t n;

	for (size_t i = 0; i < s->document_count; i++) {
		const struct cdn_document *d = &s->documents[i];

		if (d->layer == CORDON_LAYER_WORKER && !d->bounds)
			continue;
		cdn_buf_printf(out, "- %s in the workspace (%s):", word,
		    cordon_layer_name(d->layer));
		put_layer(out, d->profile, op);
	}
	n = cdn_authority_builtins(s->authority, builtins);
	for (size_t i = 0; i < n; i++) {
		if (builtins[i].layer == CORDON_LAYER_DEFAULTS) {
			if (op == CORDON_MODIFY)
				put_defaults(out, builtins[i].profile);
			continue;
		}
		cdn_buf_printf(out, "- %s in the workspace (%s):", word,
		    cordon_layer_name(builtins[i].layer));
		put_layer(out, builtins[i].profile, op);
	}
}

static void
put_outside(struct cdn_buf *out, const struct cordon_session *s)
{
	struct list read = { out, 0 }, modify = { out, 0 };

	if (cdn_preset_get(s->preset)->whole_host) {
		cdn_buf_puts(out, "- Outside the workspace everything is "
		    "readable and modifiable but what is listed below.\n");
		return;
	}
	cdn_buf_puts(out, "- Readable outside, besides the system's programs:");
	put_places(&read, &s->spec.command_read);
	for (size_t i = 0; i < s->document_count; i++)
		if (s->documents[i].trusted)
			put_places(&read, &s->documents[i].host_read);
	end_list(&read);
	cdn_buf_puts(out, "- Modifiable outside:");
	put_places(&modify, &s->spec.command_write);
	for (size_t i = 0; i < s->document_count; i++)
		if (s->documents[i].trusted)
			put_places(&modify, &s->documents[i].host_modify);
	end_list(&modify);
}

/* ----- What is closed ----------------------------------------------------------- */

static void
put_floor(struct cdn_buf *out, const struct cordon_session *s)
{
	struct list closed = { out, 0 }, fixed = { out, 0 };
	const struct cdn_floor_row *row;

	cdn_buf_puts(out, "- Neither readable nor modifiable:");
	for (size_t i = 0; (row = cdn_floor_credential(i)) != NULL; i++)
		put_item(&closed, row->path);
	for (size_t i = 0; i < s->loaded_count; i++) {
		const struct cdn_roots *protect =
		    &s->loaded[i].policy->protect;

		for (size_t k = 0; k < protect->n; k++)
			put_item(&closed, protect->v[k].text.p);
	}
	for (size_t i = 0; i < s->protect_count; i++)
		put_item(&closed, s->protect[i]);
	end_list(&closed);
	cdn_buf_puts(out, "- Never modifiable:");
	for (size_t i = 0; (row = cdn_floor_system(i)) != NULL; i++)
		put_item(&fixed, row->path);
	end_list(&fixed);
}

static const char *const networks[] = {
	[CDN_NETWORK_UNSET] = "none",
	[CDN_NETWORK_NONE] = "none",
	[CDN_NETWORK_LOOPBACK] = "loopback only",
	[CDN_NETWORK_FULL] = "open",
	[CDN_NETWORK_LIST] = "some addresses only",
};

static void
put_notice(struct cdn_buf *out, const struct cordon_session *s)
{
	struct list workspace = { out, 0 };

	cdn_buf_puts(out, head);
	cdn_buf_puts(out, "- Workspace:");
	put_item(&workspace, s->workspace);
	end_list(&workspace);
	put_operation(out, s, CORDON_READ, "Readable");
	put_operation(out, s, CORDON_MODIFY, "Modifiable");
	put_outside(out, s);
	cdn_buf_printf(out, "- Network: %s\n",
	    networks[cdn_decide_network(s->authority)]);
	if (s->own.home[0] != '\0')
		cdn_buf_puts(out, "- HOME is a private directory that stays; "
		    "temporary files belong in $TMPDIR.\n");
	put_floor(out, s);
	cdn_buf_puts(out, tail);
}

int
cordon_session_notice(const struct cordon_session *session, char **ret,
    struct cordon_error *err)
{
	struct cdn_buf buf;

	CDN_NEED(session, err);
	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	put_notice(&buf, session);
	return cdn_api_give(cdn_buf_failed(&buf) ? cdn_err_nomem(err) : 0,
	    &buf, ret, err);
}
