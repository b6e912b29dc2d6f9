/* What doctor makes of a host: every mix of facts, and some by name. */
#include "enforce/host/doctor.h"

#include <errno.h>
#include <jansson.h>

#include "support/tap.h"

static const struct cdn_host good = { .landlock_abi = 7,
	.seccomp_filter = true,
	.seccomp_notify = true,
	.notify_wait_killable = true,
	.userns = true,
	.cgroup_delegated = true,
	.bwrap = CDN_BWRAP_USABLE,
	.kernel_major = 6,
	.kernel_minor = 18 };

static const struct cdn_host_finding *
find(const struct cdn_doctor *doctor, const char *id,
    enum cdn_host_severity severity)
{
	for (size_t i = 0; i < doctor->count; i++)
		if (strcmp(doctor->findings[i].id, id) == 0 &&
		    doctor->findings[i].severity == severity)
			return &doctor->findings[i];
	return NULL;
}

/* ----- By name ---------------------------------------------------------- */

static const struct {
	const char *name;
	struct cdn_host host; /* what differs from a good one, see apply() */
	const char *id;
	enum cdn_host_severity severity;
	enum cdn_enforces enforces;
	const char *remedy; /* in it */
} cases[] = {
	{ "an old kernel", { .landlock_abi = -1, .landlock_error = ENOSYS },
	    "landlock-kernel", CDN_HOST_ERROR, CDN_ENFORCES_NONE,
	    "Linux 5.13" },
	{ "not in lsm=", { .landlock_abi = -1, .landlock_error = EOPNOTSUPP },
	    "landlock-boot", CDN_HOST_ERROR, CDN_ENFORCES_NONE, "lsm=" },
	{ "not in lsm=, in a container", { .landlock_abi = -1,
	    .landlock_error = EOPNOTSUPP, .container = true },
	    "landlock-boot", CDN_HOST_ERROR, CDN_ENFORCES_NONE, "lsm=" },
	{ "hidden by a filter", { .landlock_abi = -1, .landlock_error = EPERM,
	    .seccomp_filtered = true }, "landlock-hidden", CDN_HOST_ERROR,
	    CDN_ENFORCES_NONE, "seccomp profile" },
	{ "a run of cordon", { .landlock_abi = -1,
	    .landlock_error = EOPNOTSUPP, .seccomp_filtered = true,
	    .notify_taken = true }, "landlock-hidden", CDN_HOST_ERROR,
	    CDN_ENFORCES_NONE, "outside" },
	{ "a container", { .landlock_abi = -1, .landlock_error = ENOSYS,
	    .container = true }, "landlock-container", CDN_HOST_ERROR,
	    CDN_ENFORCES_NONE, "host's kernel" },
	{ "16 layers", { .landlock_layers = 16 }, "landlock-layers",
	    CDN_HOST_ERROR, CDN_ENFORCES_NONE, "fewer sandboxes" },
	{ "15 layers", { .landlock_layers = 15 }, "nested", CDN_HOST_NOTE,
	    CDN_ENFORCES_REQUIRED, "outermost" },
	{ "ABI 5", { .landlock_abi = 5 }, "landlock-old", CDN_HOST_NOTE,
	    CDN_ENFORCES_REQUIRED, "6.12" },
	{ "ABI 2", { .landlock_abi = 2 }, "landlock-old", CDN_HOST_NOTE,
	    CDN_ENFORCES_REQUIRED, "6.12" },
	{ "ABI 5 alone", { .landlock_abi = 5, .notify_taken = true },
	    "landlock-abi-6", CDN_HOST_WARNING, CDN_ENFORCES_DEGRADED,
	    "6.12" },
	{ "ABI 2 alone", { .landlock_abi = 2, .notify_taken = true },
	    "landlock-abi-3", CDN_HOST_WARNING, CDN_ENFORCES_DEGRADED,
	    "6.2" },
	{ "ABI 1", { .landlock_abi = 1 }, "landlock-abi-2", CDN_HOST_NOTE,
	    CDN_ENFORCES_REQUIRED, "5.19" },
	{ "Yama 2", { .yama_scope = 2 }, "yama", CDN_HOST_WARNING,
	    CDN_ENFORCES_DEGRADED, "ptrace_scope" },
	{ "Yama 1", { .yama_scope = 1 }, "landlock", CDN_HOST_OK,
	    CDN_ENFORCES_REQUIRED, NULL },
	{ "ABI 6", { .landlock_abi = 6 }, "landlock", CDN_HOST_OK,
	    CDN_ENFORCES_REQUIRED, NULL },
};

/* Takes over what is set; -1 stands for 0. */
static struct cdn_host
apply(const struct cdn_host *change)
{
	struct cdn_host host = good;

	if (change->landlock_abi != 0)
		host.landlock_abi = change->landlock_abi > 0 ?
		    change->landlock_abi : 0;
	host.landlock_error = change->landlock_error;
	host.landlock_layers = change->landlock_layers;
	host.seccomp_filtered = change->seccomp_filtered;
	host.notify_taken = change->notify_taken;
	host.seccomp_notify = good.seccomp_notify && !change->notify_taken;
	host.container = change->container;
	host.yama_scope = change->yama_scope;
	return host;
}

static void
test_cases(void)
{
	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		struct cdn_host host = apply(&cases[i].host);
		const struct cdn_host_finding *finding;
		struct cdn_doctor doctor;

		cdn_doctor_examine(&host, &doctor);
		finding = find(&doctor, cases[i].id, cases[i].severity);
		ok_f(finding != NULL && doctor.enforces == cases[i].enforces,
		    "%s: %s", cases[i].name,
		    cdn_enforces_name(doctor.enforces));
		ok_f(finding != NULL && (cases[i].remedy == NULL ?
			finding->remedy == NULL :
			strstr(finding->remedy, cases[i].remedy) != NULL),
		    "%s: what to do", cases[i].name);
	}
}

static void
test_not_needed(void)
{
	struct cdn_host host = good;
	struct cdn_doctor doctor;

	host.userns = false;
	host.userns_error = ENOSPC;
	host.cgroup_delegated = false;
	host.bwrap = CDN_BWRAP_MISSING;
	host.notify_wait_killable = false;
	cdn_doctor_examine(&host, &doctor);
	ok(doctor.enforces == CDN_ENFORCES_REQUIRED &&
	    find(&doctor, "userns", CDN_HOST_NOTE) != NULL &&
	    find(&doctor, "cgroup", CDN_HOST_NOTE) != NULL &&
	    find(&doctor, "notify-wait", CDN_HOST_NOTE) != NULL &&
	    find(&doctor, "bwrap-missing", CDN_HOST_NOTE) != NULL,
	    "what is missing, but not needed");
	host.userns_restricted = true;
	host.bwrap = CDN_BWRAP_BROKEN;
	cdn_doctor_examine(&host, &doctor);
	ok(doctor.enforces == CDN_ENFORCES_REQUIRED &&
	    find(&doctor, "userns-apparmor", CDN_HOST_NOTE) != NULL &&
	    find(&doctor, "userns", CDN_HOST_NOTE) == NULL &&
	    find(&doctor, "bwrap-broken", CDN_HOST_NOTE) != NULL,
	    "AppArmor, and a bwrap that does not work");
	host = good;
	host.seccomp_notify = false;
	cdn_doctor_examine(&host, &doctor);
	ok(find(&doctor, "listener", CDN_HOST_WARNING) != NULL,
	    "no listener");
	host.notify_taken = host.seccomp_filtered = true;
	cdn_doctor_examine(&host, &doctor);
	ok(find(&doctor, "listener-taken", CDN_HOST_WARNING) != NULL &&
	    find(&doctor, "nested", CDN_HOST_NOTE) != NULL,
	    "inside of another cordon");
}

/* ----- Every mix -------------------------------------------------------- */

/* The same question, asked in another way. */
static enum cdn_enforces
expect(const struct cdn_host *h)
{
	if (h->landlock_abi == 0 || h->landlock_layers == 16)
		return CDN_ENFORCES_NONE;
	if (h->seccomp_filter && h->seccomp_notify &&
	    h->yama_scope < 2)
		return CDN_ENFORCES_REQUIRED;
	return CDN_ENFORCES_DEGRADED;
}

/* Worst first; worth a remedy when it costs something; no row twice. */
static bool
well_formed(const struct cdn_doctor *d)
{
	enum cdn_host_severity worst = CDN_HOST_OK;

	for (size_t i = 0; i < d->count; i++) {
		const struct cdn_host_finding *f = &d->findings[i];

		if (i > 0 && f->severity > d->findings[i - 1].severity)
			return false;
		if (f->severity > worst)
			worst = f->severity;
		if (f->severity >= CDN_HOST_WARNING && f->remedy == NULL)
			return false;
		for (size_t k = 0; k < i; k++)
			if (strcmp(f->id, d->findings[k].id) == 0)
				return false;
	}
	return (worst == CDN_HOST_ERROR) ==
	    (d->enforces == CDN_ENFORCES_NONE) &&
	    (worst >= CDN_HOST_WARNING) ==
	    (d->enforces != CDN_ENFORCES_REQUIRED);
}

static void
test_mixes(void)
{
	static const int layers[] = { 0, 3, 16 };
	static const int errors[] = { ENOSYS, EOPNOTSUPP, EPERM };
	unsigned wrong = 0, odd = 0, count = 0;

	for (unsigned bits = 0; bits < 1U << 7; bits++)
		for (int abi = 0; abi <= 7; abi++)
			for (unsigned i = 0; i < 3 * 4; i++) {
				struct cdn_host h = good;
				struct cdn_doctor d;

				h.landlock_abi = abi;
				h.landlock_error = abi > 0 ? 0 : errors[i % 3];
				h.landlock_layers = layers[i % 3];
				h.yama_scope = (int)(i / 3);
				h.seccomp_filter = bits & 1;
				h.seccomp_notify = (bits & 1) && (bits & 2);
				h.notify_taken = bits & 4;
				h.seccomp_filtered = bits & 8;
				h.container = bits & 16;
				h.userns = bits & 32;
				h.notify_wait_killable = bits & 64;
				cdn_doctor_examine(&h, &d);
				count++;
				wrong += d.enforces != expect(&h);
				odd += !well_formed(&d);
			}
	ok_f(wrong == 0, "%u mixes of facts enforce what they should", count);
	ok_f(odd == 0, "each has its findings in order, with remedies (%u)",
	    odd);
}

/* ----- Printing --------------------------------------------------------- */

static void
test_json(void)
{
	struct cdn_host host = good;
	struct cdn_doctor doctor;
	struct cdn_buf buf;
	json_t *o, *f;

	host.bwrap = CDN_BWRAP_BROKEN;
	host.cgroup_delegated = false;
	host.yama_scope = 2;
	cdn_doctor_examine(&host, &doctor);
	cdn_buf_init(&buf, 65536);
	ok(cdn_doctor_format(&doctor, CORDON_FORMAT_JSON, &buf, NULL) == 0,
	    "as JSON");
	o = json_loadb(buf.p, buf.n, JSON_REJECT_DUPLICATES, NULL);
	ok(json_object_size(o) == 8, "eight keys");
	ok(json_integer_value(json_object_get(o, "schema")) == 1 &&
	    json_integer_value(json_object_get(o, "landlock_abi")) == 7 &&
	    json_is_true(json_object_get(o, "seccomp_notify")) &&
	    json_is_true(json_object_get(o, "userns")) &&
	    json_is_false(json_object_get(o, "cgroup")), "numbers and flags");
	ok(strcmp(json_string_value(json_object_get(o, "bwrap")),
	    "broken") == 0 && strcmp(json_string_value(json_object_get(o,
	    "enforces")), "degraded") == 0, "words");
	f = json_object_get(o, "findings");
	ok(json_array_size(f) == doctor.count &&
	    json_object_size(json_array_get(f, 0)) == 4 &&
	    strcmp(json_string_value(json_object_get(json_array_get(f, 0),
	    "id")), "yama") == 0 &&
	    json_is_null(json_object_get(json_array_get(f, doctor.count - 1),
	    "remedy")), "findings");
	json_decref(o);
	cdn_buf_done(&buf);
}

static void
test_text(void)
{
	struct cordon_error err = { 0 };
	struct cdn_doctor doctor;
	struct cdn_buf buf;

	cdn_doctor_examine(&good, &doctor);
	cdn_buf_init(&buf, 65536);
	ok(cdn_doctor_format(&doctor, CORDON_FORMAT_YAML, &buf, NULL) == 0 &&
	    strstr(buf.p, "kernel     6.18\nlandlock   ABI 7\n"
		"seccomp    filter, listener\nuserns     usable\n"
		"bwrap      usable\ncgroup     delegated\nyama       0\n"
		"enforces   required\n\n") == buf.p, "facts in columns");
	ok(strstr(buf.p, "\nok       landlock            Landlock") != NULL,
	    "findings in columns");
	cdn_buf_done(&buf);
	cdn_buf_init(&buf, 100);
	ok(cdn_doctor_format(&doctor, CORDON_FORMAT_YAML, &buf, &err) ==
	    CORDON_E_NOMEM, "a full buffer is an error");
	cdn_buf_done(&buf);
}

int
main(void)
{
	test_cases();
	test_not_needed();
	test_mixes();
	test_json();
	test_text();
	return done_testing();
}
