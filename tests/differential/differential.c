/*
 * One policy, five answers: the decision function, a naive oracle, the kernel
 * in every mode of the native backend, the kernel under bwrap, and a reader of
 * the profile for macOS.
 *
 *	CORDON_COMMAND=cordon differential PROBER POLICIES
 *	CORDON_TEST=cordon-test differential PROBER planted
 *
 * So many policies, CORDON_TRIES times, each with a tree of its own, some with a
 * policy of the host or a worker; or bugs that must be found.
 */
#include "differential.h"

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include "support/random.h"
#include "support/tap.h"

/* ----- The stage ---------------------------------------------------------- */

static void
copy_program(const char *from, const char *to)
{
	static char bytes[1 << 16];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t n;

	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, (size_t)n) != n)
			err(2, "%s", to);
	if (in < 0 || out < 0 || n < 0)
		err(2, "%s", from);
	close(in);
	close(out);
}

static void
set_stage(const char *prober)
{
	/* Not /tmp, of which bwrap has one of its own. */
	snprintf(stage, sizeof(stage), "/var/tmp/cordon-differential-XXXXXX");
	if (mkdtemp(stage) == NULL || chmod(stage, 0755) != 0)
		err(2, "%s", stage);
	dir_make(at("tools"));
	copy_program(prober, at("tools/prober"));
	setenv("HOME", at("home"), 1);
	setenv("XDG_STATE_HOME", at("state"), 1);
	setenv("XDG_CONFIG_HOME", at("config"), 1);
	unsetenv("XDG_RUNTIME_DIR");
	signal(SIGPIPE, SIG_IGN);
	umask(022);
}

/* Who may mount has an /etc of his own, with a policy of the host. */
static bool
take_etc(void)
{
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return false;
	dir_make(at("etc"));
	dir_make(at("etc/cordon"));
	copy_program("/etc/passwd", at("etc/passwd"));
	return mount(at("etc"), "/etc", NULL, MS_BIND, NULL) == 0;
}

/* ----- The tests ---------------------------------------------------------- */

static struct world world;
static struct questions questions;
static bool is_extended, is_linked, has_host;

size_t
chance(size_t n)
{
	return random_below(n);
}

/* The i-th policy and tree of a seed. */
static void
make_world(uint64_t seed, size_t i)
{
	random_state = seed + i * UINT64_C(0x9e3779b97f4a7c1);
	draft_make(&world.draft, i % DRAFT_SHAPES);
	if (is_extended) { /* all else is as it would be without */
		uint64_t before = random_state;

		draft_extend(&world.draft, has_host);
		random_state = before;
	}
	tree_grow(&world.tree);
	if (is_linked) {
		uint64_t before = random_state;

		tree_grow_names(&world.tree);
		random_state = before;
	}
	draft_write(&world.draft, &world.tree);
	questions_make(&questions, &world.tree);
}

#define WRONG_MAX 3  /* made small and printed */
#define ENOUGH	  50 /* policies, to meet every mode */

static void
test_agreement(size_t count)
{
	static struct tally tally;
	struct finding finding;
	uint64_t seed = random_state;
	unsigned long wrong = 0;

	for (size_t i = 0; i < count && wrong < WRONG_MAX; i++) {
		make_world(seed, i);
		tally.hosts += world.draft.source == SOURCE_HOST;
		tally.workers += world.draft.worker != WORKER_NONE;
		if (examine(&world, &questions, ALL, &tally, &finding))
			continue;
		wrong++;
		printf("# policy %zu of CORDON_SEED=%llu\n", i,
		    (unsigned long long)seed);
		shrink(&world, &finding);
		tell(&world, &finding);
		fflush(stdout);
	}
	ok_f(wrong == 0, "%lu cases of %lu policies: all agree", tally.cases,
	    tally.policies);
	ok_f(tally.allowed > tally.cases / 10 &&
	    tally.denied > tally.cases / 10, "%lu allowed, %lu denied",
	    tally.allowed, tally.denied);
	for (enum enforcer by = 0; by < ENFORCERS; by++)
		ok_f(tally.agree[by] > tally.reported[by],
		    "%s: %lu agree, %lu differ as is reported", enforcers[by],
		    tally.agree[by], tally.reported[by]);
	ok_f(count < ENOUGH || (tally.modes[CDN_PLAN_MODE_A] > 0 &&
	    tally.modes[CDN_PLAN_MODE_B] > 0 &&
	    tally.modes[CDN_PLAN_MODE_C] > 0), "modes: A %lu, B %lu, C %lu",
	    tally.modes[CDN_PLAN_MODE_A], tally.modes[CDN_PLAN_MODE_B],
	    tally.modes[CDN_PLAN_MODE_C]);
	ok_f(count < ENOUGH || (tally.workers > 0 &&
	    (tally.hosts > 0 || !has_host)),
	    "%lu with a policy of the host, %lu with a worker", tally.hosts,
	    tally.workers);
	ok_f(count < ENOUGH || (tally.linked > 0 && tally.weaker > 0),
	    "%lu denied for another name, %lu policies not held for one",
	    tally.linked, tally.weaker);
	ok_f(tally.refused * 4 < tally.policies, "%lu cannot be held here",
	    tally.refused);
}

static const struct {
	const char *plant;
	enum enforcer by;
	size_t first; /* policies before do not meet it, and take time */
	const char *what;
	bool moves; /* asked about renames alone */
	bool links; /* some files have several names */
} plants[] = {
	{ "plan-rule", BY_NATIVE, 24, "the plan, and Landlock, forget a rule" },
	{ "broker-rule", BY_NATIVE, 0, "the broker does" },
	{ "bwrap-rule", BY_BWRAP, 11, "the mounts of bwrap do" },
	{ "sbpl-rule", BY_SBPL, 11, "the profile for Seatbelt does" },
	{ "sbpl-rule", BY_SBPL, 11, "so that more can be renamed", true },
	{ "broker-names", BY_NATIVE, 6, "the broker forgets hard links",
	    .links = true },
	{ "plan-names", BY_NATIVE, 12, "the plan does, of what it protects",
	    .links = true },
};

#define PLANT_POLICIES 400 /* more than enough to meet each */
#define SMALL_RULES    4
#define SMALL_TREE     12

static void
keep_moves(struct questions *qs)
{
	size_t n = 0;

	for (size_t i = 0; i < qs->n; i++)
		if (qs->v[i].act == ACT_RENAME ||
		    qs->v[i].act == ACT_RENAME_DIR)
			qs->v[n++] = qs->v[i];
	qs->n = n;
}

static void
test_plant(size_t which)
{
	struct tally tally = { 0 };
	struct finding finding;
	bool found = false;

	cage_plant = plants[which].plant;
	is_linked = plants[which].links;
	for (size_t i = plants[which].first; i < PLANT_POLICIES && !found;
	     i++) {
		make_world(20261116, i);
		if (plants[which].moves)
			keep_moves(&questions);
		found = !examine(&world, &questions, BIT(plants[which].by),
		    &tally, &finding);
	}
	if (!ok_f(found, "found: %s, after %lu policies", plants[which].what,
		tally.policies))
		return;
	shrink(&world, &finding);
	tell(&world, &finding);
	ok_f(draft_size(&world.draft) <= SMALL_RULES &&
	    world.tree.n <= SMALL_TREE, "made small: %zu rules, %zu files",
	    draft_size(&world.draft), world.tree.n);
	cage_plant = NULL;
	ok(!still_differs(&world, &finding), "without the bug they agree");
}

int
main(int argc, char **argv)
{
	bool planted = argc > 2 && strcmp(argv[2], "planted") == 0;

	cage_command = getenv(planted ? "CORDON_TEST" : "CORDON_COMMAND");
	if (argc < 3 || cage_command == NULL)
		errx(2, "how many policies, and of which command?");
	random_start();
	set_stage(argv[1]);
	is_extended = is_linked = !planted;
	has_host = is_extended && take_etc();
	if (planted)
		for (size_t i = 0; i < CDN_LEN(plants); i++)
			test_plant(i);
	else
		test_agreement(strtoul(argv[2], NULL, 10) * random_tries());
	if (chdir("/") != 0)
		err(2, "/");
	tree_remove("");
	return done_testing();
}
