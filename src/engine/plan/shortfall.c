/*
 * shortfall - what cannot be held here, as a table.
 *
 * Each row asks one question of the host or of the regions.  Its id is stable:
 * scripts look for it.  "Stricter" means that more is refused than was asked
 * for, which is said but stands in nobody's way.
 */
#include "engine/plan/build.h"

typedef bool applies_fn(const struct cdn_plan_build *b);

/* ----- Landlock ---------------------------------------------------------- */

static bool
no_landlock(const struct cdn_plan_build *b)
{
	return b->in->host->landlock_abi <= 0;
}

static bool
older_than(const struct cdn_plan_build *b, int abi)
{
	return b->in->host->landlock_abi > 0 && b->in->host->landlock_abi < abi;
}

static bool
no_refer(const struct cdn_plan_build *b)
{
	return older_than(b, 2);
}

/* In modes B and C the broker sees every truncate. */
static bool
no_truncate(const struct cdn_plan_build *b)
{
	return older_than(b, 3) && b->plan->mode < CDN_PLAN_MODE_B;
}

/* The filter lets only those through that are no device's. */
static bool
no_device_ioctl(const struct cdn_plan_build *b)
{
	return older_than(b, 5) && !b->in->host->seccomp_filter;
}

/* With a broker every connect is judged. */
static bool
no_abstract(const struct cdn_plan_build *b)
{
	return older_than(b, 6) && b->plan->unix_sockets == CDN_PLAN_UNIX_NONE;
}

/* With a broker every signal is. */
static bool
no_signals(const struct cdn_plan_build *b)
{
	return older_than(b, 6) && b->plan->mode == CDN_PLAN_MODE_NONE;
}

/* ----- seccomp and the broker -------------------------------------------- */

static bool
no_seccomp(const struct cdn_plan_build *b)
{
	return !b->in->host->seccomp_filter;
}

static bool
yama(const struct cdn_plan_build *b)
{
	return b->plan->mode != CDN_PLAN_MODE_NONE &&
	    b->in->host->yama_scope >= 2;
}

static bool
interrupted(const struct cdn_plan_build *b)
{
	return b->plan->mode != CDN_PLAN_MODE_NONE &&
	    !b->in->host->notify_wait_killable;
}

/* Given to the kernel although the policy makes a difference in it. */
static bool
given_away(const struct cdn_plan_build *b, enum cordon_op op)
{
	for (size_t i = 0; i < b->region_count; i++) {
		const struct cdn_region *region = &b->regions[i];

		if (region->kind != region->held &&
		    (region->held == CDN_REGION_OPEN ||
			region->held == CDN_REGION_FIXED) &&
		    (op == CORDON_MODIFY ?
			    region->says[op] == CDN_SUBTREE_MIXED :
			    region->says[op] != CDN_SUBTREE_ALLOW))
			return true;
	}
	return false;
}

static bool
unjudged_modify(const struct cdn_plan_build *b)
{
	return b->plan->caged && given_away(b, CORDON_MODIFY);
}

static bool
unjudged_read(const struct cdn_plan_build *b)
{
	return b->plan->caged && (given_away(b, CORDON_READ) ||
	    given_away(b, CORDON_EXEC));
}

static bool
no_one_to_ask(const struct cdn_plan_build *b)
{
	return !b->broker && b->plan->caged;
}

static bool
unjudged_metadata(const struct cdn_plan_build *b)
{
	return no_one_to_ask(b) && !b->plan->no_modify;
}

/* Own home and tmp could be modified, but not their metadata. */
static bool
refused_metadata(const struct cdn_plan_build *b)
{
	if (!no_one_to_ask(b) || !b->plan->no_modify)
		return false;
	for (size_t i = 0; i < b->region_count; i++)
		if (b->regions[i].held == CDN_REGION_OPEN)
			return true;
	return false;
}

static bool
refused_sockets(const struct cdn_plan_build *b)
{
	return no_one_to_ask(b) && (cdn_plan_named_sockets(b) ||
	    !b->plan->no_modify || refused_metadata(b));
}

static bool
refused_network(const struct cdn_plan_build *b)
{
	return !b->broker && cdn_plan_network_judged(
	    cdn_decide_network(b->in->authority));
}

static bool
refused_ptys(const struct cdn_plan_build *b)
{
	const struct cdn_region *ptmx = cdn_plan_around(b->plan, "/dev/ptmx");

	return no_one_to_ask(b) && ptmx != NULL &&
	    ptmx->kind == CDN_REGION_DEVICE;
}

/* ----- The policy -------------------------------------------------------- */

static bool
host_names(const struct cdn_plan_build *b)
{
	for (size_t i = 0; i < b->plan->rule_count; i++) {
		const struct cdn_plan_rule *row = &b->plan->rules[i];

		if (row->op == CORDON_CONNECT && row->by == CDN_BY_NOBODY &&
		    b->in->host->seccomp_filter)
			return true;
	}
	return false;
}

static bool
no_new_names(const struct cdn_plan_build *b)
{
	return b->no_new_names;
}

static bool
too_large(const struct cdn_plan_build *b)
{
	return b->too_large;
}

/* ----- All of them ------------------------------------------------------- */

#define WHOLE_DIRECTORIES \
	"write rules for whole directories that are there, or accept it with " \
	"'--enforcement degraded'"
#define ACCEPT "accept it with '--enforcement degraded'"

static const struct {
	const char *id;
	bool stricter;
	applies_fn *applies;
	const char *text;
	const char *remedy;
} table[] = {
	{ "landlock", false, no_landlock,
	    "this kernel has no Landlock: files are not confined at all",
	    "use Linux 5.13 or newer with 'landlock' in the list of lsm=" },
	{ "landlock-abi-2", true, no_refer,
	    "files cannot be renamed or linked from one directory to another",
	    "use Linux 5.19 or newer" },
	{ "landlock-abi-3", false, no_truncate,
	    "whatever the user owns can be truncated",
	    "use Linux 6.2 or newer" },
	{ "landlock-abi-5", false, no_device_ioctl,
	    "ioctls of devices that can be opened are not refused",
	    "use Linux 6.10 or newer" },
	{ "landlock-abi-6-abstract", true, no_abstract,
	    "abstract unix sockets are refused altogether",
	    "use Linux 6.12 or newer" },
	{ "landlock-abi-6-signals", false, no_signals,
	    "the user's other processes can be signalled",
	    "use Linux 6.12 or newer" },
	{ "seccomp", false, no_seccomp,
	    "this kernel has no seccomp filter: network, sockets and metadata "
	    "are not confined",
	    "use a kernel with CONFIG_SECCOMP_FILTER" },
	{ "yama", false, yama,
	    "the broker may not look at the calls it has to judge",
	    "set kernel.yama.ptrace_scope to 0 or 1" },
	{ "notify-wait", true, interrupted,
	    "a signal can interrupt a call that the broker performs",
	    "use Linux 5.19 or newer" },
	{ "broker-modify", false, unjudged_modify,
	    "a directory that may be modified in part can be modified as a "
	    "whole",
	    WHOLE_DIRECTORIES },
	{ "broker-read", false, unjudged_read,
	    "a directory that may be read or executed in part can be read and "
	    "executed as a whole",
	    WHOLE_DIRECTORIES },
	{ "broker-metadata", false, unjudged_metadata,
	    "modes, owners, times and attributes of whatever the user owns "
	    "can be changed",
	    "use a profile that modifies nothing, or " ACCEPT },
	{ "broker-metadata", true, refused_metadata,
	    "modes, owners, times and attributes cannot be changed anywhere, "
	    "not even in the run's own home and tmp",
	    "let files keep the mode they are made with" },
	{ "broker-sockets", true, refused_sockets,
	    "unix sockets with a path are refused altogether",
	    "let programs talk through pipes or a socketpair" },
	{ "broker-network", true, refused_network,
	    "nobody judges addresses: the network is closed altogether",
	    "use 'network: none' or 'network: full'" },
	{ "broker-pty", true, refused_ptys,
	    "no new terminals can be opened",
	    "give a program that needs one the terminal of the run" },
	{ "network-names", false, host_names,
	    "host names in 'network:' cannot be told from addresses",
	    "list literal addresses" },
	{ "new-names", true, no_new_names,
	    "nothing new can be made where a directory had to be granted entry "
	    "by entry", "make the directories of the policy before the run" },
	{ "too-large", true, too_large,
	    "a directory around protected files has too many entries to be "
	    "granted one by one: it is closed",
	    "declare the directories in it that are needed" },
};

bool
cdn_plan_shortfall(size_t i, struct cdn_shortfall *ret)
{
	if (i >= CDN_LEN(table))
		return false;
	*ret = (struct cdn_shortfall){ .id = table[i].id,
		.text = table[i].text,
		.remedy = table[i].remedy,
		.stricter = table[i].stricter };
	return true;
}

int
cdn_plan_find_shortfalls(struct cdn_plan_build *b)
{
	struct cdn_shortfall *v = cdn_arena_array(b->arena, CDN_LEN(table),
	    sizeof(*v));
	size_t n = 0;

	if (v == NULL)
		return cdn_err_nomem(b->err);
	for (size_t i = 0; i < CDN_LEN(table); i++)
		if (table[i].applies(b))
			(void)cdn_plan_shortfall(i, &v[n++]);
	b->plan->shortfalls = v;
	b->plan->shortfall_count = n;
	return 0;
}
