/*
 * The agent that is run: its own to its processes, nobody's to tools; and the
 * table itself.
 */
#include "engine/decide/agents.h"

#include "support/world.h"

static const struct world_spec running = {
	.workspace = "/home/u/w",
	.read = "/home",
	.kept = "/home/u/.claude /home/u/w/kept",
	.closed = "/home/u/.codex /home/u/.claude/private",
	.sealed = "/home/u/.claude/settings.json /home/u/.claude/plugins",
	.own = "/home/u/.claude/plugins/store",
	.runtime_write = "/home/u/.claude",
	.agent = "<agent claude>",
};

static const struct {
	const char *path;
	bool read, modify; /* of a process */
	bool named;	   /* by an agent, to read it */
} rows[] = {
	{ "/home/u/.claude", true, true, false },
	{ "/home/u/.claude/projects/a", true, true, false },
	{ "/home/u/.claude/.credentials.json", true, true, false },
	{ "/home/u/.claude/settings.json", true, false, false },
	{ "/home/u/.claude/plugins/a", true, false, false },
	{ "/home/u/.claude/plugins/store/a", true, true, false },
	{ "/home/u/.claude/private", false, false, false },
	{ "/home/u/.codex/auth.json", false, false, false },
	{ "/home/u/w/kept/a", true, true, false },
	{ "/home/u/w/a", true, true, true },
	{ "/home/u/b", true, false, true },
};

static bool
allowed(const struct world *w, enum cordon_as as, enum cordon_op op,
    const char *path)
{
	struct cdn_question q = { .as = as, .op = op,
		.path = cdn_str_of(path) };
	struct cordon_verdict v;

	cdn_decide(w->authority, &q, &v);
	return v.allowed;
}

static void
paths(const struct world *w)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const char *path = rows[i].path;

		ok_f(allowed(w, CORDON_AS_PROCESS, CORDON_READ, path) ==
		    rows[i].read && allowed(w, CORDON_AS_PROCESS,
		    CORDON_MODIFY, path) == rows[i].modify,
		    "a process: %s", path);
		ok_f(allowed(w, CORDON_AS_AGENT, CORDON_READ, path) ==
		    rows[i].named, "an agent: %s", path);
	}
}

static void
trees(const struct world *w)
{
	struct cordon_verdict v;

	ok(cdn_decide_subtree(w->authority, CORDON_AS_PROCESS, CORDON_READ,
	    CDN_STR("/home/u/w")) == CDN_SUBTREE_ALLOW,
	    "a process reads all of the workspace");
	ok(cdn_decide_subtree(w->authority, CORDON_AS_AGENT, CORDON_READ,
	    CDN_STR("/home/u/w")) == CDN_SUBTREE_MIXED,
	    "an agent does not");
	ok(cdn_decide_same(w->authority, CORDON_AS_PROCESS,
	    CDN_STR("/home/u/w/kept"), CDN_STR("/home/u/w/b")) &&
	    !cdn_decide_same(w->authority, CORDON_AS_AGENT,
	    CDN_STR("/home/u/w/kept"), CDN_STR("/home/u/w/b")),
	    "and for it what is moved away from there is not the same");
	ok(cdn_decide_compound(w->authority, CORDON_AS_AGENT, CDN_SYMLINK,
	    CDN_STR("/home/u/w/b"), CDN_STR("/home/u/w/kept"), &v) ==
	    CDN_COMPOUND_DENY && cdn_decide_compound(w->authority,
	    CORDON_AS_PROCESS, CDN_SYMLINK, CDN_STR("/home/u/w/b"),
	    CDN_STR("/home/u/w/kept/link"), &v) == CDN_COMPOUND_ALLOW,
	    "nor does it make a link there");
}

static void
explained(enum cordon_layer layer, const struct cdn_rule *rule, void *arg)
{
	size_t *n = arg;

	*n += layer == CORDON_LAYER_FLOOR &&
	    cdn_str_is(rule->pattern, "/home/u/.claude");
}

static void
explains(const struct world *w)
{
	struct cdn_question q = { .as = CORDON_AS_AGENT, .op = CORDON_READ,
		.path = CDN_STR("/home/u/.claude/a") };
	size_t agent = 0, process = 0;

	cdn_decide_explain(w->authority, &q, explained, &agent);
	q.as = CORDON_AS_PROCESS;
	cdn_decide_explain(w->authority, &q, explained, &process);
	ok(agent == 1 && process == 0, "the rule is told to whom it holds");
}

static void
network(const char *option, const char *profile, enum cdn_network_mode wanted)
{
	struct world_spec spec = running;
	struct world w;

	spec.network = option;
	if (profile != NULL) {
		spec.profile = "dev";
		spec.documents[0].layer = CORDON_LAYER_USER;
		spec.documents[0].trusted = true;
		spec.documents[0].spec = profile;
	}
	world_make(&w, &spec);
	ok_f(cdn_decide_network(w.authority) == wanted, "network: %s, %s",
	    option == NULL ? "-" : option, profile == NULL ? "-" : profile);
	world_done(&w);
}

/* ----- The table ---------------------------------------------------------------- */

static bool
is_on_floor(const char *path)
{
	const struct cdn_floor_row *row;

	for (size_t i = 0; (row = cdn_floor_credential(i)) != NULL; i++)
		if (strcmp(row->path, path) == 0)
			return true;
	return false;
}

/* Copies and credentials lie in the state, or right in the home. */
static bool
is_in_state(const struct cdn_agent *agent, const char *path)
{
	for (size_t i = 0; i < agent->place_count; i++) {
		size_t n = strlen(agent->places[i].row.path);

		if (strncmp(path, agent->places[i].row.path, n) == 0 &&
		    (path[n] == '/' || path[n] == '\0'))
			return true;
	}
	return false;
}

static bool
has_good_files(const struct cdn_agent *agent)
{
	bool good = true;

	for (size_t i = 0; agent->copied[i] != NULL; i++)
		good &= is_in_state(agent, agent->copied[i]);
	for (size_t i = 0; i < agent->login_count; i++)
		good &= is_in_state(agent, agent->logins[i].path);
	for (size_t i = 0; agent->moves[i] != NULL; i++)
		good &= strchr(agent->moves[i], '=') != NULL;
	for (size_t i = 0; agent->spread[i] != NULL; i++)
		good &= cdn_agent_obeys(agent, agent->spread[i]);
	return good;
}

/* Data, or executed by the agent: never shown to a run. */
static void
private_names(void)
{
	static const struct {
		const char *agent, *name;
	} names[] = {
		{ "claude", "projects" }, { "claude", "ide" },
		{ "claude", "chrome" }, { "claude", "history.jsonl" },
		{ "claude", ".credentials.json" }, { "codex", "sessions" },
		{ "codex", ".tmp" }, { "codex", "policy" },
		{ "codex", "auth.json" }, { "codex", "state_5.sqlite" },
		{ "gemini", "history" }, { "gemini", "antigravity" },
		{ "gemini", "tmp" }, { "gemini", "oauth_creds.json" },
		{ "opencode", "snapshot" }, { "opencode", "auth.json" },
	};

	for (size_t i = 0; i < CDN_LEN(names); i++)
		ok_f(!cdn_agent_obeys(cdn_agent_find(names[i].agent),
		    names[i].name), "%s: %s is not linked", names[i].agent,
		    names[i].name);
	ok(cdn_agent_obeys(cdn_agent_find("claude"), "a.md") &&
	    cdn_agent_obeys(cdn_agent_find("claude"), "settings.a.json") &&
	    !cdn_agent_obeys(cdn_agent_find("claude"), "settings.json.b"),
	    "a star stands for anything");
}

static void
table(void)
{
	static const char *const obeyed[] = { "settings.json", "hooks",
		"CLAUDE.md", "AGENTS.md", "GEMINI.md", "agents", "commands",
		"skills", "plugins", "mcp.json" };
	const struct cdn_agent *agent;

	for (size_t i = 0; (agent = cdn_agent(i)) != NULL; i++) {
		bool good = agent->place_count > 0 &&
		    agent->places[0].kind == CDN_AGENT_DIR;
		size_t found = 0;
		const char *name;

		for (size_t k = 0; k < agent->place_count; k++)
			good &= is_on_floor(agent->places[k].row.path) &&
			    strncmp(agent->places[k].row.path, "~/", 2) == 0;
		good &= has_good_files(agent);
		for (size_t k = 0; agent->set[k] != NULL; k++)
			good &= strchr(agent->set[k], '=') != NULL;
		for (size_t k = 0; (name = cdn_agent_obeyed(agent, k)) != NULL;
		     k++)
			for (size_t m = 0; m < CDN_LEN(obeyed); m++)
				found += strcmp(name, obeyed[m]) == 0;
		ok_f(good && found == CDN_LEN(obeyed), "the row of %s",
		    agent->name);
		ok_f(cdn_agent_find(agent->name) == agent, "%s is found",
		    agent->name);
	}
	ok(cdn_agent_find("cat") == NULL && cdn_agent_find("") == NULL,
	    "nobody else is");
}

int
main(void)
{
	struct world w;

	world_make(&w, &running);
	paths(&w);
	trees(&w);
	explains(&w);
	world_done(&w);
	network(NULL, NULL, CDN_NETWORK_FULL);
	network("none", NULL, CDN_NETWORK_NONE);
	network("loopback", NULL, CDN_NETWORK_LOOPBACK);
	network(NULL, "  fsProfiles: {dev: {read: ['**']}}\n",
	    CDN_NETWORK_FULL);
	network(NULL, "  fsProfiles: {dev: {read: ['**'], network: none}}\n",
	    CDN_NETWORK_NONE);
	network(NULL, "  fsProfiles: {dev: {read: ['**'], network: "
	    "loopback}}\n", CDN_NETWORK_LOOPBACK);
	table();
	private_names();
	return done_testing();
}
