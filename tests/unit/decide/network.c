/*
 * The network: who has a say, and sockets by name.
 */
#include "engine/decide/decide.h"

#include "support/world.h"

#define PROCESS CORDON_AS_PROCESS
#define AGENT	CORDON_AS_AGENT
#define POLICY	CORDON_AS_POLICY
#define HOST	CORDON_LAYER_HOST
#define USER	CORDON_LAYER_USER
#define PROJECT CORDON_LAYER_PROJECT
#define WORKDIR CORDON_LAYER_WORKDIR
#define PRESET	CORDON_LAYER_PRESET

#define NET(word) "  fsProfiles: {dev: {read: [\"**\"], network: " word "}}\n"
#define NO_NET	  "  fsProfiles: {dev: {read: [\"**\"], modify: [\"m/**\"]}}\n"

struct row {
	enum cordon_as as;
	enum cordon_op op;
	const char *endpoint;
	bool allowed;
	enum cordon_layer layer;
	const char *matched;
	bool is_own;
};

/* clang-format off */
static const struct {
	const char *what;
	struct world_spec spec;
	struct row rows[10];
} worlds[] = {
	{ "a silent profile has the preset's default", { .profile = "dev",
	    .documents = { { USER, true, NO_NET } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", false, USER, "[]" },
	    { POLICY,  CORDON_CONNECT, "a.org:1", false, USER, "[]" } } },
	{ "and no inner document opens what it leaves closed", {
	    .profile = "dev",
	    .documents = { { HOST, true, NO_NET },
		{ USER, true, NET("full") } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", false, HOST, "[]" } } },
	{ "nor does the command line", { .profile = "dev", .network = "full",
	    .documents = { { HOST, true, NO_NET } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", false, HOST, "[]" } } },
	{ "protect is open", { .profile = "dev",
	    .preset = CORDON_PRESET_PROTECT,
	    .documents = { { USER, true, NO_NET } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", true, USER, "full" },
	    { PROCESS, CORDON_BIND,    "127.0.0.1:1", true, USER, "full" } } },
	{ "a document instead of the preset", { .profile = "dev",
	    .documents = { { USER, true, NET("[a.org]") } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", true, USER, "a.org:*" },
	    { AGENT,   CORDON_BIND,    "a.org:1", true, USER, "a.org:*" },
	    { PROCESS, CORDON_CONNECT, "b.org:1", false, USER,
	      "<no matching rule>" },
	    { POLICY,  CORDON_CONNECT, "a.org:1", true, USER, "a.org:*" } } },
	{ "all documents must allow", { .profile = "dev",
	    .documents = { { HOST, true, NET("loopback") },
		{ USER, true, NET("full") } } },
	  { { PROCESS, CORDON_CONNECT, "127.0.0.1:1", true, USER, "full" },
	    { PROCESS, CORDON_CONNECT, "a.org:1", false, HOST,
	      "<no matching rule>" } } },
	{ "an untrusted one only narrows", { .profile = "dev",
	    .documents = { { USER, true, NET("full") },
		{ PROJECT, false, NET("[a.org]") } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", true, PROJECT, "a.org:*" },
	    { PROCESS, CORDON_CONNECT, "b.org:1", false, PROJECT,
	      "<no matching rule>" } } },
	{ "and opens nothing", { .profile = "dev",
	    .documents = { { USER, true, NO_NET },
		{ PROJECT, false, NET("full") } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", false, USER, "[]" } } },
	{ "the command line instead of all but the host", { .profile = "dev",
	    .network = "full",
	    .documents = { { HOST, true, NET("loopback") },
		{ USER, true, NET("none") } } },
	  { { PROCESS, CORDON_CONNECT, "127.0.0.1:1", true, WORKDIR, "full" },
	    { PROCESS, CORDON_CONNECT, "a.org:1", false, HOST,
	      "<no matching rule>" } } },
	{ "and closes what a document opens", { .profile = "dev",
	    .network = "none",
	    .documents = { { USER, true, NET("full") } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", false, WORKDIR, "[]" } } },
	{ "as a list", { .profile = "dev", .network = "a.org:*",
	    .documents = { { USER, true, NET("none") } } },
	  { { PROCESS, CORDON_CONNECT, "a.org:1", true, WORKDIR, "a.org:*" },
	    { PROCESS, CORDON_CONNECT, "b.org:1", false, WORKDIR,
	      "<no matching rule>" } } },

	/* Sockets. */
	{ "a socket that the profile names", { .profile = "dev",
	    .documents = { { USER, true, "  fsProfiles: {dev: {read: "
		"[\"**\"], modify: [\"m/**\"], sockets: [/run/s]}}\n" } } },
	  { { PROCESS, CORDON_CONNECT, "/run/s", true, USER, "/run/s" },
	    { AGENT,   CORDON_CONNECT, "/run/s", true, USER, "/run/s" },
	    { PROCESS, CORDON_BIND,    "/run/s", false, WORKDIR,
	      "<outside workspace>" },
	    { PROCESS, CORDON_CONNECT, "/run/t", false, WORKDIR,
	      "<outside workspace>" },
	    /* Its own servers, where it may modify; not those of others. */
	    { PROCESS, CORDON_CONNECT, "/w/m/s", true, USER, "m/**", true },
	    { PROCESS, CORDON_CONNECT, "/w/m/s", false, WORKDIR, "[]" },
	    { PROCESS, CORDON_CONNECT, "/w/s", false, USER,
	      "<no matching rule>", true },
	    { PROCESS, CORDON_BIND,    "/w/m/s", true, USER, "m/**" },
	    { PROCESS, CORDON_CONNECT, "/w/s", false, USER,
	      "<no matching rule>" } } },
	{ "all documents must name it", { .profile = "dev",
	    .documents = {
		{ HOST, true, "  fsProfiles: {dev: {read: [\"**\"], "
		    "sockets: [/run/s]}}\n" },
		{ PROJECT, false, "  fsProfiles: {dev: {read: [\"**\"], "
		    "sockets: [/run/s, /run/t]}}\n" } } },
	  { { PROCESS, CORDON_CONNECT, "/run/s", true, HOST, "/run/s" },
	    { PROCESS, CORDON_CONNECT, "/run/t", false, WORKDIR,
	      "<outside workspace>" } } },
};

/* The network as a whole, and how many keys have a say in it. */
static const struct {
	const char *what;
	struct world_spec spec;
	enum cdn_network_mode want;
	size_t keys;
} wholes[] = {
	{ "the preset alone", { .profile = NULL }, CDN_NETWORK_NONE, 1 },
	{ "protect", { .preset = CORDON_PRESET_PROTECT }, CDN_NETWORK_FULL, 1 },
	{ "a document instead of it", { .profile = "dev",
	    .documents = { { USER, true, NET("loopback") } } },
	  CDN_NETWORK_LOOPBACK, 1 },
	{ "an untrusted one beside it", { .profile = "dev",
	    .documents = { { PROJECT, false, NET("full") } } },
	  CDN_NETWORK_NONE, 2 },
	{ "none wins", { .profile = "dev",
	    .documents = { { HOST, true, NET("none") },
		{ USER, true, NET("full") } } }, CDN_NETWORK_NONE, 2 },
	{ "full gives way", { .profile = "dev",
	    .documents = { { HOST, true, NET("full") },
		{ USER, true, NET("[a.org]") } } }, CDN_NETWORK_LIST, 2 },
	{ "loopback and a list must be asked", { .profile = "dev",
	    .documents = { { HOST, true, NET("loopback") },
		{ USER, true, NET("[a.org]") } } }, CDN_NETWORK_LIST, 2 },
	{ "twice loopback", { .profile = "dev",
	    .documents = { { HOST, true, NET("loopback") },
		{ USER, true, NET("loopback") } } }, CDN_NETWORK_LOOPBACK, 2 },
	{ "the command line instead of the user", { .profile = "dev",
	    .network = "full",
	    .documents = { { USER, true, NET("none") } } },
	  CDN_NETWORK_FULL, 1 },
	{ "but not instead of the host", { .profile = "dev",
	    .network = "full",
	    .documents = { { HOST, true, NET("loopback") } } },
	  CDN_NETWORK_LOOPBACK, 2 },
};
/* clang-format on */

/* Whose UDP sockets belong to the loopback interface. */
static const struct {
	const char *network;
	bool local;
} locals[] = {
	{ "none", false }, { "full", false }, { "loopback", true },
	{ "['127.0.0.1:53']", true }, { "['127.0.0.1', '[::1]:80']", true },
	{ "['127.0.0.1', '!10.0.0.1']", true },
	{ "['127.0.0.1', '10.0.0.1:53']", false }, { "['*:53']", false },
	{ "[a.org]", false },
};

static void
test_locals(void)
{
	for (size_t i = 0; i < CDN_LEN(locals); i++) {
		char text[256];
		struct world_spec spec = { .profile = "dev",
			.documents = { { USER, true, text } } };
		struct world w;

		snprintf(text, sizeof(text),
		    "  fsProfiles: {dev: {read: [\"**\"], network: %s}}\n",
		    locals[i].network);
		world_make(&w, &spec);
		ok_f(cdn_decide_network_is_local(w.authority) ==
		    locals[i].local, "network: %s is%s local",
		    locals[i].network, locals[i].local ? "" : " not");
		world_done(&w);
	}
}

static void
count_key(enum cordon_layer layer, const struct cdn_network_set *network,
    void *arg)
{
	size_t *count = arg;

	(void)layer;
	*count += network != NULL;
}

static void
test_wholes(void)
{
	for (size_t i = 0; i < CDN_LEN(wholes); i++) {
		size_t keys = 0;
		struct world w;

		world_make(&w, &wholes[i].spec);
		cdn_decide_network_keys(w.authority, count_key, &keys);
		ok_f(cdn_decide_network(w.authority) == wholes[i].want &&
		    keys == wholes[i].keys, "as a whole: %s", wholes[i].what);
		world_done(&w);
	}
}

static struct cordon_verdict
ask(const struct world *w, const struct row *row)
{
	struct cdn_question q = { .as = row->as, .op = row->op,
		.path = cdn_str_of(row->endpoint),
		.is_socket = strchr(row->endpoint, '/') != NULL,
		.is_own = row->is_own };
	struct cordon_verdict verdict = { 0 };

	cdn_decide(w->authority, &q, &verdict);
	return verdict;
}

int
main(void)
{
	test_wholes();
	test_locals();
	for (size_t i = 0; i < CDN_LEN(worlds); i++) {
		struct world w;

		world_make(&w, &worlds[i].spec);
		for (size_t k = 0; k < CDN_LEN(worlds[i].rows); k++) {
			const struct row *row = &worlds[i].rows[k];
			struct cordon_verdict v;

			if (row->endpoint == NULL)
				break;
			v = ask(&w, row);
			if (!ok_f(v.allowed == row->allowed &&
				v.layer == row->layer &&
				strcmp(v.matched_rule, row->matched) == 0,
				"%s: as %s, %s %s: %s by %s (%s)",
				worlds[i].what, cordon_as_name(row->as),
				cordon_op_name(row->op), row->endpoint,
				row->allowed ? "allow" : "deny", row->matched,
				cordon_layer_name(row->layer)))
				printf("# got %s by %s (%s)\n", v.allowed ?
				    "allow" : "deny", v.matched_rule,
				    cordon_layer_name(v.layer));
		}
		world_done(&w);
	}
	return done_testing();
}
