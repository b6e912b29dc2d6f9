#include "enforce/audit/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/audit/parts.h"
#include "enforce/sys/sys.h"

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
cdn_head_parse(cdn_str text, struct cdn_link *ret, bool *ret_many)
{
	*ret = cdn_link_before_first;
	*ret_many = cdn_str_is(text, "+");
	if (text.n == 0 || *ret_many)
		return true;
	if (!cdn_line_take_number(&text, &ret->seq) || text.n == 0 ||
	    *text.p != ' ')
		return false;
	text = cdn_str_from(text, 1);
	if (!cdn_line_take_hash(&text, ret->hash))
		return false;
	*ret_many = cdn_str_is(text, "+");
	return *ret_many || cdn_str_is(text, "\n");
}

static int
read_head(const struct cdn_chain *chain, struct cdn_link *ret, bool *ret_many,
    struct cordon_error *err)
{
	char text[CDN_HEAD_SIZE];
	ssize_t n = pread(chain->headfd, text, sizeof(text), 0);

	if (n < 0)
		return cannot(chain, "read the head of", errno, err);
	if (!cdn_head_parse((cdn_str){ text, (size_t)n }, ret, ret_many))
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

/*
 * The head is behind by some lines already.  Before there is one more of them
 * its newline becomes a plus; an empty head becomes one.  0 or an errno.
 */
static int
announce(const struct cdn_chain *chain)
{
	uint64_t seq = chain->last.seq - chain->adopted.lines;
	off_t at = seq == 0 ? 0 :
	    snprintf(NULL, 0, "%llu ", (unsigned long long)seq) +
		CDN_HASH_SIZE - 1;
	ssize_t done = pwrite(chain->headfd, "+", 1, at);

	return done == 1 ? 0 : done < 0 ? errno : ENOSPC;
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
read_last(const struct cdn_chain *chain, off_t end, cdn_str *ret,
    off_t *ret_start)
{
	int error = find_start(chain, end - 1, ret_start);

	if (error != 0)
		return error;
	*ret = (cdn_str){ chain->space, (size_t)(end - 1 - *ret_start) };
	if (ret->n >= CDN_AUDIT_LINE_MAX)
		return EMSGSIZE;
	return read_at(chain->fd, chain->space, ret->n, *ret_start);
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

/* A line, what it says of the one before, and where it begins. */
struct found {
	struct cdn_link own, before;
	off_t start;
};

/* The line that ends at `end` > 0. */
static int
look_at_line(const struct cdn_chain *chain, off_t end, struct found *ret,
    struct cordon_error *err)
{
	cdn_str line;
	int error = read_last(chain, end, &line, &ret->start);

	if (error != 0)
		return cannot_read_end(chain, error, err);
	if (!cdn_line_link(line, &ret->before))
		return disagree(chain, "ends in a line that is no event", err);
	ret->own.seq = ret->before.seq;
	ret->before.seq--;
	cdn_link_hash(line, ret->own.hash);
	return 0;
}

/*
 * From the last line back to the one that the head speaks of, each of which
 * must follow from the one before.
 */
static int
walk_back(const struct cdn_chain *chain, const struct cdn_link *head,
    struct found *line, struct cordon_error *err)
{
	bool follows = true;

	while (follows && line->before.seq > head->seq && line->start > 0) {
		struct cdn_link want = line->before;
		int r = look_at_line(chain, line->start, line, err);

		if (r != 0)
			return r;
		follows = same_link(&line->own, &want);
	}
	return follows && same_link(&line->before, head) ? 0 :
	    disagree(chain, "does not end as its head says", err);
}

/*
 * Is the last line the one the head speaks of, or are there no more behind it
 * than there may be?  *ret is the link of the last line.
 */
static int
compare(struct cdn_chain *chain, const struct cdn_link *head, bool many,
    off_t end, struct cdn_link *ret, struct cordon_error *err)
{
	struct found line;
	uint64_t ahead;
	int r;

	*ret = *head;
	if (end == 0)
		return compare_empty(chain, head, ret, err);
	r = look_at_line(chain, end, &line, err);
	if (r != 0)
		return r;
	*ret = line.own;
	if (same_link(ret, head))
		return 0;
	ahead = ret->seq > head->seq ? ret->seq - head->seq : 0;
	if (ahead == 0 || ahead > (many ? CDN_AUDIT_AHEAD_MAX : 1))
		return disagree(chain, "does not end as its head says", err);
	r = walk_back(chain, head, &line, err);
	if (r == 0)
		chain->adopted = (struct cdn_adopted){ ahead, head->seq + 1 };
	return r;
}

/* As much of it as is worth telling. */
static void
keep_torn(struct cdn_chain *chain, off_t end, off_t size)
{
	struct cdn_torn *torn = &chain->torn;

	torn->found = true;
	torn->bytes = (size_t)(size - end);
	torn->kept = torn->bytes < sizeof(torn->text) ? torn->bytes :
							sizeof(torn->text);
	if (read_at(chain->fd, torn->text, torn->kept, end) != 0)
		torn->kept = 0;
}

/* Half a line goes, but not before the head has a mark that tells of it. */
static int
mend(struct cdn_chain *chain, off_t end, off_t size, struct cordon_error *err)
{
	int error;

	if (end == size)
		return 0;
	keep_torn(chain, end, size);
	error = announce(chain);
	if (error != 0)
		return cannot(chain, "mend", error, err);
	return ftruncate(chain->fd, end) == 0 ? 0 :
	    cannot(chain, "mend", errno, err);
}

/* The whole way: somebody else has written, or we have not looked yet. */
static int
look_again(struct cdn_chain *chain, const struct cdn_link *head, bool many,
    off_t size, struct cordon_error *err)
{
	off_t end = 0;
	int r = size == 0 ? 0 : find_start(chain, size, &end);

	if (r != 0)
		return cannot_read_end(chain, r, err);
	r = compare(chain, head, many, end, &chain->last, err);
	/* A mark, and nothing behind: somebody was killed after he mended. */
	if (r == 0 && many && same_link(&chain->last, head))
		chain->torn.found = true;
	if (r == 0)
		r = mend(chain, end, size, err);
	chain->size = end;
	chain->known = r == 0;
	return r;
}

struct extent {
	off_t size;
	bool named;
};

/*
 * Nobody asks for its times: a kernel that tells them writes new ones with each
 * line.  Where statx() was taken away they are asked for.
 */
static int
measure(const struct cdn_chain *chain, struct extent *ret,
    struct cordon_error *err)
{
	struct cdn_statx some;
	struct stat all;

	if (cdn_sys_statx(chain->fd, "", AT_EMPTY_PATH,
		CDN_STATX_SIZE | CDN_STATX_NLINK, &some) == 0)
		*ret = (struct extent){ (off_t)some.size, some.nlink > 0 };
	else if (fstat(chain->fd, &all) == 0)
		*ret = (struct extent){ all.st_size, all.st_nlink > 0 };
	else
		return cannot(chain, "look at", errno, err);
	return 0;
}

/* Somebody else may have put the file away that we have open. */
static int
follow_file(struct cdn_chain *chain, struct extent *ret,
    struct cordon_error *err)
{
	int r = cdn_chain_is_current(chain) ? 0 : cdn_chain_reopen(chain, err);

	return r == 0 ? measure(chain, ret, err) : r;
}

int
cdn_chain_refresh(struct cdn_chain *chain, struct cordon_error *err)
{
	struct cdn_link head;
	struct extent now;
	bool many;
	int r = measure(chain, &now, err);

	if (r == 0)
		r = read_head(chain, &head, &many, err);
	if (r != 0)
		return r;
	if (chain->known && !many && now.named && now.size == chain->size &&
	    same_link(&head, &chain->last))
		return 0;
	chain->known = false;
	chain->adopted.lines = 0;
	r = follow_file(chain, &now, err);
	return r != 0 ? r : look_again(chain, &head, many, now.size, err);
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

/* What is not known to the head stays in the file where the next one looks. */
static bool
is_full(const struct cdn_chain *chain, size_t more)
{
	return chain->size > 0 && chain->size + (off_t)more > chain->max &&
	    chain->adopted.lines == 0;
}

int
cdn_chain_append(struct cdn_chain *chain, cdn_str line,
    const struct cdn_link *link, struct cordon_error *err)
{
	int error;

	if (is_full(chain, line.n)) {
		error = cdn_chain_rotate(chain, err);
		if (error != 0)
			return error;
	}
	error = chain->adopted.lines > 0 ? announce(chain) : 0;
	if (error == 0)
		error = write_line(chain, line);
	if (error == 0)
		error = write_head(chain, link);
	if (error != 0) {
		/* What stays although it should not, the next write mends. */
		(void)!ftruncate(chain->fd, chain->size);
		chain->known = false;
		return cannot(chain, "write to", error, err);
	}
	chain->last = *link;
	chain->size += (off_t)line.n;
	return 0;
}
