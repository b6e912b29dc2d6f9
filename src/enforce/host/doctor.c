#include "enforce/host/doctor.h"

#include <errno.h>

#define LAYERS_MAX 16

typedef bool holds_fn(const struct cdn_host *h);

/* ----- Landlock --------------------------------------------------------- */

static bool
no_landlock(const struct cdn_host *h)
{
	return h->landlock_abi <= 0;
}

/* A run of cordon answers so too: one broker judges for all inside. */
static bool
landlock_off(const struct cdn_host *h)
{
	return no_landlock(h) && h->landlock_error == EOPNOTSUPP &&
	    !h->notify_taken;
}

/* A filter that hides it answers as a kernel that does not have it. */
static bool
landlock_hidden(const struct cdn_host *h)
{
	return no_landlock(h) && !landlock_off(h) && h->seccomp_filtered;
}

static bool
landlock_not_in_container(const struct cdn_host *h)
{
	return no_landlock(h) && !landlock_off(h) && !landlock_hidden(h) &&
	    h->container;
}

static bool
landlock_not_in_kernel(const struct cdn_host *h)
{
	return no_landlock(h) && !landlock_off(h) && !landlock_hidden(h) &&
	    !h->container;
}

static bool
layers_used_up(const struct cdn_host *h)
{
	return !no_landlock(h) && h->landlock_layers >= LAYERS_MAX;
}

static bool
older_than(const struct cdn_host *h, int abi)
{
	return !no_landlock(h) && h->landlock_abi < abi;
}

static bool
no_refer(const struct cdn_host *h)
{
	return older_than(h, 2);
}

/* What Landlock does not know yet the broker judges, where there is one. */
static bool
no_truncate(const struct cdn_host *h)
{
	return older_than(h, 3) && !h->seccomp_notify;
}

static bool
no_device_ioctl(const struct cdn_host *h)
{
	return older_than(h, 5) && !h->seccomp_filter;
}

static bool
no_scopes(const struct cdn_host *h)
{
	return older_than(h, 6) && !h->seccomp_notify;
}

static bool
old_landlock(const struct cdn_host *h)
{
	return older_than(h, 6) && h->seccomp_notify;
}

static bool
good_landlock(const struct cdn_host *h)
{
	return !no_landlock(h) && !older_than(h, 6) && !layers_used_up(h);
}

/* ----- seccomp and the broker ------------------------------------------- */

static bool
no_seccomp(const struct cdn_host *h)
{
	return !h->seccomp_filter;
}

static bool
listener_taken(const struct cdn_host *h)
{
	return !no_seccomp(h) && !h->seccomp_notify &&
	    h->notify_taken;
}

static bool
no_listener(const struct cdn_host *h)
{
	return !no_seccomp(h) && !h->seccomp_notify &&
	    !h->notify_taken;
}

static bool
good_seccomp(const struct cdn_host *h)
{
	return !no_seccomp(h) && h->seccomp_notify;
}

static bool
interrupted(const struct cdn_host *h)
{
	return h->seccomp_notify && !h->notify_wait_killable;
}

static bool
yama(const struct cdn_host *h)
{
	return h->yama_scope >= 2;
}

/* ----- What is used when it is there ------------------------------------ */

static bool
userns(const struct cdn_host *h)
{
	return h->userns;
}

static bool
userns_restricted(const struct cdn_host *h)
{
	return !h->userns && h->userns_restricted;
}

static bool
no_userns(const struct cdn_host *h)
{
	return !h->userns && !h->userns_restricted;
}

static bool
bwrap_missing(const struct cdn_host *h)
{
	return h->bwrap == CDN_BWRAP_MISSING;
}

static bool
bwrap_broken(const struct cdn_host *h)
{
	return h->bwrap == CDN_BWRAP_BROKEN;
}

static bool
bwrap_usable(const struct cdn_host *h)
{
	return h->bwrap == CDN_BWRAP_USABLE;
}

static bool
cgroup(const struct cdn_host *h)
{
	return h->cgroup_delegated;
}

static bool
no_cgroup(const struct cdn_host *h)
{
	return !h->cgroup_delegated;
}

/* ----- Where we are ----------------------------------------------------- */

static bool
nested(const struct cdn_host *h)
{
	return h->seccomp_filtered || h->landlock_layers > 0;
}

static bool
container(const struct cdn_host *h)
{
	return h->container;
}

static bool
always(const struct cdn_host *h)
{
	(void)h;
	return true;
}

/* ----- The table -------------------------------------------------------- */

#define NONE	 CDN_HOST_ERROR, CDN_ENFORCES_NONE
#define DEGRADED CDN_HOST_WARNING, CDN_ENFORCES_DEGRADED
#define NOTE	 CDN_HOST_NOTE, CDN_ENFORCES_REQUIRED
#define GOOD	 CDN_HOST_OK, CDN_ENFORCES_REQUIRED

static const struct row {
	const char *id;
	enum cdn_host_severity severity;
	enum cdn_enforces at_most;
	holds_fn *holds;
	const char *text;
	const char *remedy;
} rows[] = {
	{ "landlock-kernel", NONE, landlock_not_in_kernel,
	    "this kernel has no Landlock: nothing can be confined",
	    "use Linux 5.13 or newer (6.12 for all of it) that is built with "
	    "CONFIG_SECURITY_LANDLOCK=y" },
	{ "landlock-boot", NONE, landlock_off,
	    "this kernel has Landlock, but it is switched off: nothing can be "
	    "confined",
	    "put 'landlock,' in front of the list in "
	    "/sys/kernel/security/lsm, boot with lsm= and that list, for "
	    "example by GRUB_CMDLINE_LINUX in /etc/default/grub" },
	{ "landlock-hidden", NONE, landlock_hidden,
	    "a filter around us hides Landlock: nothing can be confined",
	    "run cordon outside of that sandbox, or let its seccomp profile "
	    "allow the three calls landlock_*" },
	{ "landlock-container", NONE, landlock_not_in_container,
	    "the kernel of this container has no Landlock: nothing can be "
	    "confined",
	    "a container has its host's kernel: use one with Landlock there, "
	    "Linux 5.13 or newer" },
	{ "landlock-layers", NONE, layers_used_up,
	    "the sandboxes around us have used up all layers of Landlock",
	    "start cordon inside of fewer sandboxes" },
	{ "landlock-abi-3", DEGRADED, no_truncate,
	    "whatever the user owns can be truncated",
	    "use Linux 6.2 or newer" },
	{ "landlock-abi-5", DEGRADED, no_device_ioctl,
	    "ioctls of devices that can be opened are not refused",
	    "use Linux 6.10 or newer" },
	{ "landlock-abi-6", DEGRADED, no_scopes,
	    "the user's other processes can be signalled",
	    "use Linux 6.12 or newer" },
	{ "seccomp", DEGRADED, no_seccomp,
	    "no filter of system calls: network, sockets and metadata are not "
	    "confined",
	    "use a kernel with CONFIG_SECCOMP_FILTER=y" },
	{ "listener-taken", DEGRADED, listener_taken,
	    "a sandbox around us judges system calls already, and there can be "
	    "only one that does: rules within a directory are not all enforced",
	    "run cordon outside of it" },
	{ "listener", DEGRADED, no_listener,
	    "this kernel cannot hand a system call to a broker: rules within a "
	    "directory are not all enforced",
	    "use Linux 5.14 or newer (5.19 for all of it)" },
	{ "yama", DEGRADED, yama,
	    "the broker may not look at the calls it has to judge",
	    "set kernel.yama.ptrace_scope to 1 with sysctl; 3 takes a restart" },
	{ "landlock-old", NOTE, old_landlock,
	    "Landlock confines files; the filter and the broker hold what it "
	    "does not know on this kernel (signals before 6.12, ioctls before "
	    "6.10, truncate before 6.2), for a little time each",
	    "use Linux 6.12 or newer" },
	{ "landlock-abi-2", NOTE, no_refer,
	    "files cannot be renamed from one directory to another",
	    "use Linux 5.19 or newer" },
	{ "notify-wait", NOTE, interrupted,
	    "a signal can interrupt a call that the broker performs",
	    "use Linux 5.19 or newer" },
	{ "nested", NOTE, nested,
	    "cordon runs inside of another sandbox, and what that refuses "
	    "stays refused",
	    "let cordon be the outermost one where you can" },
	{ "container", NOTE, container,
	    "this looks like a container, whose own limits hold as well",
	    NULL },
	{ "inner-sandbox", NOTE, always,
	    "an agent's own sandbox hardly works inside of a run: namespaces "
	    "(bwrap) are refused, and Landlock where the broker judges files",
	    "switch the agent's own sandbox off there" },
	{ "userns-apparmor", NOTE, userns_restricted,
	    "AppArmor restricts user namespaces; only '--backend bwrap' and "
	    "'--isolation namespaces' use them",
	    "not needed; kernel.apparmor_restrict_unprivileged_userns=0 lifts "
	    "it" },
	{ "userns", NOTE, no_userns,
	    "no user namespaces: Landlock and seccomp do without, only "
	    "'--backend bwrap' and '--isolation namespaces' use them",
	    "not needed; user.max_user_namespaces and "
	    "kernel.unprivileged_userns_clone may switch them off" },
	{ "bwrap-missing", NOTE, bwrap_missing,
	    "/usr/bin/bwrap is not there; only '--backend bwrap' needs it",
	    "not needed; the package is called bubblewrap" },
	{ "bwrap-broken", NOTE, bwrap_broken,
	    "/usr/bin/bwrap is there, but could not make a sandbox; only "
	    "'--backend bwrap' needs it",
	    "not needed; it wants user namespaces, or its package installed "
	    "again" },
	{ "cgroup", NOTE, no_cgroup,
	    "no cgroup can be made for a run: its processes are found and "
	    "ended one by one",
	    "not needed; 'systemd-run --user --scope -p Delegate=yes' gives "
	    "one" },
	{ "landlock", GOOD, good_landlock,
	    "Landlock confines files, signals and abstract sockets", NULL },
	{ "seccomp", GOOD, good_seccomp,
	    "seccomp filters system calls and can hand them to a broker",
	    NULL },
	{ "userns", GOOD, userns, "user namespaces are usable", NULL },
	{ "bwrap", GOOD, bwrap_usable, "bwrap is usable", NULL },
	{ "cgroup", GOOD, cgroup, "a run can have its own cgroup", NULL },
};

_Static_assert(CDN_LEN(rows) <= CDN_HOST_FINDINGS_MAX, "room for every row");

void
cdn_doctor_examine(const struct cdn_host *host, struct cdn_doctor *ret)
{
	*ret = (struct cdn_doctor){ .host = *host,
		.enforces = CDN_ENFORCES_REQUIRED };
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const struct row *row = &rows[i];

		if (!row->holds(host))
			continue;
		ret->findings[ret->count++] = (struct cdn_host_finding){ row->id,
			row->severity, row->text, row->remedy };
		if (row->at_most < ret->enforces)
			ret->enforces = row->at_most;
	}
}

void
cdn_doctor_add(struct cdn_doctor *doctor,
    const struct cdn_host_finding *finding)
{
	size_t at = 0;

	if (doctor->count == CDN_HOST_FINDINGS_MAX)
		return;
	while (at < doctor->count &&
	    doctor->findings[at].severity >= finding->severity)
		at++;
	memmove(&doctor->findings[at + 1], &doctor->findings[at],
	    (doctor->count - at) * sizeof(*finding));
	doctor->findings[at] = *finding;
	doctor->count++;
}
