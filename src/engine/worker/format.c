/*
 * format - a worker as one JSON object, which is YAML that loads again.
 */
#include "engine/worker/worker.h"

#include "base/json.h"

static void
put_text(struct cdn_json_writer *w, const char *key, cdn_str text)
{
	if (text.n == 0)
		return;
	cdn_json_put_key(w, key);
	cdn_json_put_string(w, text);
}

static void
put_said(struct cdn_json_writer *w, const char *key, enum cdn_said said)
{
	if (said == CDN_UNSAID)
		return;
	cdn_json_put_key(w, key);
	cdn_json_put_bool(w, said == CDN_SAID_YES);
}

static void
put_number(struct cdn_json_writer *w, const char *key,
    const struct cdn_worker_number *number)
{
	if (!number->given)
		return;
	cdn_json_put_key(w, key);
	cdn_json_put_uint(w, number->value);
}

static void
put_texts(struct cdn_json_writer *w, const char *key,
    const struct cdn_worker_texts *texts)
{
	if (!texts->given)
		return;
	cdn_json_put_key(w, key);
	cdn_json_open(w, '[');
	for (size_t i = 0; i < texts->n; i++)
		cdn_json_put_string(w, texts->v[i]);
	cdn_json_close(w);
}

static void
open_key(struct cdn_json_writer *w, const char *key, char bracket)
{
	cdn_json_put_key(w, key);
	cdn_json_open(w, bracket);
}

static void
put_paths(struct cdn_json_writer *w, const struct cordon_worker *worker)
{
	if (!worker->has_paths)
		return;
	open_key(w, "paths", '{');
	for (size_t i = 0; i < worker->path_count; i++) {
		const struct cdn_worker_path *path = &worker->paths[i];

		open_key(w, path->id.p, '{');
		put_text(w, "root", path->root);
		put_text(w, "mode",
		    path->write ? CDN_STR("rw") : CDN_STR("ro"));
		put_texts(w, "suffixes", &path->suffixes);
		put_number(w, "max_file_bytes", &path->max_file_bytes);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

static void
put_rules(struct cdn_json_writer *w, const struct cordon_worker *worker)
{
	if (!worker->has_rules)
		return;
	open_key(w, "shell_rules", '[');
	for (size_t i = 0; i < worker->rule_count; i++) {
		const struct cdn_worker_rule *rule = &worker->rules[i];

		cdn_json_open(w, '{');
		put_text(w, "pattern", rule->pattern);
		put_said(w, "approval_required", rule->approval_required);
		open_key(w, "grants", '{');
		put_said(w, "network", rule->grants.network);
		put_texts(w, "read", &rule->grants.read);
		put_texts(w, "write", &rule->grants.write);
		put_texts(w, "sockets", &rule->grants.sockets);
		cdn_json_close(w);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

static void
put_approval(struct cdn_json_writer *w, const char *key, enum cdn_said said)
{
	open_key(w, key, '{');
	put_said(w, "approval_required", said);
	cdn_json_close(w);
}

static void
put_tools(struct cdn_json_writer *w, const struct cordon_worker *worker)
{
	if (worker->tool_count == 0)
		return;
	open_key(w, "tool_rules", '{');
	for (size_t i = 0; i < worker->tool_count; i++)
		put_approval(w, worker->tools[i].name.p,
		    worker->tools[i].approval_required);
	cdn_json_close(w);
}

static void
put_modules(struct cdn_json_writer *w, const struct cordon_worker *worker)
{
	if (worker->module_count == 0)
		return;
	open_key(w, "modules", '{');
	for (size_t i = 0; i < worker->module_count; i++) {
		const struct cdn_worker_module *module = &worker->modules[i];

		open_key(w, module->name.p, '{');
		open_key(w, "constraints", '{');
		put_said(w, "unrestricted", module->unrestricted);
		put_texts(w, "allowed_paths", &module->allowed_paths);
		cdn_json_close(w);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

static void
put_worker(struct cdn_json_writer *w, const struct cordon_worker *worker)
{
	put_text(w, "name", worker->name);
	put_text(w, "description", worker->description);
	put_text(w, "fsProfile", worker->fs_profile);
	open_key(w, "executor", '{');
	cdn_json_put_key(w, "sandbox");
	cdn_json_put_cstring(w, cdn_executor_name(worker->executor));
	put_said(w, "allow_fallback", worker->allow_fallback);
	cdn_json_close(w);
	open_key(w, "sandbox", '{');
	put_paths(w, worker);
	put_said(w, "network", worker->network);
	put_said(w, "require_os_sandbox", worker->require_os_sandbox);
	cdn_json_close(w);
	open_key(w, "attachment_policy", '{');
	put_number(w, "max_count", &worker->max_count);
	put_number(w, "max_total_bytes", &worker->max_total_bytes);
	cdn_json_close(w);
	put_tools(w, worker);
	put_rules(w, worker);
	if (worker->default_approval != CDN_UNSAID)
		put_approval(w, "shell_default", worker->default_approval);
	put_texts(w, "programs", &worker->programs);
	put_modules(w, worker);
}

int
cdn_worker_format(const struct cordon_worker *worker, struct cdn_buf *out,
    struct cordon_error *err)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	put_worker(&w, worker);
	cdn_json_close(&w);
	return cdn_json_end(&w) ? 0 : cdn_err_nomem(err);
}
