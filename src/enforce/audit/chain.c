#include "enforce/audit/chain.h"

#include <errno.h>
#include <sha2.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/audit/parts.h"

_Static_assert(CDN_HASH_SIZE == SHA256_DIGEST_STRING_LENGTH, "hash size");

const struct cdn_link cdn_link_before_first = { 0,
	"0000000000000000000000000000000000000000000000000000000000000000" };

static int
disagree(const struct cdn_chain *chain, const char *how,
    struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_INVALID,
	    "audit file '%s' %s; nothing is added to it: look at it with "
	    "'cordon audit verify', then move it and its .head away",
	    chain->file, how);
}

static int
cannot(const struct cdn_chain *chain, const char *what, int error,
    struct cordon_error *err)
{
	return cdn_err_sys(err, error, "cannot %s audit file '%s'", what,
	    chain->file);
}

static bool
same_link(const struct cdn_link *a, const struct cdn_link *b)
{
	return a->seq == b->seq && strcmp(a->hash, b->hash) == 0;
}

void
cdn_link_hash(cdn_str line, char ret[CDN_HASH_SIZE])
{
	(void)SHA256Data((const uint8_t *)line.p, line.n, ret);
}

/* ----- The head --------------------------------------------------------- */

bool
cdn_head_parse(cdn_str text, struct cdn_link *ret)
{
	*ret = cdn_link_before_first;
	if (text.n == 0)
		return true;
	if (!cdn_line_take_number(&text, &ret->seq) || text.n == 0 ||
	    *text.p != ' ')
		return false;
	text = cdn_str_from(text, 1);
	return cdn_line_take_hash(&text, ret->hash) && cdn_str_is(text, "\n");
}

static int
read_head(const struct cdn_chain *chain, struct cdn_link *ret,
    struct cordon_error *err)
{
	char text[CDN_HEAD_SIZE];
	ssize_t n = pread(chain->headfd, text, sizeof(text), 0);

	if (n < 0)
		return cannot(chain, "read the head of", errno, err);
	if (!cdn_head_parse((cdn_str){ text, (size_t)n }, ret))
		return disagree(chain, "has a damaged head", err);
	return 0;
}

/*
 * In place: numbers only grow, so nothing of the old head is left.  0 or an
 * errno; then the old head is there again, as far as that can be.
 */
static int
write_head(const struct cdn_chain *chain, const struct cdn_link *link)
{
	char text[CDN_HEAD_SIZE];
	int n = snprintf(text, sizeof(text), "%llu %s\n",
	    (unsigned long long)link->seq, link->hash);
	ssize_t done = pwrite(chain->headfd, text, (size_t)n, 0);
	int error = done < 0 ? errno : ENOSPC;

	if (done == n)
		return 0;
	if (done > 0 && chain->last.seq == 0)
		(void)!ftruncate(chain->headfd, 0);
	return error;
}

/* ----- The end of the file ---------------------------------------------- */

static int
read_at(int fd, char *to, size_t n, off_t at)
{
	while (n > 0) {
		ssize_t r = pread(fd, to, n, at);

		if (r <= 0)
			return r < 0 ? errno : EIO;
		to += r;
		n -= (size_t)r;
		at += r;
	}
	return 0;
}

/*
 * Where the line begins that reaches up to `end`: behind the last newline
 * before it.  0 or an errno; EMSGSIZE when no line of ours is that long.
 */
static int
find_start(const struct cdn_chain *chain, off_t end, off_t *ret)
{
	static const off_t steps[] = { 2048, CDN_AUDIT_LINE_MAX };

	for (size_t i = 0; i < CDN_LEN(steps); i++) {
		off_t n = steps[i] < end ? steps[i] : end;
		int error = read_at(chain->fd, chain->space, (size_t)n,
		    end - n);
		const char *newline;

		if (error != 0)
			return error;
		newline = memrchr(chain->space, '\n', (size_t)n);
		if (newline != NULL || n == end) {
			*ret = newline == NULL ? 0 :
			    end - n + (newline - chain->space) + 1;
			return 0;
		}
	}
	return EMSGSIZE;
}

/* The last whole line, which ends (newline included) at `end` > 0. */
static int
read_last(const struct cdn_chain *chain, off_t end, cdn_str *ret)
{
	off_t start;
	int error = find_start(chain, end - 1, &start);

	if (error != 0)
		return error;
	*ret = (cdn_str){ chain->space, (size_t)(end - 1 - start) };
	if (ret->n >= CDN_AUDIT_LINE_MAX)
		return EMSGSIZE;
	return read_at(chain->fd, chain->space, ret->n, start);
}

static int
cannot_read_end(const struct cdn_chain *chain, int error,
    struct cordon_error *err)
{
	if (error == EMSGSIZE)
		return disagree(chain, "ends in a line that is too long", err);
	return cannot(chain, "read", error, err);
}

/* ----- Agreement -------------------------------------------------------- */

/* Is it the line after the one that the head speaks of? */
static bool
follows(const struct cdn_link *line, const struct cdn_link *head)
{
	return line->seq == head->seq + 1 &&
	    strcmp(line->hash, head->hash) == 0;
}

/* Nothing was written yet, or all of it was put away. */
static int
compare_empty(const struct cdn_chain *chain, const struct cdn_link *head,
    struct cdn_link *ret, struct cordon_error *err)
{
	struct cdn_link last;

	if (head->seq == 0 || (cdn_chain_before(chain, &last) &&
		same_link(&last, head)))
		return 0;
	*ret = *head;
	return disagree(chain, "is shorter than its head says", err);
}

/*
 * Is the last line the one the head speaks of, or the one after it?  *ret is
 * the link of that line.
 */
static int
compare(const struct cdn_chain *chain, const struct cdn_link *head,
    off_t end, struct cdn_link *ret, struct cordon_error *err)
{
	struct cdn_link link;
	cdn_str line;
	int error;

	*ret = *head;
	if (end == 0)
		return compare_empty(chain, head, ret, err);
	error = read_last(chain, end, &line);
	if (error != 0)
		return cannot_read_end(chain, error, err);
	if (!cdn_line_link(line, &link))
		return disagree(chain, "ends in a line that is no event", err);
	cdn_link_hash(line, ret->hash);
	ret->seq = link.seq;
	if (same_link(ret, head) || follows(&link, head))
		return 0;
	return disagree(chain, "does not end as its head says", err);
}

/* As much of it as is worth telling. */
static void
keep_torn(struct cdn_chain *chain, off_t end, off_t size)
{
	struct cdn_torn *torn = &chain->torn;

	torn->bytes = (size_t)(size - end);
	torn->kept = torn->bytes < sizeof(torn->text) ? torn->bytes :
							sizeof(torn->text);
	if (read_at(chain->fd, torn->text, torn->kept, end) != 0)
		torn->kept = 0;
}

/* Whatever a killed writer left behind goes, once it is clear what it is. */
static int
mend(struct cdn_chain *chain, const struct cdn_link *head, off_t end,
    off_t size, struct cordon_error *err)
{
	int error;

	if (end < size) {
		keep_torn(chain, end, size);
		if (ftruncate(chain->fd, end) != 0)
			return cannot(chain, "mend", errno, err);
	}
	if (same_link(head, &chain->last))
		return 0;
	error = write_head(chain, &chain->last);
	if (error != 0)
		return cannot(chain, "write the head of", error, err);
	return 0;
}

/* The whole way: somebody else has written, or we have not looked yet. */
static int
look_again(struct cdn_chain *chain, const struct cdn_link *head, off_t size,
    struct cordon_error *err)
{
	off_t end = 0;
	int r = size == 0 ? 0 : find_start(chain, size, &end);

	if (r != 0)
		return cannot_read_end(chain, r, err);
	r = compare(chain, head, end, &chain->last, err);
	if (r == 0)
		r = mend(chain, head, end, size, err);
	chain->size = end;
	chain->known = r == 0;
	return r;
}

/* Somebody else may have put the file away that we have open. */
static int
follow_file(struct cdn_chain *chain, struct stat *st, struct cordon_error *err)
{
	int r = cdn_chain_is_current(chain) ? 0 : cdn_chain_reopen(chain, err);

	if (r == 0 && fstat(chain->fd, st) != 0)
		r = cannot(chain, "look at", errno, err);
	return r;
}

int
cdn_chain_refresh(struct cdn_chain *chain, struct cordon_error *err)
{
	struct cdn_link head;
	struct stat st;
	int r;

	if (fstat(chain->fd, &st) != 0)
		return cannot(chain, "look at", errno, err);
	r = read_head(chain, &head, err);
	if (r != 0)
		return r;
	if (chain->known && st.st_nlink > 0 && st.st_size == chain->size &&
	    same_link(&head, &chain->last))
		return 0;
	chain->known = false;
	r = follow_file(chain, &st, err);
	return r != 0 ? r : look_again(chain, &head, st.st_size, err);
}

/* ----- Appending -------------------------------------------------------- */

/* Past the limit of file sizes the kernel would send a deadly signal. */
static bool
over_limit(off_t size, size_t more)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY &&
	    (uint64_t)size + more > limit.rlim_cur;
}

/* 0 or an errno. */
static int
write_line(const struct cdn_chain *chain, cdn_str line)
{
	ssize_t n;

	if (over_limit(chain->size, line.n))
		return EFBIG;
	n = write(chain->fd, line.p, line.n);
	if (n == (ssize_t)line.n)
		return 0;
	return n < 0 ? errno : ENOSPC;
}

int
cdn_chain_append(struct cdn_chain *chain, cdn_str line,
    struct cordon_error *err)
{
	struct cdn_link link = { .seq = chain->last.seq + 1 };
	int error;

	if (chain->size > 0 && chain->size + (off_t)line.n > chain->max) {
		error = cdn_chain_rotate(chain, err);
		if (error != 0)
			return error;
	}
	error = write_line(chain, line);
	cdn_link_hash((cdn_str){ line.p, line.n - 1 }, link.hash);
	if (error == 0)
		error = write_head(chain, &link);
	if (error != 0) {
		/* What stays although it should not, the next write mends. */
		(void)!ftruncate(chain->fd, chain->size);
		chain->known = false;
		return cannot(chain, "write to", error, err);
	}
	chain->last = link;
	chain->size += (off_t)line.n;
	return 0;
}
