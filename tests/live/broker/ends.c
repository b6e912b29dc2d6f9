/*
 * Callers that are gone, memory that is not there, doors with two ends, and
 * the end of it all while somebody still waits.
 */
#include "cage.h"

#include <sys/syscall.h>

static void
begin(struct cage *cage)
{
	tmp_begin();
	cage_files();
	tmp_need(mkfifo(tmp_path("w/pub/fifo"), 0666) == 0 &&
	    mkfifo(tmp_path("w/secrets/fifo"), 0666) == 0, "mkfifo", "");
	cage_start(cage, CAGE_C);
}

static void
end(struct cage *cage)
{
	(void)cage_stop(cage);
	tmp_end();
}

/* One of a call that was just answered may be open for a moment. */
static int
quiet_fds(void)
{
	int least = tmp_open_fds();

	for (int i = 0; i < 20; i++) {
		int now;

		usleep(2000);
		now = tmp_open_fds();
		least = now < least ? now : least;
	}
	return least;
}

static void
check_memory(void)
{
	struct cage cage = { 0 };
	char name[5000];

	begin(&cage);
	(void)cage_ask(&cage, "edge 0 %s", tmp_path("w/pub/a"));
	ok_f(cage_says(&cage, "mode 100644"), "a path that ends with the page: "
	    "%s", cage.answer);
	(void)cage_ask(&cage, "wild 0");
	ok_f(cage_says(&cage, "errno 14"), "no path: %s", cage.answer);
	(void)cage_ask(&cage, "wild 0x7fffffffffff0000");
	ok_f(cage_says(&cage, "errno 14"), "no memory: %s", cage.answer);
	(void)cage_ask(&cage, "wild 0xffffffffffffffff");
	ok_f(cage_says(&cage, "errno 14"), "the last byte: %s", cage.answer);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	(void)cage_ask(&cage, "open 0 0 %s", name);
	ok_f(cage_says(&cage, "errno 36"), "5000 bytes: %s", cage.answer);
	(void)cage_ask(&cage, "open 0 0 /%.300s", name);
	ok_f(cage_says(&cage, "errno 36"), "a name of 300: %s", cage.answer);
	end(&cage);
}

/* A thousand calls of each kind would leave a thousand.  Fewer than the broker
 * has threads are theirs: each has one, and there may be more of them now. */
static bool
keeps_none(int before)
{
	return quiet_fds() <= before + CDN_BROKER_THREADS;
}

static void
check_leaks(void)
{
	unsigned long n = tries(10000), good = 0;
	struct cage cage = { 0 };
	int before, his = 0, his_now = 0;

	begin(&cage);
	(void)cage_ask(&cage, "threads 8 %s", tmp_path("w/pub/a"));
	(void)cage_ask(&cage, "many 10 0 %s", tmp_path("w/pub/a"));
	(void)sscanf(cage.answer, "good %*d fds %d", &his);
	before = quiet_fds();
	(void)cage_ask(&cage, "many %lu 0 %s", n, tmp_path("w/pub/a"));
	(void)sscanf(cage.answer, "good %lu fds %d", &good, &his_now);
	ok_f(good == n && his_now == his, "%lu opens: %s", n, cage.answer);
	(void)cage_ask(&cage, "many 1000 0 %s", tmp_path("w/x.env"));
	(void)cage_ask(&cage, "many 1000 0101 %s", tmp_path("w/pub/made"));
	(void)cage_ask(&cage, "many 1000 0 %s", tmp_path("w/pub/none"));
	(void)cage_ask(&cage, "many 1000 0 %s", "/proc/self/stat");
	ok_f(keeps_none(before), "the broker keeps none: %d, before %d",
	    quiet_fds(), before);
	(void)cage_ask(&cage, "limit 3");
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/pub/a"));
	ok_f(cage_says(&cage, "errno 24"), "a full table: %s", cage.answer);
	ok_f(keeps_none(before), "and then, too: %d", quiet_fds());
	end(&cage);
}

static void
check_threads(void)
{
	struct cage cage = { 0 };

	begin(&cage);
	(void)cage_ask(&cage, "threads 32 %s", tmp_path("w/pub/a"));
	ok_f(cage_says(&cage, "good 3200"), "32 threads: %s", cage.answer);
	end(&cage);
	ok_f(cage_threads_left() == 1, "no thread is left: %d", cage_count_threads());
}

static void
check_fifo(void)
{
	struct cage cage = { 0 };
	char data[8] = "";
	int fd;

	begin(&cage);
	(void)cage_ask(&cage, "open 04000 0 %s", tmp_path("w/pub/fifo"));
	ok_f(cage_says(&cage, "mode 10644"), "a FIFO, not waiting: %s",
	    cage.answer);
	(void)cage_ask(&cage, "open 04001 0 %s", tmp_path("w/pub/fifo"));
	ok_f(cage_says(&cage, "errno 6"), "nobody reads it: %s", cage.answer);
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/secrets/fifo"));
	ok_f(cage_says(&cage, "errno 13"), "one that is denied: %s",
	    cage.answer);

	cage_send(&cage, "keep 1 %s", tmp_path("w/pub/fifo"));
	fd = open(tmp_path("w/pub/fifo"), O_RDONLY | O_CLOEXEC);
	(void)cage_receive(&cage);
	ok_f(fd >= 0 && cage_says(&cage, "fd 3"), "a writer waits for us: %s",
	    cage.answer);
	(void)cage_ask(&cage, "getfl 3");
	ok_f(cage_says(&cage, "flags 32769"), "and may block: %s", cage.answer);
	(void)cage_ask(&cage, "write 3 hello");
	ok(read(fd, data, 5) == 5 && strcmp(data, "hello") == 0,
	    "what it writes arrives");
	close(fd);
	(void)cage_ask(&cage, "close 3");

	cage_send(&cage, "keep 0 %s", tmp_path("w/pub/fifo"));
	fd = open(tmp_path("w/pub/fifo"), O_WRONLY | O_CLOEXEC);
	(void)cage_receive(&cage);
	ok_f(fd >= 0 && cage_says(&cage, "fd 3"), "a reader waits for us: %s",
	    cage.answer);
	ok(write(fd, "word\n", 5) == 5, "we write");
	(void)cage_ask(&cage, "read 3");
	ok_f(cage_says(&cage, "data word"), "and it reads: %s", cage.answer);
	close(fd);
	end(&cage);
}

/* Killed in the middle of a call, many times; then all is as before. */
static void
check_killed(void)
{
	struct cage cage = { 0 };
	int good = 0, before;

	begin(&cage);
	(void)cage_ask(&cage, "fork 0 %s", tmp_path("w/pub/fifo"));
	before = quiet_fds();
	for (int i = 0; i < 20; i++) {
		(void)cage_ask(&cage, "fork 0 %s", tmp_path("w/pub/fifo"));
		good += cage_says(&cage, "signal 9");
	}
	ok_f(good == 20, "%d were killed while they waited", good);
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/pub/a"));
	ok_f(cage_says(&cage, "mode 100644"), "others are answered: %s",
	    cage.answer);
	/* At most one still waits, its two descriptors, and a thread more. */
	for (int i = 0; i < 1500 && quiet_fds() - before > 6; i++)
		;
	/* Twenty that were lost would be more than a few threads more. */
	ok_f(quiet_fds() - before < 15, "descriptors: %d, before %d",
	    quiet_fds(), before);
	end(&cage);
	ok_f(cage_threads_left() == 1, "no thread is left: %d", cage_count_threads());
}

/* Closed while the caller waits: he gets ENOSYS, or is gone. */
static void
check_closing(void)
{
	struct cage cage = { 0 };
	int status = 0;

	begin(&cage);
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/pub/a"));
	cage_send(&cage, "keep 0 %s", tmp_path("w/pub/fifo"));
	usleep(50000);
	cage_close(&cage);
	waitpid(cage.pid, &status, __WALL);
	ok_f(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	    "he dies with the broker: %#x", status);
	ok_f(cage_threads_left() == 1, "no thread is left: %d", cage_count_threads());
	fclose(cage.to);
	fclose(cage.from);
	tmp_end();
}

static int
start_nothing(void *arg)
{
	int *started = arg;

	++*started;
	return -ECHILD;
}

static void
check_opening(void)
{
	struct cdn_offer offer = CDN_OFFER_INIT;
	struct cdn_broker_spec spec = { 0 };
	struct cdn_broker *broker = NULL;
	struct cordon_error err;
	int before = tmp_open_fds();
	int started = 0;

	ok(cdn_broker_open(&spec, &broker, &err) == 0, "opened");
	cdn_broker_bound(broker, open("/dev/null", O_RDONLY | O_CLOEXEC));
	ok(cdn_broker_via(broker, &offer, start_nothing, NULL, &started) ==
		    -EBADFD && started == 0,
	    "not without its domain");
	cdn_broker_close(broker);
	offer = (struct cdn_offer)CDN_OFFER_INIT;
	ok(cdn_broker_open(&spec, &broker, &err) == 0, "opened again");
	cdn_broker_close(broker);
	ok(cdn_broker_open(&spec, &broker, &err) == 0, "and again");
	cdn_broker_bound(broker, -1);
	ok(cdn_broker_via(broker, &offer, start_nothing, NULL,
		    &started) ==
		-ECHILD && started == 1,
	    "a start that fails");
	cdn_broker_close(broker);
	cdn_broker_close(NULL);
	ok_f(cage_threads_left() == 1 && tmp_open_fds() == before,
	    "nothing is left: %d threads, %d descriptors, before %d",
	    cage_count_threads(), tmp_open_fds(), before);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_opening();
	check_memory();
	check_leaks();
	check_threads();
	check_fifo();
	check_killed();
	check_closing();
	return done_testing();
}
