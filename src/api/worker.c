#include "api/api.h"

#include "enforce/store/store.h"
#include "engine/worker/worker.h"

static int
load(const char *file, enum cdn_worker_mode mode, struct cordon_diags *diags,
    struct cordon_worker **ret, struct cordon_error *err)
{
	struct cdn_buf bytes;
	int code = cdn_store_read(file, CDN_DOCUMENT_MAX, true, &bytes, err);

	if (code != 0)
		return code;
	code = cdn_worker_parse((cdn_str){ bytes.p, bytes.n }, file, mode,
	    diags, ret, err);
	cdn_buf_done(&bytes);
	if (code == 0)
		(*ret)->is_file = true;
	return code;
}

int
cordon_worker_load(const char *file, struct cordon_diags *diags,
    struct cordon_worker **ret, struct cordon_error *err)
{
	CDN_NEED(file, err);
	CDN_NEED(ret, err);
	return load(file, CDN_WORKER_NOW, diags, ret, err);
}

int
cordon_worker_parse(const char *text, size_t len, const char *source,
    struct cordon_diags *diags, struct cordon_worker **ret,
    struct cordon_error *err)
{
	CDN_NEED(text, err);
	CDN_NEED(source, err);
	CDN_NEED(ret, err);
	return cdn_worker_parse((cdn_str){ text, len }, source, CDN_WORKER_NOW,
	    diags, ret, err);
}

static const struct {
	const char *name;
	const char *text;
} presets[] = {
	{ "read-only",
	    "name: read-only\n"
	    "description: reads everything, changes nothing\n"
	    "sandbox:\n"
	    "  paths:\n"
	    "    host: {root: /, mode: ro}\n"
	    "  network: false\n" },
	{ "workspace-write",
	    "name: workspace-write\n"
	    "description: reads everything, changes the workspace and /tmp\n"
	    "sandbox:\n"
	    "  paths:\n"
	    "    host: {root: /, mode: ro}\n"
	    "    workspace: {root: ., mode: rw}\n"
	    "    tmp: {root: /tmp, mode: rw}\n"
	    "  network: false\n" },
	{ "full-access",
	    "name: full-access\n"
	    "description: everything but the floor\n"
	    "sandbox:\n"
	    "  paths:\n"
	    "    host: {root: /, mode: rw}\n"
	    "  network: true\n" },
};

const char *
cordon_worker_preset(const char *name)
{
	for (size_t i = 0; name != NULL && i < CDN_LEN(presets); i++)
		if (strcmp(presets[i].name, name) == 0)
			return presets[i].text;
	return NULL;
}

void
cordon_worker_free(struct cordon_worker *worker)
{
	cdn_worker_free(worker);
}

const char *
cordon_worker_name(const struct cordon_worker *worker)
{
	return worker->name.p;
}

const char *
cordon_worker_digest(const struct cordon_worker *worker)
{
	return worker->digest;
}

int
cordon_worker_format(const struct cordon_worker *worker, char **ret,
    struct cordon_error *err)
{
	struct cdn_buf buf;
	int code;

	CDN_NEED(worker, err);
	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	code = cdn_worker_format(worker, &buf, err);
	return cdn_api_give(code, &buf, ret, err);
}

int
cordon_worker_schema(char **ret, struct cordon_error *err)
{
	struct cdn_buf buf;

	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	return cdn_api_give(cdn_worker_schema(&buf, err), &buf, ret, err);
}

int
cordon_worker_migrate(const char *file, struct cordon_diags *diags,
    char **ret, struct cordon_error *err)
{
	struct cordon_worker *worker;
	int code;

	CDN_NEED(file, err);
	CDN_NEED(ret, err);
	code = load(file, CDN_WORKER_OLD, diags, &worker, err);
	if (code != 0)
		return code;
	code = cordon_worker_format(worker, ret, err);
	cdn_worker_free(worker);
	return code;
}

int
cordon_worker_fits(const struct cordon_worker *parent,
    const struct cordon_worker *child, struct cordon_error *err)
{
	CDN_NEED(parent, err);
	CDN_NEED(child, err);
	return cdn_worker_fits(parent, child, err);
}
