/*
 * An index is harmless if git, however it reads the file, finds no path in it
 * that leaves the work tree.  Files are made here byte by byte; live/cage/git.sh
 * has those that git makes.
 */
#include "engine/decide/git_index.h"

#include <stdlib.h>
#include <string.h>

#include "support/tap.h"

enum { SHA1 = 20, SHA256 = 32 };

struct file {
	unsigned char bytes[8192];
	size_t n, start, hash;
	unsigned version;
	char before[256];
};

static void
put32(struct file *f, unsigned long value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		f->bytes[f->n++] = (unsigned char)(value >> shift);
}

static void
put(struct file *f, const void *bytes, size_t n)
{
	memcpy(f->bytes + f->n, bytes, n);
	f->n += n;
}

static void
begin(struct file *f, unsigned version, unsigned count, size_t hash)
{
	memset(f, 0, sizeof(*f));
	f->version = version;
	f->hash = hash;
	put(f, "DIRC", 4);
	put32(f, version);
	put32(f, count);
}

/* removed: of the name before, in version 4; -1: as git does. */
static void
entry_like(struct file *f, unsigned mode, const char *name, int removed)
{
	size_t n = strlen(name), same = 0;
	unsigned flags = n > 0xfff ? 0xfff : (unsigned)n;

	f->start = f->n;
	for (int i = 0; i < 6; i++)
		put32(f, 1);
	put32(f, mode);
	for (int i = 0; i < 3; i++)
		put32(f, 2);
	f->n += f->hash;
	f->bytes[f->n++] = (unsigned char)(flags >> 8);
	f->bytes[f->n++] = (unsigned char)flags;
	if (f->version == 4) {
		while (removed < 0 && same < n && name[same] == f->before[same])
			same++;
		f->bytes[f->n++] = (unsigned char)(removed >= 0 ?
			(size_t)removed : strlen(f->before) - same);
		put(f, name + same, n - same + 1);
		snprintf(f->before, sizeof(f->before), "%s", name);
		return;
	}
	put(f, name, n);
	do
		f->bytes[f->n++] = 0;
	while ((f->n - f->start) % 8 != 0);
}

static void
entry(struct file *f, unsigned mode, const char *name)
{
	entry_like(f, mode, name, -1);
}

static void
extension(struct file *f, const char *name, const void *data, size_t n)
{
	put(f, name, 4);
	put32(f, n);
	put(f, data, n);
}

static bool
harmless(struct file *f)
{
	char *copy = malloc(f->n + f->hash); /* so that ASan sees its end */
	bool good;

	memcpy(copy, f->bytes, f->n);
	memset(copy + f->n, 0, f->hash);
	good = cdn_git_index_is_harmless((cdn_str){ copy, f->n + f->hash },
	    f->hash == SHA256);
	free(copy);
	return good;
}

static void
test_names(unsigned version, size_t hash)
{
	static const struct {
		const char *name;
		unsigned mode;
		bool good;
	} rows[] = {
		{ "a", 0100644, true }, { "a/b.c", 0100755, true },
		{ "sub", 0160000, true }, { "dir/", 040000, true },
		{ ".gitignore", 0100644, true }, { ".github/x", 0100644, true },
		{ "...", 0100644, true }, { "a/..b", 0100644, true },
		{ "/etc/passwd", 0100644, false }, { "/", 0100644, false },
		{ "/home/u/evil", 0160000, false }, { "..", 0160000, false },
		{ "../x", 0100644, false }, { "a/../../x", 0100644, false },
		{ "a/..", 0160000, false }, { "a//b", 0100644, false },
		{ "a/./b", 0100644, false }, { ".", 0160000, false },
		{ ".git/hooks/x", 0100755, false }, { "a/.git", 0160000, false },
		{ ".GIT/config", 0100644, false }, { "a/.Git/x", 0100644, false },
		{ "GIT~1/config", 0100644, false }, { "dir/", 0100644, false },
		{ "/", 040000, false }, { "../", 040000, false },
		{ "dir", 040000, false }, { "", 0100644, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct file f;

		begin(&f, version, 3, hash);
		entry(&f, 0100644, "A");
		entry(&f, rows[i].mode, rows[i].name);
		entry(&f, 0100644, "z");
		ok_f(harmless(&f) == rows[i].good, "version %u, %zu: '%s' %o",
		    version, hash, rows[i].name, rows[i].mode);
	}
}

static void
test_blocks(void)
{
	struct file f;
	unsigned char table[20], end[4 + SHA1] = { 0 };
	size_t starts[2];

	for (int odd = 0; odd < 4; odd++) {
		size_t entries_end;

		begin(&f, 4, 2, SHA1);
		starts[0] = f.n;
		entry(&f, 0100644, "safe/a");
		starts[1] = f.n;
		/* Read alone, the second is another name. */
		entry_like(&f, 0100644, odd == 1 ? "safe/etc" : "z",
		    odd == 1 ? 1 : 6);
		if (odd == 1) {
			f.n = starts[1] + 40 + SHA1 + 2;
			f.bytes[f.n - 1] = 9;
			f.bytes[f.n++] = 1;
			put(&f, "/etc", 5);
		}
		entries_end = f.n;
		memset(table, 0, sizeof(table));
		table[3] = 1;
		table[7] = (unsigned char)starts[0];
		table[11] = 1;
		table[14] = (unsigned char)((starts[1] + (odd == 2)) >> 8);
		table[15] = (unsigned char)(starts[1] + (odd == 2));
		table[19] = odd == 3 ? 2 : 1;
		extension(&f, "IEOT", table, sizeof(table));
		end[2] = (unsigned char)(entries_end >> 8);
		end[3] = (unsigned char)entries_end;
		extension(&f, "EOIE", end, sizeof(end));
		ok_f(harmless(&f) == (odd == 0), "a table of blocks, %d", odd);
	}
}

static void
test_extensions(void)
{
	unsigned char end[8 + 4 + SHA1] = "EOIE";
	struct file f;

	begin(&f, 2, 1, SHA1);
	entry(&f, 0100644, "a");
	extension(&f, "TREE", "x", 1);
	ok(harmless(&f), "an extension");
	f.bytes[f.n++] = 0;
	ok(!harmless(&f), "and a byte too many");
	begin(&f, 2, 1, SHA1);
	entry(&f, 0100644, "a");
	extension(&f, "UNTR", "x\0../home", 10);
	ok(!harmless(&f), "a name elsewhere in an extension");
	begin(&f, 2, 1, SHA1);
	entry(&f, 0100644, "a");
	end[7] = 4 + SHA1;
	extension(&f, "UNTR", end, sizeof(end));
	ok(!harmless(&f), "the end of the entries, hidden in another one");
	begin(&f, 2, 1, SHA1);
	entry(&f, 0100644, "");
	ok(!harmless(&f), "no name");
	extension(&f, "link", end, SHA1);
	ok(harmless(&f), "no name, in a split index");
	begin(&f, 5, 0, SHA1);
	ok(!harmless(&f), "an unknown version");
	begin(&f, 2, 0, SHA1);
	ok(harmless(&f), "an empty one");
	begin(&f, 2, 0xffffffff, SHA1);
	ok(!harmless(&f), "more entries than bytes");
	begin(&f, 2, 1, SHA1);
	entry(&f, 0100644, "abc");
	f.bytes[12 + 40 + SHA1 + 1] = 2;
	ok(!harmless(&f), "a name that is longer than it says");
	f.bytes[12 + 40 + SHA1 + 1] = 4;
	ok(!harmless(&f), "or shorter");
}

/* No prefix of a good one, and no change of a byte, reads past its end. */
static void
test_broken(void)
{
	struct file f, g;
	size_t bad = 0;

	begin(&f, 4, 3, SHA1);
	entry(&f, 0100644, "a/b");
	entry(&f, 0100644, "a/bc");
	entry(&f, 0160000, "x");
	extension(&f, "TREE", "tree", 4);
	for (size_t n = 0; n < f.n; n++) {
		g = f;
		g.n = n;
		bad += harmless(&g) && n + 12 != f.n;
		for (unsigned c = 1; c < 256; c += 27) {
			g = f;
			g.bytes[n] ^= (unsigned char)c;
			(void)harmless(&g);
		}
	}
	ok(bad == 0, "what is cut off is refused");
}

static void
test_format(void)
{
	static const struct {
		const char *text;
		enum cdn_object_format format;
	} rows[] = {
		{ "", CDN_OBJECT_SHA1 },
		{ "[core]\n\tbare = false\n", CDN_OBJECT_SHA1 },
		{ "[branch \"sha256\"]\n\tremote = o\n", CDN_OBJECT_SHA1 },
		{ "[extensions]\n\tobjectformat = sha256\n",
		    CDN_OBJECT_SHA256 },
		{ "[extensions]\n\tobjectFormat=sha256\r\n",
		    CDN_OBJECT_SHA256 },
		{ "[extensions]\n\tobjectformat = sha1\n", CDN_OBJECT_SHA1 },
		{ "[extensions] objectformat = sha256\n", CDN_OBJECT_UNKNOWN },
		{ "[extensions]\nobjectformat = \"sha256\"\n",
		    CDN_OBJECT_UNKNOWN },
		{ "[extensions]\nobjectformat\n", CDN_OBJECT_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok_f(cdn_git_object_format(cdn_str_of(rows[i].text)) ==
		    rows[i].format, "format of objects, %zu", i);
}

int
main(void)
{
	for (unsigned version = 2; version <= 4; version++) {
		test_names(version, SHA1);
		test_names(version, SHA256);
	}
	test_blocks();
	test_extensions();
	test_broken();
	test_format();
	return done_testing();
}
