/*
 * Where a caller may connect to, bind and listen, by every kind of address; and
 * each denial beside something alike that is allowed.
 */
#include "servers.h"

static struct words words;

#define RUN(cage, title, rows) \
	rows_run(cage, title, &words, rows, CDN_LEN(rows))

static void
begin(struct cage *cage, enum cdn_filter_network network, const char *rules)
{
	tmp_begin();
	cage_files();
	cage->network = network;
	cage->more = rules;
	cage_start(cage, CAGE_C);
}

static void
end(struct cage *cage)
{
	cage_stop(cage);
	tmp_end();
}

/* ----- The internet -------------------------------------------------------------- */

static const struct row loopback[] = {
	{ "socket 4 stream", "fd 3" },
	{ "connect 3 4 192.0.2.1 80", "errno 13" },
	{ "connect 3 size 8 4 127.0.0.1 $P", "errno 22" },
	{ "connect 3 size 200 4 127.0.0.1 $P", "errno 22" },
	{ "connect 3 6 ::1 $P", "errno 97" },
	{ "connect 3 u $W/pub/a", "errno 97" },
	{ "connect 3 4 127.0.0.1 $P", "done" },
	{ "connect 3 4 127.0.0.1 $P", "errno 106" },
	{ "write 3 x", "wrote 1" },
	{ "connect 3 none", "done" },
	{ "connect 3 4 0.0.0.0 $P", "done" }, /* is loopback */
	{ "close 3", "closed" },
	{ "socket 4 stream", "fd 3" },
	{ "connect 3 4 127.0.0.1 1", "errno 111" },
	{ "close 3", "closed" },
	{ "connect 3 4 127.0.0.1 $P", "errno 9" },
	{ "connect 1 4 127.0.0.1 $P", "errno 88" },
	{ "socket 4 stream now", "fd 3" },
	{ "connect 3 4 192.0.2.1 80", "errno 13" },
	{ "connect 3 4 127.0.0.1 $P", "errno 115" },
	{ "ready 3", "done" },
	{ "connect 3 4 127.0.0.1 $P", "done" }, /* says so once */
	{ "close 3", "closed" },
	{ "socket 4 stream now", "fd 3" },
	{ "connect 3 4 127.0.0.1 1", "errno 11" },
	{ "ready 3", "errno 111" },
	{ "close 3", "closed" },

	/* binding */
	{ "socket 4 stream", "fd 3" },
	{ "bind 3 4 192.0.2.1 0", "errno 99" }, /* not judged */
	{ "bind 3 4 192.0.2.1 80", "errno 13" },
	{ "bind 3 4 0.0.0.0 9999", "errno 13" },
	{ "bind 3 9 0.0.0.0 9999", "errno 13" },
	{ "bind 3 9 127.0.0.1 0", "errno 97" },
	{ "listen 3", "errno 13" }, /* to all, on any port */
	{ "close 3", "closed" },
	{ "socket 4 stream", "fd 3" },
	{ "bind 3 4 127.0.0.1 0", "done" },
	{ "listen 3", "done" },
	{ "close 3", "closed" },
	{ "socket 4 stream", "fd 3" },
	{ "bind 3 4 0.0.0.0 0", "done" }, /* as the kernel does by itself */
	{ "listen 3", "errno 13" },
	{ "connect 3 4 127.0.0.1 $P", "done" },
	{ "close 3", "closed" },
	{ "interfaces", "interfaces" },
};

static const struct row loopback6[] = {
	{ "socket 6 stream", "fd 3" },
	{ "connect 3 6 2001:db8::1 80", "errno 13" },
	{ "connect 3 6 ::ffff:192.0.2.1 80", "errno 13" },
	{ "connect 3 6 ::1 $Q", "done" },
	{ "close 3", "closed" },
	{ "socket 6 stream", "fd 3" },
	{ "connect 3 6 ::ffff:127.0.0.1 $P", "done" },
	{ "close 3", "closed" },
	{ "socket 6 stream", "fd 3" },
	{ "connect 3 6 :: $Q", "done" },
	{ "close 3", "closed" },
	{ "socket 6 stream", "fd 3" },
	{ "connect 3 6 ::ffff:0.0.0.0 $P", "done" },
	{ "close 3", "closed" },
	{ "socket 6 stream", "fd 3" },
	{ "connect 3 size 20 6 ::1 $Q", "errno 22" },
	{ "connect 3 size 24 6 ::1 $Q", "done" },
	{ "close 3", "closed" },
	{ "socket 6 stream", "fd 3" },
	{ "bind 3 6 :: 9999", "errno 13" },
	{ "listen 3", "errno 13" },
	{ "close 3", "closed" },
	{ "socket 6 stream", "fd 3" },
	{ "bind 3 6 ::1 0", "done" },
	{ "listen 3", "done" },
	{ "close 3", "closed" },
};

static void
check_loopback(void)
{
	struct cage cage = { 0 };
	int four, six;

	words = (struct words){ 0, 0 };
	four = server_inet("127.0.0.1", SOCK_STREAM, &words.p);
	six = server_inet("::1", SOCK_STREAM, &words.q);
	begin(&cage, CDN_FILTER_NET_LISTED, ", network: loopback");
	if (four >= 0)
		RUN(&cage, "loopback", loopback);
	else
		skip("no loopback here");
	if (four >= 0 && six >= 0)
		RUN(&cage, "IPv6", loopback6);
	else
		skip("no IPv6 here");
	ok_f(four < 0 || cage.denials > 0, "%u denials were told",
	    cage.denials);
	end(&cage);
	close(four);
	close(six);
}

/* One endpoint only: not its neighbours, nor its port elsewhere. */
static const struct row listed[] = {
	{ "socket 4 stream", "fd 3" },
	{ "connect 3 4 127.0.0.1 $Q", "errno 13" },
	{ "connect 3 4 127.0.0.2 $P", "errno 13" },
	{ "connect 3 4 0.0.0.0 $Q", "errno 13" },
	{ "connect 3 4 127.0.0.1 $P", "done" },
	{ "close 3", "closed" },
	{ "socket 4 stream", "fd 3" },
	{ "connect 3 4 0.0.0.0 $P", "done" },
	{ "close 3", "closed" },
	{ "socket 4 stream", "fd 3" },
	{ "bind 3 4 127.0.0.1 $P", "errno 98" }, /* allowed, and taken */
	{ "bind 3 4 127.0.0.1 0", "done" },
	{ "listen 3", "errno 13" },
	{ "close 3", "closed" },
	{ "socket 4 stream", "fd 3" },
	{ "bind 3 4 127.0.0.1 $Q", "errno 13" },
	{ "close 3", "closed" },
};

static void
check_list(void)
{
	struct cage cage = { 0 };
	char rules[128];
	struct drain drain;
	int allowed, denied, other;

	words = (struct words){ 0, 0 };
	allowed = server_inet("127.0.0.1", SOCK_STREAM, &words.p);
	denied = server_inet("127.0.0.1", SOCK_STREAM, &words.q);
	other = server_inet("127.0.0.2", SOCK_STREAM, &words.p);
	if (allowed < 0 || denied < 0 || other < 0) {
		skip("no loopback here");
		return;
	}
	snprintf(rules, sizeof(rules), ", network: [\"127.0.0.1:%d\"]",
	    words.p);
	begin(&cage, CDN_FILTER_NET_LISTED, rules);
	RUN(&cage, "list", listed);
	snprintf(rules, sizeof(rules), "127.0.0.1:%d", words.q);
	ok_f(cage.op == CORDON_BIND && strcmp(cage.denied, rules) == 0,
	    "the last denial: %s", cage.denied);
	ok_f(server_awaits(allowed, 2) == 2, "the one was reached");
	drain_start(&drain, allowed);
	(void)cage_ask(&cage, "flip %lu stream 4 127.0.0.1 %d , 4 127.0.0.1"
	    " %d", server_flips(), words.p, words.q);
	ok_f(cage_says(&cage, "good "), "flip of ports: %s", cage.answer);
	(void)cage_ask(&cage, "flip %lu stream 4 127.0.0.1 %d , 4 127.0.0.2"
	    " %d", server_flips(), words.p, words.p);
	ok_f(cage_says(&cage, "good "), "flip of hosts: %s", cage.answer);
	ok_f(drain_stop(&drain) > 0, "the one was reached %d times",
	    drain.count);
	ok_f(server_reached(denied) == 0 && server_reached(other) == 0,
	    "the others were never reached");
	end(&cage);
	close(allowed);
	close(denied);
	close(other);
}

static void
check_full(void)
{
	static const struct row full[] = {
		{ "socket 4 stream", "fd 3" },
		{ "connect 3 4 127.0.0.1 $P", "done" },
		{ "close 3", "closed" },
		{ "socket 4 stream", "fd 3" },
		{ "bind 3 4 0.0.0.0 0", "done" },
		{ "listen 3", "done" },
		{ "close 3", "closed" },
		{ "socket u stream", "fd 3" },
		{ "connect 3 u $O/s", "errno 13" },
		{ "close 3", "closed" },
	};
	struct cage cage = { 0 };
	int server;

	words = (struct words){ 0, 0 };
	server = server_inet("127.0.0.1", SOCK_STREAM, &words.p);
	begin(&cage, CDN_FILTER_NET_FULL, ", network: full");
	close(server_unix(tmp_path("out/s"), false));
	if (server >= 0)
		RUN(&cage, "full", full);
	else
		skip("no loopback here");
	end(&cage);
	close(server);
}

/* ----- Paths --------------------------------------------------------------------- */

static const struct row paths[] = {
	/* others' servers: in the workspace, outside, denied, named */
	{ "socket u stream", "fd 3" },
	{ "connect 3 u $O/s", "errno 13" },
	{ "connect 3 u $W/secrets/s.sock", "errno 13" },
	{ "connect 3 u $W/pub/x.env", "errno 13" },
	{ "connect 3 u $W/pub/theirs", "errno 13" },
	{ "connect 3 u $W/open/theirs", "errno 13" },
	{ "connect 3 u $W/link-out", "errno 13" },
	{ "connect 3 u $W/../out/s", "errno 13" },
	{ "connect 3 u /proc/self/root$O/s", "errno 13" },
	{ "connect 3 u $W/pub/none", "errno 2" },
	{ "connect 3 u $W/pub/a", "errno 111" },
	{ "connect 3 u $W/pub/a/b", "errno 20" },
	{ "connect 3 auto", "errno 22" },
	{ "connect 3 none", "errno 22" },
	{ "connect 3 4 127.0.0.1 80", "errno 22" },
	{ "connect 3 a cordon-$A", "errno 1" },
	{ "connect 3 long $O/s", "errno 13" },
	{ "connect 3 long $W/pub/s", "done" },
	{ "connect 3 u $W/pub/s", "errno 106" },
	{ "close 3", "closed" },
	{ "socket u packet", "fd 3" },
	{ "connect 3 u $W/pub/s", "errno 91" },
	{ "close 3", "closed" },
	{ "socket u stream", "fd 3" },
	{ "connect 3 u $O/named", "done" },
	{ "close 3", "closed" },
	{ "socket u stream", "fd 3" },
	{ "chdir $W/pub", "changed" },
	{ "connect 3 u ../../out/s", "errno 13" },
	{ "connect 3 u s", "done" },
	{ "close 3", "closed" },
	{ "socket u dgram", "errno 94" },

	/* his own */
	{ "socket u stream", "fd 3" },
	{ "bind 3 u $O/new", "errno 13" },
	{ "bind 3 u $W/ro/new", "errno 13" },
	{ "bind 3 u $W/new.env", "errno 13" },
	{ "bind 3 u $W/link-dir/new", "errno 13" },
	{ "bind 3 u $W/pub/a", "errno 98" },
	{ "bind 3 u $W/link-gone", "errno 98" },
	{ "bind 3 u $W/pub/none/new", "errno 2" },
	{ "bind 3 u $W/pub/new/", "errno 2" },
	{ "listen 3", "errno 22" },
	{ "umask 027", "was" },
	{ "bind 3 u $W/pub/new", "done" },
	{ "bind 3 u $W/pub/other", "errno 22" },
	{ "listen 3", "done" },
	{ "socket u stream", "fd 4" },
	{ "connect 4 u new", "done" },
	{ "accept 3", "fd 5" },
	{ "write 4 hello", "wrote 5" },
	{ "receive 5", "data hello" },
	{ "keep $W/pub/a", "fd 6" },
	{ "pass 4 6", "sent 2" },
	{ "taken 5", "data public" },
	{ "big 4 100000", "sent 100000" },
	{ "close 4", "closed" },
	{ "broken 5", "errno 32 pipes 1" },
	{ "close 6", "closed" },
	{ "close 5", "closed" },
	{ "close 3", "closed" },
	{ "socket u stream", "fd 3" },
	{ "bind 3 u $W/open/new", "done" },
	{ "name 3", "name $W/open/new" }, /* a native region */
	{ "socket u stream", "fd 4" },
	{ "connect 4 u $W/open/new", "errno 111" }, /* nobody yet */
	{ "close 4", "closed" },
	{ "listen 3", "done" },
	{ "socket u stream", "fd 4" },
	{ "connect 4 u $W/open/new", "done" },
	{ "close 4", "closed" },
	{ "rename $W/open/new $W/open/renamed", "done" },
	{ "socket u stream", "fd 4" },
	{ "connect 4 u $W/open/renamed", "done" },
	{ "close 4", "closed" },
	{ "close 3", "closed" },
	{ "socket u stream", "fd 3" },
	{ "connect 3 u $W/open/renamed", "errno 111" }, /* left behind */
	/* theirs under another name, where his own are */
	{ "rename $W/open/theirs $W/open/mine", "done" },
	{ "connect 3 u $W/open/mine", "errno 13" },
	{ "link $W/open/mine $W/pub/mine", "done" },
	{ "connect 3 u $W/pub/mine", "errno 13" },
	{ "close 3", "closed" },
	{ "socket u stream", "fd 3" },
	{ "bind 3 long $W/pub/long", "done" },
	{ "close 3", "closed" },
	{ "socket u stream", "fd 3" },
	{ "bind 3 auto", "done" },
	{ "close 3", "closed" },
	{ "socket u stream", "fd 3" },
	{ "bind 3 a cordon-own-$A", "done" },
	{ "close 3", "closed" },
};

static void
check_paths(enum cdn_filter_network network)
{
	struct cage cage = { 0 };
	char rules[1024], named_path[256];
	struct stat st;
	struct drain drain;
	int allowed, outside, abstract, named, theirs[2];

	tmp_begin();
	cage_files();
	tmp_link("../out/s", "w/link-out");
	tmp_link("secrets", "w/link-dir");
	tmp_link("nowhere", "w/link-gone");
	outside = server_unix(tmp_path("out/s"), false);
	snprintf(rules, sizeof(rules), "cordon-%d", getpid());
	abstract = server_unix(rules, true);
	close(server_unix(tmp_path("w/secrets/s.sock"), false));
	close(server_unix(tmp_path("w/pub/x.env"), false));
	allowed = server_unix(tmp_path("w/pub/s"), false);
	theirs[0] = server_unix(tmp_path("w/pub/theirs"), false);
	theirs[1] = server_unix(tmp_path("w/open/theirs"), false);
	snprintf(named_path, sizeof(named_path), "%s", tmp_path("out/named"));
	snprintf(rules, sizeof(rules), ", network: %s, "
	    "sockets: [\"%s\", \"%s\"]",
	    network == CDN_FILTER_NET_NONE ? "none" : "loopback",
	    named_path, tmp_path("w/pub/s"));
	named = server_unix(tmp_path("out/named"), false);
	cage.network = network;
	cage.more = rules;
	cage_start(&cage, CAGE_C);
	for (size_t i = 0; i < CDN_LEN(paths); i++) {
		/* Only where nothing of the internet is judged. */
		if (network == CDN_FILTER_NET_NONE ||
		    strncmp(paths[i].request, "name", 4) != 0)
			rows_run(&cage, "unix", &words, &paths[i], 1);
	}
	ok_f(stat(tmp_path("w/pub/new"), &st) == 0 &&
	    st.st_mode == (S_IFSOCK | 0750), "with the mask of the caller: %o",
	    st.st_mode);
	ok_f(server_awaits(allowed, 2) == 2, "the one was reached");
	drain_start(&drain, allowed);
	(void)cage_ask(&cage, "flip %lu stream u %s , u %s", server_flips(),
	    tmp_path("w/pub/s"), tmp_path("w/../out/s"));
	ok_f(cage_says(&cage, "good ") && drain_stop(&drain) > 0,
	    "flip: %s, reached %d times", cage.answer, drain.count);
	ok_f(server_reached(outside) == 0 && server_reached(abstract) == 0 &&
	    server_reached(theirs[0]) == 0 && server_reached(theirs[1]) == 0,
	    "the others were never reached");
	close(theirs[0]);
	close(theirs[1]);
	close(outside);
	close(abstract);
	close(named);
	close(allowed);
	end(&cage);
}

/* ----- Connects that hang -------------------------------------------------------- */

/* Nobody accepts, and the queue is full. */
static void
fill_queue(int server, int full[4], const char *path)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)words.p),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	(void)listen(server, 0);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	for (int i = 0; i < 4; i++) {
		full[i] = socket(path[0] == '\0' ? AF_INET : AF_UNIX,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(full[i], path[0] == '\0' ? (void *)&in :
			(void *)&un, path[0] == '\0' ? sizeof(in) : sizeof(un));
	}
	usleep(20000);
}

static void
check_hanging(bool unix_socket)
{
	struct cage cage = { 0 };
	struct timespec from, to;
	int server, full[4], good = 0;
	long ms;

	words = (struct words){ 0, 0 };
	begin(&cage, CDN_FILTER_NET_LISTED, ", network: loopback");
	server = unix_socket ? server_unix(tmp_path("w/pub/s"), false) :
	    server_inet("127.0.0.1", SOCK_STREAM, &words.p);
	if (server < 0) {
		skip("no loopback here");
		end(&cage);
		return;
	}
	fill_queue(server, full, unix_socket ? tmp_path("w/pub/s") : "");
	for (int i = 0; i < 6; i++)
		if (unix_socket)
			(void)cage_ask(&cage, "late u %s", tmp_path("w/pub/s"));
		else
			(void)cage_ask(&cage, "late 4 127.0.0.1 %d", words.p);
	for (int i = 0; i < 20; i++) {
		(void)cage_ask(&cage, "connect 0 4 127.0.0.1 %d", words.p);
		good += cage_says(&cage, "errno 88");
	}
	ok_f(good == 20, "6 hang, others are answered %d times", good);
	clock_gettime(CLOCK_MONOTONIC, &from);
	cage_close(&cage);
	clock_gettime(CLOCK_MONOTONIC, &to);
	ms = (to.tv_sec - from.tv_sec) * 1000 +
	    (to.tv_nsec - from.tv_nsec) / 1000000;
	ok_f(ms < 60000, "and the end does not wait for them: %ld ms", ms);
	fclose(cage.to);
	fclose(cage.from);
	waitpid(cage.pid, NULL, __WALL);
	close(server);
	for (int i = 0; i < 4; i++)
		close(full[i]);
	ok_f(cage_threads_left() == 1, "then no thread is left: %d",
	    cage_count_threads());
	tmp_end();
}

/* ----- Terminals ----------------------------------------------------------------- */

static void
check_pty(void)
{
	struct cage cage = { 0 };

	begin(&cage, CDN_FILTER_NET_NONE, NULL);
	if (access("/dev/ptmx", R_OK | W_OK) != 0) {
		skip("no terminals here");
	} else {
		(void)cage_ask(&cage, "pty");
		ok_f(cage_says(&cage, "fd typed cloexec 0"), "a terminal: %s",
		    cage.answer);
	}
	(void)cage_ask(&cage, "peer 1");
	ok_f(cage_says(&cage, "errno 25"), "of a pipe: %s", cage.answer);
	(void)cage_ask(&cage, "peer 77");
	ok_f(cage_says(&cage, "errno 9"), "of nothing: %s", cage.answer);
	end(&cage);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_loopback();
	check_list();
	check_full();
	check_paths(CDN_FILTER_NET_NONE);
	check_paths(CDN_FILTER_NET_LISTED);
	check_pty();
	check_hanging(false);
	check_hanging(true);
	ok_f(cage_threads_left() == 1, "no thread is left");
	return done_testing();
}
