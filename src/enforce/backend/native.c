/*
 * native - Landlock for the objects, seccomp for the calls.
 *
 * No root, no user namespace, no helper program.  Both halves are prepared by
 * the parent: the ruleset as a descriptor, the filter as instructions.
 */
#include "enforce/backend/backend.h"

#include <unistd.h>

#include "enforce/backend/filter.h"
#include "enforce/backend/landlock.h"

struct native {
	struct cdn_cage cage; /* first */
	int ruleset;	      /* -1: this host has no Landlock */
	bool filtered;	      /* this host has seccomp */
	unsigned flags;	      /* of the filter: with a listener? */
	struct cdn_filter filter;
};

/* ----- The filter's words for the plan's -------------------------------------- */

static const enum cdn_filter_mode modes[] = {
	[CDN_PLAN_MODE_NONE] = CDN_MODE_NONE,
	[CDN_PLAN_MODE_A] = CDN_MODE_A,
	[CDN_PLAN_MODE_B] = CDN_MODE_B,
	[CDN_PLAN_MODE_C] = CDN_MODE_C,
};

static const enum cdn_filter_network networks[] = {
	[CDN_NETWORK_UNSET] = CDN_FILTER_NET_NONE,
	[CDN_NETWORK_NONE] = CDN_FILTER_NET_NONE,
	[CDN_NETWORK_LOOPBACK] = CDN_FILTER_NET_LISTED,
	[CDN_NETWORK_FULL] = CDN_FILTER_NET_FULL,
	[CDN_NETWORK_LIST] = CDN_FILTER_NET_LISTED,
};

static const enum cdn_filter_unix sockets[] = {
	[CDN_PLAN_UNIX_JUDGED] = CDN_FILTER_UNIX_JUDGED,
	[CDN_PLAN_UNIX_NONE] = CDN_FILTER_UNIX_NONE,
};

/* Without Landlock nothing but the filter keeps ptrace inside the cage. */
static struct cdn_filter_spec
filter_spec(const struct cdn_plan *plan, const struct cdn_host *host)
{
	return (struct cdn_filter_spec){
		.arch = CDN_FILTER_ARCH_HERE,
		.mode = modes[plan->mode],
		.network = networks[plan->network],
		.unix_sockets = sockets[plan->unix_sockets],
		.has_broker = plan->mode != CDN_PLAN_MODE_NONE,
		.strict = plan->strict || host->landlock_abi == 0,
		.no_modify = plan->no_modify,
		.signals = host->landlock_abi > 0 && host->landlock_abi < 6,
		.devices = plan->mounted ||
		    (host->landlock_abi > 0 && host->landlock_abi < 5),
		.nests = plan->nests,
		.first = plan->mounted, /* it is bwrap, not filtered yet */
	};
}

int
cdn_backend_filter(const struct cdn_plan *plan, const struct cdn_host *host,
    struct cdn_filter *ret, struct cordon_error *err)
{
	struct cdn_filter_spec spec = filter_spec(plan, host);

	return cdn_filter_build(&spec, ret, err);
}

/* ----- Life --------------------------------------------------------------------- */

static void
native_free(struct cdn_cage *cage)
{
	struct native *native = (struct native *)cage;

	if (native == NULL)
		return;
	if (native->ruleset >= 0)
		close(native->ruleset);
	if (native->cage.bound >= 0)
		close(native->cage.bound);
	free(native);
}

static int
native_fill(struct native *native, const struct cdn_plan *plan,
    const struct cdn_host *host, int root, struct cordon_error *err)
{
	int code = cdn_landlock_build(plan, host->landlock_abi, root,
	    host->landlock_abi > 0 ? &native->ruleset : NULL,
	    plan->mode != CDN_PLAN_MODE_NONE ? &native->cage.bound : NULL,
	    err);

	if (code != 0 || !host->seccomp_filter)
		return code;
	native->filtered = true;
	if (plan->mode != CDN_PLAN_MODE_NONE)
		native->flags = CDN_SECCOMP_NEW_LISTENER |
		    (host->notify_wait_killable ? CDN_SECCOMP_WAIT_KILLABLE :
						  0);
	return cdn_backend_filter(plan, host, &native->filter, err);
}

static int
native_build(const struct cdn_plan *plan, const struct cdn_host *host,
    int root, struct cdn_cage **ret, struct cordon_error *err)
{
	struct native *native = calloc(1, sizeof(*native));
	int code;

	if (native == NULL)
		return cdn_err_nomem(err);
	native->cage = (struct cdn_cage){ &cdn_backend_native, -1 };
	native->ruleset = -1;
	code = native_fill(native, plan, host, root, err);
	if (code != 0) {
		native_free(&native->cage);
		return code;
	}
	*ret = &native->cage;
	return 0;
}

/* The filter last: the calls before it need not be in its table. */
CDN_BARE static int
native_enter(const struct cdn_cage *cage, const char **step)
{
	const struct native *native = (const struct native *)cage;
	int r = 0;

	if (native->ruleset >= 0) {
		*step = "landlock";
		r = cdn_sys_landlock_restrict(native->ruleset);
	}
	if (r == 0 && native->filtered) {
		*step = "seccomp";
		r = cdn_sys_seccomp(native->filter.code, native->filter.n,
		    native->flags);
	}
	return r;
}

const struct cdn_backend cdn_backend_native = {
	.name = "native",
	.build = native_build,
	.enter = native_enter,
	.free = native_free,
};
