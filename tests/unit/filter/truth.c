#include "truth.h"

#include <err.h>
#include <ctype.h>
#include <string.h>

#include "truth_words.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

struct reader {
	const char *path;
	int number;
	const struct numbers *numbers;
	struct truth *truth;
};

_Noreturn static void
bad(const struct reader *reader, const char *what)
{
	errx(1, "%s:%d: what is '%s'?", reader->path, reader->number, what);
}

static uint64_t
look_up(const struct reader *reader, const struct word *words, size_t n,
    const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(words[i].name, name) == 0)
			return words[i].value;
	bad(reader, name);
}

/* 0x10|O_CREAT; the text is taken apart. */
static uint64_t
parse_value(const struct reader *reader, char *text)
{
	uint64_t value = 0;
	char *rest, *part;

	for (part = strtok_r(text, "|", &rest); part != NULL;
	    part = strtok_r(NULL, "|", &rest))
		if (isdigit((unsigned char)part[0]))
			value |= strtoull(part, NULL, 0);
		else
			value |= look_up(reader, truth_constants,
			    LEN(truth_constants), part);
	return value;
}

/* A column such as "-AB" or "*", in the letters of `all`, as bits. */
static unsigned
parse_set(const struct reader *reader, const char *text, const char *all)
{
	unsigned set = 0;

	if (strcmp(text, "*") == 0)
		return (1U << strlen(all)) - 1;
	for (const char *p = text; *p != '\0'; p++) {
		const char *at = strchr(all, *p);

		if (at == NULL)
			bad(reader, text);
		set |= 1U << (at - all);
	}
	return set;
}

static const struct {
	const char *prefix;
	uint64_t width;
} widths[] = { { "int", UINT32_MAX }, { "short", UINT16_MAX },
	{ "long", UINT64_MAX } };

/* int1=X  int1!=X  int1&M=X  int1&M */
static void
parse_condition(const struct reader *reader, char *text, struct condition *ret)
{
	char *p = text, *equal;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < LEN(widths); i++)
		if (strncmp(text, widths[i].prefix, strlen(widths[i].prefix)) == 0) {
			ret->width = widths[i].width;
			p = text + strlen(widths[i].prefix);
		}
	if (ret->width == 0 || *p < '0' || *p > '5')
		bad(reader, text);
	ret->arg = (unsigned)(*p++ - '0');
	ret->mask = ret->width;
	equal = strchr(p, '=');
	ret->any = equal == NULL;
	if (equal != NULL) {
		ret->differs = equal > p && equal[-1] == '!';
		equal[ret->differs ? -1 : 0] = '\0';
		ret->value = parse_value(reader, equal + 1);
	}
	if (*p == '&')
		ret->mask = parse_value(reader, p + 1);
	else if (*p != '\0')
		bad(reader, text);
}

static bool
parse_spec_word(const char *text, unsigned *words)
{
	for (size_t i = 0; i < LEN(truth_spec_words); i++)
		if (strcmp(text, truth_spec_words[i]) == 0) {
			*words |= 1U << i;
			return true;
		}
	return false;
}

/* A line of its own for the call on the architecture, after all others. */
static bool
append(struct reader *reader, int arch, const char *name,
    const struct line *line)
{
	int nr = numbers_find(&reader->numbers[arch], name);
	const struct line **at;
	struct line *copy;

	if (nr < 0)
		return false;
	if (nr >= TRUTH_CALLS_MAX || (copy = malloc(sizeof(*copy))) == NULL)
		bad(reader, name);
	*copy = *line;
	copy->next = NULL;
	for (at = &reader->truth->calls[arch][nr]; *at != NULL;
	    at = (const struct line **)(uintptr_t)&(*at)->next)
		;
	*at = copy;
	reader->truth->n_lines++;
	return true;
}

/* Each of these calls exists on one of the architectures at least. */
static void
append_all(struct reader *reader, const char *arch, char *names,
    const struct line *line)
{
	char *rest, *name;

	for (name = strtok_r(names, " \t\n", &rest); name != NULL;
	    name = strtok_r(NULL, " \t\n", &rest)) {
		bool found = false;

		for (int i = 0; i < ARCHES; i++)
			if (strcmp(arch, "both") == 0 ||
			    strcmp(arch, arch_names[i]) == 0)
				found |= append(reader, i, name, line);
		if (!found)
			bad(reader, name);
	}
}

static void
parse_line(struct reader *reader, char *text)
{
	struct line line = { .number = reader->number };
	char arch[16], modes[16], nets[16], answer[32];
	char *arrow = strstr(text, "->"), *colon, *rest, *word;
	int names = 0;

	if (arrow == NULL || sscanf(arrow + 2, "%31s", answer) != 1)
		bad(reader, text);
	*arrow = '\0';
	if ((colon = strchr(text, ':')) != NULL)
		*colon++ = '\0';
	if (sscanf(text, "%15s %15s %15s %n", arch, modes, nets, &names) != 3)
		bad(reader, text);
	line.modes = parse_set(reader, modes, "-ABC");
	line.nets = parse_set(reader, nets, "NFL");
	line.answer = (uint32_t)look_up(reader, truth_answers,
	    LEN(truth_answers), answer);
	for (word = colon == NULL ? NULL : strtok_r(colon, " \t", &rest);
	    word != NULL; word = strtok_r(NULL, " \t", &rest)) {
		if (parse_spec_word(word, &line.words))
			continue;
		if (line.n == TRUTH_CONDITIONS_MAX)
			bad(reader, word);
		parse_condition(reader, word, &line.condition[line.n++]);
	}
	append_all(reader, arch, text + names, &line);
}

void
truth_read(struct truth *ret, const char *path,
    const struct numbers numbers[ARCHES])
{
	struct reader reader = { path, 0, numbers, ret };
	FILE *file = fopen(path, "r");
	char line[1024];

	if (file == NULL)
		err(1, "%s", path);
	memset(ret, 0, sizeof(*ret));
	while (fgets(line, sizeof(line), file) != NULL) {
		reader.number++;
		if (line[0] != '#' && line[0] != '\n')
			parse_line(&reader, line);
	}
	fclose(file);
}

/* ----- Answers ------------------------------------------------------------------- */

/* In the order of truth_spec_words. */
static unsigned
words_of(const struct cdn_filter_spec *spec)
{
	return (spec->strict ? 1U : 0U) | (spec->no_modify ? 2U : 0U) |
	    (spec->unix_sockets == CDN_FILTER_UNIX_NONE ? 4U : 0U) |
	    (spec->unix_sockets == CDN_FILTER_UNIX_JUDGED ? 8U : 0U) |
	    (!spec->no_udp ? 16U : 0U) | (spec->signals ? 32U : 0U) |
	    (spec->devices ? 64U : 0U) | (spec->first ? 128U : 0U);
}

static bool
holds(const struct condition *c, const struct seccomp_data *data)
{
	uint64_t value = data->args[c->arg] & c->width & c->mask;

	if (c->any)
		return value != 0;
	return (value == c->value) != c->differs;
}

static bool
fits(const struct line *line, const struct cdn_filter_spec *spec,
    const struct seccomp_data *data)
{
	unsigned mode = spec->has_broker ? spec->mode : CDN_MODE_NONE;

	if ((line->modes & 1U << mode) == 0 ||
	    (line->nets & 1U << spec->network) == 0 ||
	    (line->words & ~words_of(spec)) != 0)
		return false;
	for (size_t i = 0; i < line->n; i++)
		if (!holds(&line->condition[i], data))
			return false;
	return true;
}

uint32_t
truth_answer(const struct truth *truth, const struct cdn_filter_spec *spec,
    const struct seccomp_data *data, int *by)
{
	uint32_t nr = (uint32_t)data->nr;
	const struct line *line = nr < TRUTH_CALLS_MAX ?
	    truth->calls[spec->arch][nr] : NULL;

	while (line != NULL && !fits(line, spec, data))
		line = line->next;
	if (by != NULL)
		*by = line == NULL ? 0 : line->number;
	return line == NULL ? SECCOMP_RET_ERRNO | ENOSYS : line->answer;
}

const char *
truth_word(uint32_t answer)
{
	for (size_t i = 0; i < LEN(truth_answers); i++)
		if (truth_answers[i].value == answer)
			return truth_answers[i].name;
	return "something else";
}
