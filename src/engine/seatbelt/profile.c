/*
 * profile - the text: what every program needs, then one list per operation.
 *
 * Of all rules that match, the last one decides.  What is taken away comes
 * after what is given, so the order among those that take away is free.
 */
#include "engine/seatbelt/seatbelt.h"

#include "engine/seatbelt/sbpl.h"

/* Not about files; what a process can do with these is in the report. */
static const char always[] =
    "(allow process*)\n"
    "(allow signal)\n"
    "(allow ipc-posix*)\n"
    "(allow mach*)\n"
    "(allow sysctl*)\n"
    "(allow iokit*)\n"
    /* what the provenance of files is kept with */
    "(allow system-mac-syscall (mac-policy-name \"vnguard\"))\n"
    "(allow system-mac-syscall (require-all (mac-policy-name \"Sandbox\") "
    "(mac-syscall-number 67)))\n";


static const char on_this_host[] =
    "(allow network* (local ip \"localhost:*\"))\n"
    "(allow network* (remote ip \"localhost:*\"))\n";
static const char nowhere[] = "(deny network*)\n";

static void
put_network(struct cdn_buf *out, enum cdn_network_mode network, bool open)
{
	if (network == CDN_NETWORK_FULL)
		cdn_buf_puts(out, open ? "" : "(allow network*)\n");
	else if (open)
		cdn_buf_puts(out, nowhere);
	if (network == CDN_NETWORK_LOOPBACK)
		cdn_buf_puts(out, on_this_host);
}

static void
put_head(struct cdn_buf *out, const struct cdn_seatbelt *seatbelt, bool open)
{
	cdn_buf_puts(out, "(version 1)\n");
	cdn_buf_puts(out, open ? "(allow default)\n" : "(deny default)\n");
	cdn_buf_puts(out, open ? "" : always);
	put_network(out, cdn_decide_network(seatbelt->authority), open);
}

/* ----- Files ------------------------------------------------------------------ */

struct section {
	enum cordon_op op;
	const char *operation;
	const char *given; /* first, to everybody; "" nothing */
};

static const struct section sections[] = {
	{ CORDON_READ, "file-read*", "(allow file-read*)\n" },
	{ CORDON_MODIFY, "file-write*", "" },
	/* given by process* already */
	{ CORDON_EXEC, "process-exec*", "(allow process-exec*)\n" },
};

static void
put_secrets(struct cdn_buf *out, const struct cdn_seatbelt *seatbelt)
{
	for (size_t i = 0; i < seatbelt->secrets.n; i++)
		cdn_sbpl_place(out, "deny", "file-read*",
		    &seatbelt->secrets.v[i]);
	for (size_t i = 0; i < seatbelt->lent.n; i++)
		cdn_sbpl_place(out, "allow", "file-read*",
		    &seatbelt->lent.v[i]);
}

/* Everything is given: what no list allows is taken away first. */
static void
put_bounds(struct cdn_buf *out, const char *operation,
    const struct cdn_shape_list *allow)
{
	struct cdn_shape any = { .kind = CDN_SHAPE_ANY, .parts = allow->v,
		.n = allow->n };

	for (size_t i = 0; i < allow->n; i++)
		if (cdn_shape_is_all(allow->v[i]))
			return;
	cdn_buf_printf(out, "(deny %s", operation);
	if (allow->n > 0) {
		cdn_buf_puts(out, " (require-not ");
		cdn_sbpl_filter(out, allow->n == 1 ? allow->v[0] : &any);
		cdn_buf_putc(out, ')');
	}
	cdn_buf_puts(out, ")\n");
}

static int
put_section(struct cdn_arena *arena, const struct cdn_seatbelt *seatbelt,
    const struct section *section, bool open, struct cdn_buf *out,
    struct cordon_error *err)
{
	bool given = open || section->given[0] != '\0';
	struct cdn_shapes shapes;
	int code = cdn_decide_shapes(arena, seatbelt->authority, section->op,
	    &shapes, err);

	if (code != 0)
		return code;
	if (!open)
		cdn_buf_puts(out, section->given);
	if (section->op == CORDON_READ)
		put_secrets(out, seatbelt);
	if (given)
		put_bounds(out, section->operation, &shapes.allow);
	for (size_t i = 0; i < shapes.allow.n && !given; i++)
		cdn_sbpl_rule(out, "allow", section->operation,
		    shapes.allow.v[i]);
	for (size_t i = 0; i < shapes.deny.n; i++)
		cdn_sbpl_rule(out, "deny", section->operation,
		    shapes.deny.v[i]);
	return 0;
}

int
cdn_seatbelt_format(struct cdn_arena *arena,
    const struct cdn_seatbelt *seatbelt, struct cdn_buf *out,
    struct cordon_error *err)
{
	bool open = seatbelt->spec.preset == CORDON_PRESET_PROTECT;
	int code = 0;

	put_head(out, seatbelt, open);
	for (size_t i = 0; i < CDN_LEN(sections) && code == 0; i++)
		code = put_section(arena, seatbelt, &sections[i], open, out,
		    err);
	/* A path is walked by looking at each directory of it. */
	cdn_buf_puts(out, "(allow file-read-metadata)\n");
	if (code == 0 && cdn_buf_failed(out))
		return cdn_err_nomem(err);
	return code;
}
