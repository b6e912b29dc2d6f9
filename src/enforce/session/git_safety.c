#include "enforce/session/git_safety.h"

#include "base/buf.h"
#include "enforce/home/gitconfig.h"
#include "enforce/store/store.h"

static void
take_value(const char *key, cdn_str value, void *arg)
{
	bool *explicit = arg;

	if (strcmp(key, "barerepository") == 0)
		*explicit = cdn_str_is(value, "explicit");
}

/* The last file that sets it wins; one that cannot be read sets nothing. */
static int
read_file(const char *dir, const char *name, bool *explicit)
{
	char file[CDN_PATH_MAX + 1];
	struct cdn_buf text;
	int n = snprintf(file, sizeof(file), "%s/%s", dir, name);
	int code;

	if (dir[0] != '/' || n < 0 || (size_t)n >= sizeof(file))
		return 0;
	cdn_buf_init(&text, CDN_AGENT_FILE_MAX);
	code = cdn_store_read(file, CDN_AGENT_FILE_MAX, true, &text, NULL);
	if (code == 0)
		code = cdn_gitconfig_leading((cdn_str){ text.p, text.n },
		    take_value, explicit, NULL);
	cdn_buf_done(&text);
	return code == CORDON_E_NOMEM ? code : 0;
}

int
cdn_git_refuses_bare(const struct cdn_places *places, bool *ret)
{
	char config[CDN_PATH_MAX + 1] = "";
	const char *last = strrchr(places->config, '/');
	int code;

	/* Beside CONFIG/cordon, which need not be there. */
	if (last != NULL)
		snprintf(config, sizeof(config), "%.*s",
		    (int)(last - places->config), places->config);
	*ret = false;
	code = read_file("/etc", "gitconfig", ret);
	if (code == 0)
		code = read_file(config, "git/config", ret);
	return code != 0 ? code : read_file(places->home, ".gitconfig", ret);
}
