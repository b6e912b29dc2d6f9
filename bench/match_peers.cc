/*
 * RE2::Set, PCRE2 with its JIT and Hyperscan, each in the way that suits it
 * best: RE2 and Hyperscan give all matches of one pass, of which the highest
 * is taken; PCRE2 gets the rules as alternatives, last rule first, so that its
 * first match is ours.
 */
#include "match_peers.h"

#include <re2/re2.h>
#include <re2/set.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#ifdef HAVE_HYPERSCAN
#include <hs.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

bool
starts(const std::string &text, size_t at, const char *with)
{
	return text.compare(at, std::string(with).size(), with) == 0;
}

/* The body of a regular expression for a glob. */
std::string
translate(std::string glob)
{
	const std::string below = "/**";
	std::string out;

	if (glob.size() >= 3 &&
	    glob.compare(glob.size() - 3, 3, below) == 0)
		return translate(glob.substr(0, glob.size() - 3)) +
		    "(?:/.*)?";
	for (size_t i = 0; i < glob.size();) {
		if (starts(glob, i, "**/")) {
			out += "(?:.*/)?";
			i += 3;
		} else if (starts(glob, i, "**")) {
			out += ".*";
			i += 2;
		} else if (glob[i] == '*') {
			out += "[^/]*";
			i++;
		} else if (glob[i] == '?') {
			out += "[^/]";
			i++;
		} else {
			out += RE2::QuoteMeta(glob.substr(i, 1));
			i++;
		}
	}
	return out;
}

/* ----- RE2::Set ---------------------------------------------------------- */

struct Re2 {
	std::unique_ptr<RE2::Set> set;
	std::vector<int> matches;
};

void *
re2_build(const char *const *globs, size_t n)
{
	RE2::Options options;
	auto self = std::make_unique<Re2>();

	options.set_dot_nl(true);
	options.set_encoding(RE2::Options::EncodingLatin1);
	options.set_max_mem(int64_t{2} << 30);
	options.set_log_errors(false);
	self->set = std::make_unique<RE2::Set>(options, RE2::ANCHOR_BOTH);
	for (size_t i = 0; i < n; i++)
		if (self->set->Add(translate(globs[i]), nullptr) < 0)
			return nullptr;
	if (!self->set->Compile())
		return nullptr;
	return self.release();
}

int
re2_check(void *p, const char *path, size_t n)
{
	Re2 *self = static_cast<Re2 *>(p);

	if (!self->set->Match(re2::StringPiece(path, n), &self->matches))
		return -1;
	return *std::max_element(self->matches.begin(), self->matches.end());
}

void
re2_free(void *p)
{
	delete static_cast<Re2 *>(p);
}

/* ----- PCRE2 ------------------------------------------------------------- */

struct Pcre2 {
	std::vector<pcre2_code *> codes; /* the last rules first */
	pcre2_match_data *data = nullptr;
	pcre2_match_context *context = nullptr;

	~Pcre2()
	{
		for (auto *code : codes)
			pcre2_code_free(code);
		pcre2_match_data_free(data);
		pcre2_match_context_free(context);
	}
};

pcre2_code *
pcre2_alternatives(const char *const *globs, size_t from, size_t to)
{
	std::string text = "(?:";
	pcre2_code *code;
	PCRE2_SIZE at;
	int error;

	for (size_t i = to; i-- > from;) {
		text += translate(globs[i]);
		text += "(*MARK:" + std::to_string(i) + ")";
		text += i == from ? ")" : "|";
	}
	code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()),
	    text.size(), PCRE2_DOTALL | PCRE2_ANCHORED | PCRE2_ENDANCHORED,
	    &error, &at, nullptr);
	if (code != nullptr &&
	    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) != 0) {
		pcre2_code_free(code);
		return nullptr;
	}
	return code;
}

void *
pcre2_build(const char *const *globs, size_t n)
{
	const size_t chunk = 100; /* more only makes it slower */
	auto self = std::make_unique<Pcre2>();

	for (size_t to = n; to > 0;) {
		size_t from = to > chunk ? to - chunk : 0;
		pcre2_code *code = pcre2_alternatives(globs, from, to);

		if (code == nullptr)
			return nullptr;
		self->codes.push_back(code);
		to = from;
	}
	self->data = pcre2_match_data_create(1, nullptr);
	self->context = pcre2_match_context_create(nullptr);
	return self.release();
}

int
pcre2_check(void *p, const char *path, size_t n)
{
	Pcre2 *self = static_cast<Pcre2 *>(p);

	for (auto *code : self->codes) {
		int r = pcre2_jit_match(code,
		    reinterpret_cast<PCRE2_SPTR>(path), n, 0, 0, self->data,
		    self->context);

		if (r >= 0)
			return std::atoi(reinterpret_cast<const char *>(
			    pcre2_get_mark(self->data)));
	}
	return -1;
}

void
pcre2_free(void *p)
{
	delete static_cast<Pcre2 *>(p);
}

/* ----- Hyperscan --------------------------------------------------------- */

#ifdef HAVE_HYPERSCAN
struct Hyperscan {
	hs_database_t *database = nullptr;
	hs_scratch_t *scratch = nullptr;

	~Hyperscan()
	{
		hs_free_scratch(scratch);
		hs_free_database(database);
	}
};

void *
hyperscan_build(const char *const *globs, size_t n)
{
	auto self = std::make_unique<Hyperscan>();
	std::vector<std::string> texts;
	std::vector<const char *> pointers;
	std::vector<unsigned> flags, ids;
	hs_compile_error_t *error = nullptr;

	for (size_t i = 0; i < n; i++) {
		texts.push_back("\\A" + translate(globs[i]) + "\\z");
		flags.push_back(HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH |
		    HS_FLAG_ALLOWEMPTY);
		ids.push_back(static_cast<unsigned>(i));
	}
	for (const auto &text : texts)
		pointers.push_back(text.c_str());
	if (hs_compile_multi(pointers.data(), flags.data(), ids.data(),
		static_cast<unsigned>(n), HS_MODE_BLOCK, nullptr,
		&self->database, &error) != HS_SUCCESS) {
		hs_free_compile_error(error);
		return nullptr;
	}
	if (hs_alloc_scratch(self->database, &self->scratch) != HS_SUCCESS)
		return nullptr;
	return self.release();
}

int
hyperscan_match(unsigned id, unsigned long long, unsigned long long, unsigned,
    void *context)
{
	int *best = static_cast<int *>(context);

	*best = std::max(*best, static_cast<int>(id));
	return 0;
}

int
hyperscan_check(void *p, const char *path, size_t n)
{
	Hyperscan *self = static_cast<Hyperscan *>(p);
	int best = -1;

	hs_scan(self->database, path, static_cast<unsigned>(n), 0,
	    self->scratch, hyperscan_match, &best);
	return best;
}

void
hyperscan_free(void *p)
{
	delete static_cast<Hyperscan *>(p);
}
#endif

} /* namespace */

const struct peer match_peers[] = {
	{ "RE2::Set", re2_build, re2_check, re2_free },
#ifdef HAVE_HYPERSCAN
	{ "Hyperscan", hyperscan_build, hyperscan_check, hyperscan_free },
#endif
	{ "PCRE2-JIT", pcre2_build, pcre2_check, pcre2_free },
	{ nullptr, nullptr, nullptr, nullptr },
};
