/*
 * cage - a real caller under a real filter, answered by a real broker in this
 * process.
 *
 *	struct cage cage = { 0 };
 *	cage_start(&cage, CAGE_C);		or CAGE_A, CAGE_B; CAGE_BARE: no
 *						broker, but the domain of one
 *	cage_ask(&cage, "open 0 0 %s", path)	a line of support/caller.c
 *	cage_stop(&cage);
 *
 * The workspace is tmp_root/w, in which are
 *
 *	pub/a, ro/a, open/a		ro is not modified; open is a native region
 *	x.env, pub/y.env, secrets/s	neither read nor modified; begin with SECRET
 */
#ifndef CDN_TESTS_CAGE_H
#define CDN_TESTS_CAGE_H

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "enforce/backend/filter.h"
#include "enforce/broker/broker.h"
#include "enforce/sys/forgo.h"
#include "enforce/sys/landlock.h"
#include "enforce/sys/process.h"
#include "support/tap.h"
#include "support/tmpdir.h"
#include "support/world.h"

enum cage_mode { CAGE_BARE, CAGE_A, CAGE_B, CAGE_C };

struct cage {
	struct world world;
	struct cdn_broker_region regions[2];
	struct cdn_broker *broker;
	FILE *to, *from;
	pid_t pid;
	char answer[4096];

	/* Written by the broker's threads. */
	unsigned denials;
	char denied[CDN_PATH_MAX + 1]; /* the last one */
	char rule[256];
	enum cordon_op op;

	/* For the broker; cage_start() leaves these alone. */
	bool trace;
	const char *rules; /* in place of those above */
	bool loose; /* the child's domain is as wide as the broker's: wrong */
	cdn_other_names_fn *other_names;
	enum cdn_filter_network network;
	const char *more; /* of the profile: ", network: full" */
};

/* What the child needs, which shares our memory. */
struct cage_child {
	struct cdn_offer offer;
	struct cdn_filter filter;
	enum cage_mode mode;
	int ruleset, in, out;
	const char *argv[2];
	char stack[65536] __attribute__((aligned(16)));
	int error;
};

CDN_BARE static int
cage_enter(struct cage_child *child)
{
	int r = (int)cdn_raw(SYS_dup3, child->in, 0, 0);

	if (r >= 0)
		r = (int)cdn_raw(SYS_dup3, child->out, 1, 0);
	if (r < 0)
		return r;
	/* Whatever goes wrong, nothing outside of tmp_root is ever written. */
	r = cdn_sys_no_new_privs();
	if (r == 0)
		r = cdn_sys_forgo_capabilities();
	if (r == 0)
		r = cdn_sys_landlock_restrict(child->ruleset);
	if (r < 0 || child->mode == CAGE_BARE)
		return r;
	r = cdn_sys_seccomp(child->filter.code, child->filter.n,
	    CDN_SECCOMP_NEW_LISTENER | CDN_SECCOMP_WAIT_KILLABLE);
	return r < 0 ? r : cdn_broker_offer(&child->offer, r);
}

CDN_BARE static int
cage_child_main(void *arg)
{
	struct cage_child *child = arg;
	int r;

	(void)cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	r = cage_enter(child);
	if (r == 0)
		r = (int)cdn_raw(SYS_execve, child->argv[0], child->argv, NULL);
	child->error = -r;
	return 99;
}

static int
cage_spawn(void *arg)
{
	struct cage_child *child = arg;

	return cdn_sys_clone(cage_child_main,
	    child->stack + sizeof(child->stack),
	    CLONE_VM | CLONE_VFORK | SIGCHLD, child, NULL);
}

/* ----- The world ----------------------------------------------------------------- */

static inline void
cage_files(void)
{
	static const char *const directories[] = { "w", "w/pub", "w/ro",
		"w/open", "w/secrets", "w/secrets/deep", "w/pub/sub", "out" };

	for (size_t i = 0; i < CDN_LEN(directories); i++)
		tmp_dir(directories[i]);
	tmp_file("w/pub/a", "public\n");
	tmp_file("w/ro/a", "public\n");
	tmp_file("w/open/a", "public\n");
	tmp_file("w/x.env", "SECRET\n");
	tmp_file("w/pub/y.env", "SECRET\n");
	tmp_file("w/secrets/s", "SECRET\n");
	tmp_file("w/secrets/deep/s", "SECRET\n");
	tmp_file("out/o", "SECRET\n");
}

static void
cage_denied(const struct cdn_denial *denial, void *arg)
{
	struct cage *cage = arg;

	cage->denials++;
	cage->op = denial->question->op;
	snprintf(cage->denied, sizeof(cage->denied), "%.*s",
	    CDN_STR_ARG(denial->question->path));
	snprintf(cage->rule, sizeof(cage->rule), "%s",
	    denial->verdict->matched_rule);
}

#define CAGE_RX (CDN_LL_EXECUTE | CDN_LL_READ_FILE | CDN_LL_READ_DIR)
#define CAGE_MOD                                                          \
	(CDN_LL_WRITE_FILE | CDN_LL_TRUNCATE | CDN_LL_MAKE_REG |          \
	    CDN_LL_MAKE_DIR | CDN_LL_MAKE_SYM | CDN_LL_MAKE_FIFO |        \
	    CDN_LL_MAKE_SOCK | CDN_LL_REMOVE_FILE | CDN_LL_REMOVE_DIR |   \
	    CDN_LL_REFER)

static void
cage_grant(int ruleset, const char *path, uint64_t rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return;
	tmp_need(cdn_sys_landlock_add(ruleset, fd, rights) == 0, "landlock",
	    path);
	close(fd);
}

/* inner: the child's own, in which only open/ is writable. */
static int
cage_ruleset(bool inner)
{
	struct cdn_landlock_ruleset rs = { .fs = CAGE_RX | CAGE_MOD };
	int fd = cdn_sys_landlock_create(&rs, cdn_sys_landlock_abi());

	tmp_need(fd >= 0, "landlock", "ruleset");
	cage_grant(fd, "/", CAGE_RX);
	cage_grant(fd, "/dev", CDN_LL_WRITE_FILE | CDN_LL_TRUNCATE);
	if (!inner)
		cage_grant(fd, "/proc", CDN_LL_WRITE_FILE | CDN_LL_TRUNCATE);
	cage_grant(fd, inner ? tmp_path("w/open") : tmp_path("w"), CAGE_MOD);
	return fd;
}

static void
cage_authority(struct cage *cage, const char *program)
{
	static char runtime[8192], document[8192];

	snprintf(document, sizeof(document),
	    "  denyRead: [\"**/*.env\", \"secrets/**\"]\n"
	    "  denyModify: [\"**/*.env\", \"secrets/**\", \"ro/**\"]\n"
	    "  fsProfiles:\n"
	    "    dev: {read: [\"**\"], modify: [\"**\"]%s}\n",
	    cage->more == NULL ? "" : cage->more);
	snprintf(runtime, sizeof(runtime),
	    "/usr /lib /lib64 /bin /sbin /etc /proc /dev %s", program);
	world_make(&cage->world, &(struct world_spec){
		.profile = "dev",
		.workspace = strdup(tmp_path("w")),
		.documents = { { CORDON_LAYER_USER, true,
		    cage->rules != NULL ? cage->rules : document } },
		.runtime_read = runtime,
		.runtime_write = "/dev/null /dev/zero /dev/full /dev/tty /dev/ptmx",
	});
}

static void
cage_open_broker(struct cage *cage, enum cage_mode mode)
{
	struct cdn_broker_spec spec = { .authority = cage->world.authority,
		.regions = cage->regions, .region_count = 2,
		.reads = mode == CAGE_C,
		.trace = cage->trace, .other_names = cage->other_names,
		.denied = cage_denied, .denied_arg = cage };
	struct cordon_error err;

	cage->regions[0].path = strdup(tmp_path("w"));
	cage->regions[1].path = strdup(tmp_path("w/open"));
	cage->regions[1].native = true;
	if (cdn_broker_open(&spec, &cage->broker, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	cdn_broker_bound(cage->broker, cage_ruleset(false));
}

/* ----- Start, ask, stop ------------------------------------------------------------ */

static void
cage_run(struct cage *cage, struct cage_child *child)
{
	static const enum cdn_filter_mode modes[] = { [CAGE_A] = CDN_MODE_A,
		[CAGE_B] = CDN_MODE_B, [CAGE_C] = CDN_MODE_C };
	struct cdn_filter_spec spec = { .arch = CDN_FILTER_ARCH_HERE,
		.mode = modes[child->mode],
		.network = cage->network, .has_broker = true };

	child->ruleset = cage_ruleset(child->mode != CAGE_BARE && !cage->loose);
	if (child->mode == CAGE_BARE) {
		cage->pid = cage_spawn(child);
	} else {
		tmp_need(cdn_filter_build(&spec, &child->filter, NULL) == 0,
		    "filter", "");
		cage_authority(cage, child->argv[0]);
		cage_open_broker(cage, child->mode);
		cage->pid = cdn_broker_via(cage->broker, &child->offer,
		    cage_spawn, NULL, child);
	}
	close(child->ruleset);
	if (cage->pid <= 0 || child->error != 0) {
		printf("Bail out! no caller: %d, %s\n", (int)cage->pid,
		    strerror(child->error));
		exit(1);
	}
}

static inline void
cage_start(struct cage *cage, enum cage_mode mode)
{
	struct cage_child *child = calloc(1, sizeof(*child));
	const char *program = getenv("CORDON_CALLER");
	int in[2], out[2];

	tmp_need(child != NULL && pipe2(in, O_CLOEXEC) == 0 &&
	    pipe2(out, O_CLOEXEC) == 0, "pipe", "");
	memset(cage, 0, offsetof(struct cage, trace));
	child->offer = (struct cdn_offer)CDN_OFFER_INIT;
	child->mode = mode;
	child->in = in[0];
	child->out = out[1];
	child->argv[0] = program != NULL ? program : "caller";
	signal(SIGPIPE, SIG_IGN);
	cage_run(cage, child);
	free(child);
	close(in[0]);
	close(out[1]);
	cage->to = fdopen(in[1], "w");
	cage->from = fdopen(out[0], "r");
}

CDN_PRINTF(2, 3) static inline void
cage_send(struct cage *cage, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(cage->to, fmt, ap);
	va_end(ap);
	fputc('\n', cage->to);
	fflush(cage->to);
}

static inline const char *
cage_receive(struct cage *cage)
{
	if (fgets(cage->answer, sizeof(cage->answer), cage->from) == NULL)
		snprintf(cage->answer, sizeof(cage->answer), "gone");
	cage->answer[strcspn(cage->answer, "\n")] = '\0';
	return cage->answer;
}

#define cage_ask(cage, ...) \
	(cage_send((cage), __VA_ARGS__), cage_receive(cage))

static inline bool
cage_says(const struct cage *cage, const char *beginning)
{
	return strncmp(cage->answer, beginning, strlen(beginning)) == 0;
}

/* The broker, and all that it borrowed. */
static inline void
cage_close(struct cage *cage)
{
	if (cage->broker == NULL)
		return;
	cdn_broker_close(cage->broker);
	cage->broker = NULL;
	free((void *)(uintptr_t)cage->regions[0].path);
	free((void *)(uintptr_t)cage->regions[1].path);
	free((void *)(uintptr_t)cage->world.spec.workspace);
	world_done(&cage->world);
}

/* The wait status of the caller. */
static inline int
cage_stop(struct cage *cage)
{
	int status = 0;

	fclose(cage->to);
	waitpid(cage->pid, &status, __WALL);
	fclose(cage->from);
	cage_close(cage);
	return status;
}

static inline int
cage_count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	while (dir != NULL && readdir(dir) != NULL)
		n++;
	if (dir != NULL)
		closedir(dir);
	return n - 2;
}

/* Those that leave are still listed for a moment. */
static inline int
cage_threads_left(void)
{
	for (int i = 0; i < 12000 && cage_count_threads() > 1; i++)
		usleep(10000);
	return cage_count_threads();
}

#endif
