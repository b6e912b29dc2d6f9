/*
 * report - who holds a rule where the profile does, and what it does not hold.
 *
 * The plan was made for the directories and the kernel of this host; of it only
 * the rules are left.  The profile is no list of places but says of every path
 * what the decision function says, so there are no regions.
 */
#include "engine/seatbelt/seatbelt.h"

#include "base/arena.h"
#include "engine/plan/plan.h"

#define NATIVE "use '--backend native' on Linux, which judges what is moved"

enum { MOVES, NAMES, SOCKETS, PROCESSES, HOSTS, LISTED, ROWS };

static const struct cdn_shortfall table[ROWS] = {
	[MOVES] = { "seatbelt-moves",
	    "of a rename both names are judged, not what is moved: what may be "
	    "modified at both can be moved to where another rule holds for it",
	    NATIVE },
	[NAMES] = { "seatbelt-names",
	    "a file with several names (hard links) is judged by the one that "
	    "is used, whatever is said of the others",
	    "copy files that are denied instead of linking them" },
	[SOCKETS] = { "seatbelt-sockets",
	    "with an open network every unix socket can be connected to",
	    "use 'network: none' or 'network: loopback'" },
	[PROCESSES] = { "seatbelt-processes",
	    "the user's other processes can be signalled, and services (Mach, "
	    "System V IPC) be used", "stop what should not be reached",
	    .accepted = true },
	[HOSTS] = { "seatbelt-hosts",
	    "a list of hosts is closed: Seatbelt knows none but this one",
	    "use 'network: full' or 'network: loopback'", .stricter = true },
	[LISTED] = { "seatbelt-listed",
	    "unix sockets that the policy lists are refused",
	    "let programs talk through pipes or a socketpair",
	    .stricter = true },
};

bool
cdn_seatbelt_shortfall(size_t i, struct cdn_shortfall *ret)
{
	if (i >= ROWS)
		return false;
	*ret = table[i];
	return true;
}

/* One by its path, not a host. */
static bool
is_socket(const struct cdn_plan_rule *row)
{
	return row->op == CORDON_CONNECT &&
	    cdn_str_starts(row->rule->pattern, CDN_STR("/"));
}

static bool
any_socket(const struct cdn_plan *plan)
{
	for (size_t i = 0; i < plan->rule_count; i++)
		if (is_socket(&plan->rules[i]))
			return true;
	return false;
}

static void
fill_shortfalls(struct cdn_plan *plan, enum cdn_network_mode network,
    struct cdn_shortfall *v)
{
	const bool applies[ROWS] = {
		[MOVES] = true,
		[NAMES] = true,
		[SOCKETS] = network == CDN_NETWORK_FULL,
		[PROCESSES] = true,
		[HOSTS] = network == CDN_NETWORK_LIST,
		[LISTED] = network != CDN_NETWORK_FULL && any_socket(plan),
	};

	plan->shortfalls = v;
	plan->shortfall_count = 0;
	for (size_t i = 0; i < ROWS; i++)
		if (applies[i])
			v[plan->shortfall_count++] = table[i];
}

int
cdn_seatbelt_report(struct cdn_arena *arena, const struct cdn_plan *from,
    enum cdn_network_mode network, const struct cdn_plan **ret,
    struct cordon_error *err)
{
	struct cdn_plan *plan = cdn_arena_alloc(arena, sizeof(*plan));
	struct cdn_plan_rule *rules = cdn_arena_array(arena,
	    from->rule_count + 1, sizeof(*rules));
	struct cdn_shortfall *shortfalls = cdn_arena_array(arena, ROWS,
	    sizeof(*shortfalls));

	if (plan == NULL || rules == NULL || shortfalls == NULL)
		return cdn_err_nomem(err);
	*plan = *from;
	for (size_t i = 0; i < from->rule_count; i++) {
		rules[i] = from->rules[i];
		rules[i].by = CDN_BY_SEATBELT;
		rules[i].why = NULL;
	}
	plan->rules = rules;
	plan->belted = true;
	plan->mode = CDN_PLAN_MODE_NONE;
	plan->traced = plan->nests = plan->caged = plan->enforced = false;
	plan->network = network == CDN_NETWORK_LIST ? CDN_NETWORK_NONE :
						      network;
	plan->regions = NULL;
	plan->region_count = 0;
	fill_shortfalls(plan, network, shortfalls);
	*ret = plan;
	return 0;
}
