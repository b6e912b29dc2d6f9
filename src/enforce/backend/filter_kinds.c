#include "enforce/backend/filter_kinds.h"

#include <errno.h>

/* ----- The calls ------------------------------------------------------------- */

static const struct {
	int16_t number[CDN_FILTER_ARCH_MAX];
	uint8_t kind;
} calls[] = {
#define CALL(name, x86_64, aarch64, kind) \
	{ { x86_64, aarch64 }, CDN_KIND_##kind },
#include "enforce/backend/syscalls.def"
#undef CALL
};

void
cdn_filter_calls(enum cdn_filter_arch arch, uint8_t kinds[CDN_CALLS_MAX])
{
	memset(kinds, CDN_KIND_UNKNOWN, CDN_CALLS_MAX);
	for (size_t i = 0; i < CDN_LEN(calls); i++)
		if (calls[i].number[arch] >= 0)
			kinds[calls[i].number[arch]] = calls[i].kind;
}

/* ----- The answers ----------------------------------------------------------- */

#define OK   CDN_SECCOMP_ALLOW
#define TRAP CDN_SECCOMP_NOTIFY
#define E(e) (CDN_SECCOMP_ERRNO | (e))

#define ALWAYS(kind, answer) \
	{ CDN_KIND_##kind, 0, { answer, answer, answer, answer } }

/*
 * Why what has no broker is as it is, is said in filter.h.  With one, the
 * columns are those of the modes; a trap in A is one in B and C.
 */
static const struct {
	uint8_t kind;
	uint16_t facts;
	uint32_t answer[CDN_MODE_MAX];
} rows[] = {
	ALWAYS(UNKNOWN, E(ENOSYS)),
	ALWAYS(ALLOW, OK),
	ALWAYS(REFUSE, E(EPERM)),
	ALWAYS(GONE, E(ENOSYS)),
	ALWAYS(OPAQUE, E(ENOSYS)),
	ALWAYS(NO_HANDLE, E(EOPNOTSUPP)),
	ALWAYS(BAD_FLAGS, E(EINVAL)),
	ALWAYS(NO_FAMILY, E(EAFNOSUPPORT)),
	ALWAYS(NO_TYPE, E(ESOCKTNOSUPPORT)),
	ALWAYS(NO_PROTOCOL, E(EPROTONOSUPPORT)),
	ALWAYS(NO_OPTION, E(ENOPROTOOPT)),
	ALWAYS(NO_FASTOPEN, E(EOPNOTSUPP)),

	/* kind, facts	  no broker	A	B	C */
	{ CDN_KIND_READ, 0, { OK,	OK,	OK,	TRAP } },
	{ CDN_KIND_WRITE, 0, { OK,	OK,	TRAP,	TRAP } },
	{ CDN_KIND_SET_ID, 0, { E(EPERM), TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_EXEC, 0, { OK,	OK,	OK,	TRAP } },
	{ CDN_KIND_PTY, 0, { OK,	TRAP,	TRAP,	TRAP } },

	{ CDN_KIND_METADATA, CDN_FACT_NO_MODIFY,
	    { E(EPERM),			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_METADATA, 0,
	    { OK,			TRAP,	TRAP,	TRAP } },

	/* Refused in any case; the broker tells of it. */
	{ CDN_KIND_NO_NETWORK, 0,
	    { E(EAFNOSUPPORT),		TRAP,	TRAP,	TRAP } },

	{ CDN_KIND_RARE, 0, { E(EPERM),	TRAP,	TRAP,	TRAP } },

	/* The broker makes it, so that it cannot leave this machine. */
	{ CDN_KIND_UDP, CDN_FACT_LISTED,
	    { E(EAFNOSUPPORT),		TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_UDP, 0, { OK,	OK,	OK,	OK } },

	/* A filter cannot tell a unix address from an inet one. */
	{ CDN_KIND_CONNECT, CDN_FACT_LISTED,
	    { OK,			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_CONNECT, CDN_FACT_UNIX_JUDGED,
	    { OK,			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_CONNECT, 0, { OK,	OK,	OK,	OK } },

	/* Binding a unix socket makes a name. */
	{ CDN_KIND_BIND, CDN_FACT_LISTED,
	    { OK,			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_BIND, CDN_FACT_UNIX_JUDGED, /* whose own it is */
	    { OK,			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_BIND, 0, { OK,	OK,	TRAP,	TRAP } },

	{ CDN_KIND_LISTEN, CDN_FACT_LISTED,
	    { OK,			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_LISTEN, 0, { OK,	OK,	OK,	OK } },

	/*
	 * Only datagrams go where the message says; the unix sockets that are
	 * left (stream, seqpacket) refuse or ignore an address.
	 */
	{ CDN_KIND_SEND, CDN_FACT_LISTED | CDN_FACT_DATAGRAM,
	    { OK,			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_SEND, 0, { OK,	OK,	OK,	OK } },

	/* Where sends are trapped the broker must know of it: message.c. */
	{ CDN_KIND_SHARE, CDN_FACT_LISTED | CDN_FACT_DATAGRAM,
	    { OK,			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_SHARE, 0, { OK,	OK,	OK,	OK } },

	{ CDN_KIND_TRACE, CDN_FACT_STRICT,
	    { E(EPERM),			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_TRACE, 0, { OK,	OK,	OK,	OK } },
	/* Landlock judges it; the broker records what that refuses. */
	{ CDN_KIND_ATTACH, CDN_FACT_STRICT,
	    { E(EPERM),			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_ATTACH, 0, { OK,	TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_TAKE, CDN_FACT_STRICT,
	    { E(EPERM),			E(EPERM), E(EPERM), E(EPERM) } },
	{ CDN_KIND_TAKE, CDN_FACT_FIRST,
	    { E(EPERM),			E(EPERM), E(EPERM), E(EPERM) } },
	{ CDN_KIND_TAKE, 0, { OK,	OK,	OK,	OK } },

	/*
	 * What the broker performs is not bound by a domain that the caller
	 * put on itself.  So that nobody believes in one, there is none where
	 * the broker performs what Landlock would have judged.  Nor is a run
	 * bound by it that is started for the caller outside of its domain.
	 */
	{ CDN_KIND_LANDLOCK, CDN_FACT_NESTS,
	    { OK, E(EOPNOTSUPP), E(EOPNOTSUPP), E(EOPNOTSUPP) } },
	{ CDN_KIND_LANDLOCK, CDN_FACT_LISTED,
	    { OK, E(EOPNOTSUPP), E(EOPNOTSUPP), E(EOPNOTSUPP) } },
	{ CDN_KIND_LANDLOCK, 0,
	    { OK, OK,		 E(EOPNOTSUPP), E(EOPNOTSUPP) } },

	/* Success without effect: callers take a failure for an attack. */
	{ CDN_KIND_HIDE, 0, { OK,	E(0),	E(0),	E(0) } },

	{ CDN_KIND_SIGNAL, CDN_FACT_SIGNALS,
	    { OK,			TRAP,	TRAP,	TRAP } },
	{ CDN_KIND_SIGNAL, 0, { OK,	OK,	OK,	OK } },

	/* Of what may not be read: Landlock does not cover it. */
	{ CDN_KIND_WATCH, 0, { OK,	TRAP,	TRAP,	TRAP } },

	/* As a file that does not know the command. */
	{ CDN_KIND_COMMAND, CDN_FACT_DEVICES,
	    { E(ENOTTY), E(ENOTTY), E(ENOTTY), E(ENOTTY) } },
	{ CDN_KIND_COMMAND, 0, { OK,	OK,	OK,	OK } },
};

unsigned
cdn_filter_facts(const struct cdn_filter_spec *spec)
{
	bool full = spec->network == CDN_FILTER_NET_FULL;
	bool listed = spec->network == CDN_FILTER_NET_LISTED &&
	    spec->has_broker;
	unsigned facts = 0;

	if (full || listed)
		facts |= CDN_FACT_INET;
	if (full)
		facts |= CDN_FACT_FULL | CDN_FACT_DATAGRAM;
	if (listed)
		facts |= CDN_FACT_LISTED;
	if (listed && !spec->no_udp)
		facts |= CDN_FACT_DATAGRAM;
	if (spec->unix_sockets != CDN_FILTER_UNIX_NONE)
		facts |= CDN_FACT_UNIX;
	if (spec->unix_sockets == CDN_FILTER_UNIX_JUDGED)
		facts |= CDN_FACT_UNIX_JUDGED;
	if (spec->strict)
		facts |= CDN_FACT_STRICT;
	if (!spec->has_broker)
		facts |= CDN_FACT_ALONE;
	if (spec->no_modify)
		facts |= CDN_FACT_NO_MODIFY;
	if (spec->signals && spec->has_broker)
		facts |= CDN_FACT_SIGNALS;
	if (spec->devices)
		facts |= CDN_FACT_DEVICES;
	if (spec->first)
		facts |= CDN_FACT_FIRST;
	if (spec->nests)
		facts |= CDN_FACT_NESTS;
	return facts;
}

uint32_t
cdn_kind_answer(enum cdn_kind kind, const struct cdn_filter_spec *spec)
{
	unsigned facts = cdn_filter_facts(spec);
	unsigned column = spec->has_broker ? spec->mode : CDN_MODE_NONE;

	for (size_t i = 0; i < CDN_LEN(rows); i++)
		if (rows[i].kind == kind &&
		    (rows[i].facts & facts) == rows[i].facts)
			return rows[i].answer[column];
	cdn_bug("a kind without an answer");
}
