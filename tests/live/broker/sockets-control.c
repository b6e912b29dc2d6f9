/*
 * The control of the flips of sockets.c and messages.c: a broker that looks at
 * the address, and lets the kernel read it once more.  It is what nobody should
 * write, and the same flips get through it.
 */
#include "servers.h"

#include "enforce/broker/address.h"

/* ----- How not to do it ------------------------------------------------------- */

static void
look(struct cdn_call *call, struct cdn_call_answer *answer, unsigned at,
    enum cdn_address_use use)
{
	const uint64_t *args = call->notif->data.args;
	struct cdn_socket socket;
	struct cdn_address address;
	int r = cdn_socket_take(call, (int)args[0], &socket);

	if (r == 0) {
		r = cdn_address_copy(call, args[at], args[at + 1], &address);
		if (r == 0)
			r = cdn_address_settle(call, &socket, use, &address);
		cdn_address_done(&address);
		cdn_socket_done(&socket);
	}
	answer->kind = r < 0 ? CDN_ANSWER_ERROR : CDN_ANSWER_CONTINUE;
	answer->error = -r;
}

static void
look_to_connect(struct cdn_call *call, struct cdn_call_answer *answer)
{
	look(call, answer, 1, CDN_ADDRESS_CONNECT);
}

static void
look_to_send(struct cdn_call *call, struct cdn_call_answer *answer)
{
	look(call, answer, 4, CDN_ADDRESS_SEND);
}

/* In place of dispatch.c. */
cdn_handler_fn *
cdn_handler_find(int nr, const char **ret_name)
{
	*ret_name = "control";
	switch (nr) {
	case SYS_execve:
		return cdn_handle_exec;
	case SYS_openat:
		return cdn_handle_open;
	case SYS_socket: /* UDP, where addresses are judged */
		return cdn_handle_socket;
	case SYS_connect:
		return look_to_connect;
	case SYS_sendto:
		return look_to_send;
	default:
		return NULL;
	}
}

/* ----- It leaks --------------------------------------------------------------- */

#define ROUNDS 2000 /* far more than it takes */

static void
begin(struct cage *cage, enum cdn_filter_network network, const char *rules)
{
	tmp_begin();
	cage_files();
	cage->network = network;
	cage->more = rules;
}

/* Until somebody comes who may not. */
static void
check_streams(struct cage *cage, const char *what, const char *good,
    const char *bad, int allowed, int denied)
{
	struct drain drain;
	int reached = 0;

	drain_start(&drain, allowed);
	for (int i = 0; i < ROUNDS && reached == 0; i++) {
		(void)cage_ask(cage, "flip 200 stream %s , %s", good, bad);
		reached = server_reached(denied);
	}
	drain_stop(&drain);
	ok_f(reached > 0, "%s: %d leaks, %d good", what, reached,
	    drain.count);
}

static void
check_ports(void)
{
	struct words words = { 0, 0 };
	int allowed = server_inet("127.0.0.1", SOCK_STREAM, &words.p);
	int denied = server_inet("127.0.0.1", SOCK_STREAM, &words.q);
	char rules[128], good[64], bad[64];
	struct cage cage = { 0 };

	if (allowed < 0 || denied < 0) {
		skip("no loopback here");
		return;
	}
	snprintf(rules, sizeof(rules), ", network: [\"127.0.0.1:%d\"]",
	    words.p);
	snprintf(good, sizeof(good), "4 127.0.0.1 %d", words.p);
	snprintf(bad, sizeof(bad), "4 127.0.0.1 %d", words.q);
	begin(&cage, CDN_FILTER_NET_LISTED, rules);
	cage_start(&cage, CAGE_C);
	check_streams(&cage, "ports", good, bad, allowed, denied);
	cage_stop(&cage);
	tmp_end();
	close(allowed);
	close(denied);
}

static void
check_paths(void)
{
	char rules[512], good[256], bad[256];
	struct cage cage = { 0 };
	int allowed, denied;

	begin(&cage, CDN_FILTER_NET_NONE, rules);
	allowed = server_unix(tmp_path("w/pub/s"), false);
	denied = server_unix(tmp_path("out/s"), false);
	snprintf(rules, sizeof(rules), ", network: none, sockets: [\"%s\"]",
	    tmp_path("w/pub/s"));
	snprintf(good, sizeof(good), "u %s", tmp_path("w/pub/s"));
	snprintf(bad, sizeof(bad), "u %s", tmp_path("w/../out/s"));
	cage_start(&cage, CAGE_C);
	check_streams(&cage, "paths", good, bad, allowed, denied);
	cage_stop(&cage);
	tmp_end();
	close(allowed);
	close(denied);
}

static void
check_datagrams(void)
{
	struct words words = { 0, 0 };
	int allowed = server_inet("127.0.0.1", SOCK_DGRAM, &words.p);
	int denied = server_inet("127.0.0.1", SOCK_DGRAM, &words.q);
	struct cage cage = { 0 };
	bool reached = false;
	char rules[128];

	if (allowed < 0 || denied < 0) {
		skip("no loopback here");
		return;
	}
	snprintf(rules, sizeof(rules), ", network: [\"127.0.0.1:%d\"]",
	    words.p);
	begin(&cage, CDN_FILTER_NET_LISTED, rules);
	cage_start(&cage, CAGE_C);
	for (int i = 0; i < ROUNDS && !reached; i++) {
		(void)cage_ask(&cage, "flip 200 dgram 4 127.0.0.1 %d , "
		    "4 127.0.0.1 %d", words.p, words.q);
		reached = server_got(denied)[0] == 'x';
	}
	ok_f(reached, "datagrams: %s", cage.answer);
	cage_stop(&cage);
	tmp_end();
	close(allowed);
	close(denied);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_ports();
	check_paths();
	check_datagrams();
	return done_testing();
}
