/*
 * limits - what no plan holds, whatever the policy says, as a table.
 *
 * A shortfall is what this host or this policy lacks; a limit is what the
 * approach itself leaves open.  Ids are stable: scripts look for them, and
 * tests/escape names them where an attack is not held.
 */
#include "engine/plan/plan.h"

typedef bool applies_fn(const struct cdn_plan *plan);

static bool
any_passage(const struct cdn_plan *plan)
{
	for (size_t i = 0; i < plan->region_count; i++)
		if (plan->regions[i].held == CDN_REGION_PASSAGE)
			return true;
	return false;
}

static bool
reads_judged(const struct cdn_plan *plan)
{
	return plan->mode == CDN_PLAN_MODE_C;
}

/* Seatbelt has lines of its own for what it does not hold. */
static bool
is_linux(const struct cdn_plan *plan)
{
	return !plan->belted;
}

static bool
no_broker(const struct cdn_plan *plan)
{
	return is_linux(plan) && plan->mode == CDN_PLAN_MODE_NONE;
}

/* Who judges each open looks for other names; Landlock knows none. */
static bool
opens_native(const struct cdn_plan *plan)
{
	return is_linux(plan) && plan->mode != CDN_PLAN_MODE_C;
}

/* From mode B on whoever opens to write what is there is judged. */
static bool
writes_native(const struct cdn_plan *plan)
{
	return is_linux(plan) && plan->mode != CDN_PLAN_MODE_B &&
	    plan->mode != CDN_PLAN_MODE_C;
}

/* Mounts know whether a place can be changed, not what is done to it. */
static bool
is_mounted(const struct cdn_plan *plan)
{
	return plan->mounted;
}

static bool
network_open(const struct cdn_plan *plan)
{
	return plan->network != CDN_NETWORK_NONE &&
	    plan->network != CDN_NETWORK_UNSET;
}

/* connect(), and the sends of some callers, are performed by the broker. */
static bool
sockets_judged(const struct cdn_plan *plan)
{
	return is_linux(plan) && plan->mode != CDN_PLAN_MODE_NONE &&
	    plan->unix_sockets == CDN_PLAN_UNIX_JUDGED;
}

static bool
network_listed(const struct cdn_plan *plan)
{
	return is_linux(plan) && plan->network == CDN_NETWORK_LIST;
}

static bool
is_agent(const struct cdn_plan *plan)
{
	return plan->agent;
}

static const struct {
	struct cdn_plan_limit limit;
	applies_fn *applies; /* NULL: always */
} table[] = {
	{ { "visible-names", true, false,
	    "names and metadata of files whose path is known (stat)" }, NULL },
	{ { "visible-changes", true, false,
	    "that a file whose path is known is used, and the names that "
	    "appear in a directory whose path is known (inotify): no broker "
	    "judges what is watched" }, no_broker },
	{ { "visible-attributes", true, false,
	    "extended attributes of files whose path is known (getxattr: to "
	    "have each judged made 'ls -l' take four times as long)" },
	    is_linux },
	{ { "visible-passages", true, false,
	    "names of all that lies below a passage" }, any_passage },
	{ { "later-passages", false, false,
	    "what somebody outside makes right in a passage during a run "
	    "cannot be used there" }, any_passage },
	{ { "linked-passages", false, false,
	    "a file that has several names (hard links), one of them right in "
	    "a passage, cannot be used there" }, any_passage },
	{ { "granted-roots", false, false,
	    "a directory that is granted by itself (the workspace, a declared "
	    "root, a worker's root) cannot be renamed, exchanged or removed: "
	    "its name lies in one that is not" }, is_linux },
	{ { "visible-processes", true, true,
	    "command lines of other processes (/proc), that they exist "
	    "(pidfd_open), and their resource limits (prlimit)" }, is_linux },
	{ { "visible-interfaces", true, false, "the list of network interfaces" },
	    NULL },
	{ { "agent-credentials", true, false,
	    "the agent's own credentials: it reads and replaces them, and so "
	    "can whatever it starts" }, is_agent },
	{ { "exec-unread", true, false,
	    "what an executable does that may not be read: refusing to "
	    "execute it is best effort" }, reads_judged },
	{ { "exec-read", false, false,
	    "what may be read can be executed by way of an interpreter, the "
	    "dynamic loader or a copy: 'exec' rules are no boundary against "
	    "that" }, NULL },
	{ { "stdio", false, false,
	    "the input and output a run is given are used as they were opened, "
	    "whatever the policy says of their files" }, NULL },
	{ { "shared-files", false, false,
	    "a file that both sides may write changes for both, also where it "
	    "is mapped into memory; locks on it are shared, too" }, NULL },
	{ { "host-executes", false, false,
	    "what the host builds, obeys or executes from the workspace later "
	    "and no rule names (Makefile, package.json, settings of tools, "
	    "installed programs) is as trustworthy as who may modify it" }, NULL },
	{ { "scheduling", false, true,
	    "the user's other processes can be put on other processors and "
	    "into other scheduling classes (sched_setaffinity)" }, is_linux },
	{ { "disk-space", false, false,
	    "the file systems that may be written can be filled" }, NULL },
	{ { "resources", false, false,
	    "memory, processor time, and quotas that the kernel counts per "
	    "user (inotify, pipe buffers) can be used up, and for root "
	    "processes, unless the policy limits them ('limits:')" },
	    is_linux },
	{ { "allowed-network", false, false,
	    "what may be read can be sent to wherever the network is allowed "
	    "to reach" }, network_open },
	{ { "udp-received", false, false,
	    "under a list of addresses a UDP socket receives from where it "
	    "has sent to, and besides: what processes of this machine send, "
	    "what anybody sends to a port that a rule lets it bind, and the "
	    "text of ICMP errors if it asks for them (IP_RECVERR)" },
	    network_listed },
	{ { "peer-process", false, false,
	    "the other end of a unix socket that is connected by its path "
	    "learns cordon's process number, not the caller's (SO_PEERCRED); "
	    "where addresses are judged, so does the receiver of a message "
	    "from a process with several threads (SCM_CREDENTIALS), and such "
	    "a process cannot attach credentials itself. User and group are "
	    "the caller's" }, sockets_judged },
	{ { "other-names", false, false,
	    "a file that a pattern denies to read, and that had another name "
	    "(a hard link) where the policy allows it before the run, can be "
	    "read under that name; files that are denied by their own name "
	    "cannot" }, opens_native },
	{ { "other-names-modify", false, false,
	    "a file that a pattern denies to modify, and that had another name "
	    "where the policy allows it before the run, can be modified under "
	    "that name; files that are denied by their own name cannot" },
	    writes_native },
	{ { "floor-names", false, false,
	    "a file deep inside of a browser's store or of the state of an "
	    "agent, or in a directory of keys with hundreds of entries, that "
	    "had another name (a hard link) where the policy allows it before "
	    "the run, can be used under that name" }, is_linux },
	{ { "private-files", false, false,
	    "as root: a file below /etc or /var/lib that is made during a run, "
	    "or closed to others during one (chmod), can be read where its "
	    "directory can; files with names of dpkg's in /var/lib/dpkg/info "
	    "are not looked at, for dpkg unpacked them from packages" },
	    is_linux },
	{ { "outside-changes", false, false,
	    "links and mounts that somebody outside makes during a run" },
	    NULL },
	{ { "replaced-directories", false, false,
	    "a directory that somebody outside puts in the place of another "
	    "during a run is not masked" }, is_mounted },
	{ { "named-pipes", false, false,
	    "what can be read and is a named pipe can be written" },
	    is_mounted },
	{ { "hidden-links", false, false,
	    "a symbolic link in a directory that may not be read leads "
	    "nowhere, also where what it leads to may be read" }, is_mounted },
	{ { "killed", false, true,
	    "when cordon itself is killed (SIGKILL), the run ends with it; if "
	    "its shepherd process is killed in the same moment (by hand, or "
	    "for lack of memory), what the command had left in the background "
	    "lives on, still confined" },
	    is_linux },
	{ { "unseen", false, false,
	    "what the kernel refuses by itself leaves no event: files outside "
	    "of what is granted, also in the real home (--trace records "
	    "those that are opened to read, and takes up to five times as "
	    "long), and calls in a run that needs no broker" }, is_linux },
	{ { "unseen-keys", false, false,
	    "nor does an attempt to read keys that Landlock alone refuses: to "
	    "have every open looked at made find, cc, git status and grep -r "
	    "take 1.2 to 1.6 times as long.  In namespaces the end of the run "
	    "shows which of the first 8 places were looked up (opened, or "
	    "stat), but not through symlinks that lead out of them" },
	    opens_native },
	{ { "user-quotas", false, false,
	    "the kernel counts some things for all processes of a user, and a "
	    "run can use them up: inotify instances and watches (in "
	    "namespaces half of them at most), pending signals, descriptors "
	    "on their way through sockets, the pages of pipes" }, is_linux },
	{ { "case-folding", false, false,
	    "where a directory ignores case, names outside ASCII are compared "
	    "with case" }, NULL },
	{ { "kernel", false, false, "a hole in the kernel itself" }, NULL },
};

const struct cdn_plan_limit *
cdn_plan_limit(size_t i)
{
	return i < CDN_LEN(table) ? &table[i].limit : NULL;
}

bool
cdn_plan_limit_applies(const struct cdn_plan *plan,
    const struct cdn_plan_words *words, size_t i)
{
	bool apart = words->isolation != NULL &&
	    strcmp(words->isolation, "namespaces") == 0;

	if (table[i].limit.apart && apart)
		return false;
	return table[i].applies == NULL || table[i].applies(plan);
}
