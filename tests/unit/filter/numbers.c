#include "numbers.h"

#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const arch_names[ARCHES] = { "x86_64", "aarch64" };

static FILE *
open_file(const char *path)
{
	FILE *file = fopen(path, "r");

	if (file == NULL)
		err(1, "%s", path);
	return file;
}

static void
add(struct numbers *numbers, const char *name, int nr)
{
	if (numbers->n == NUMBERS_MAX || strlen(name) >= sizeof(numbers->call[0].name))
		errx(1, "too many calls, or '%s' is too long", name);
	strcpy(numbers->call[numbers->n].name, name);
	numbers->call[numbers->n++].nr = nr;
}

int
numbers_find(const struct numbers *numbers, const char *name)
{
	for (size_t i = 0; i < numbers->n; i++)
		if (strcmp(numbers->call[i].name, name) == 0)
			return numbers->call[i].nr;
	return -1;
}

/* `#define __NR_fcntl __NR3264_fcntl` and `#define __NR3264_fcntl 25` */
struct alias {
	char name[48];
	char of[48];
};

static void
add_aliases(struct numbers *ret, const struct numbers *wide,
    const struct alias *aliases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int nr = numbers_find(wide, aliases[i].of);

		if (nr < 0)
			errx(1, "nobody knows what %s is", aliases[i].of);
		add(ret, aliases[i].name, nr);
	}
}

void
numbers_read_header(struct numbers *ret, const char *path)
{
	static struct numbers wide;
	static struct alias aliases[64];
	char line[512], name[48], value[48];
	FILE *file = open_file(path);
	size_t n = 0;

	memset(ret, 0, sizeof(*ret));
	memset(&wide, 0, sizeof(wide));
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "#define __NR3264_%47s %47s", name, value) == 2) {
			add(&wide, name, atoi(value));
		} else if (sscanf(line, "#define __NR_%47s %47s", name, value) != 2 ||
		    strcmp(name, "syscalls") == 0 ||
		    strcmp(name, "arch_specific_syscall") == 0) {
			continue;
		} else if (isdigit((unsigned char)value[0])) {
			add(ret, name, atoi(value));
		} else if (strncmp(value, "__NR3264_", 9) == 0 && n < 64) {
			strcpy(aliases[n].name, name);
			strcpy(aliases[n++].of, value + 9);
		}
	}
	fclose(file);
	add_aliases(ret, &wide, aliases, n);
	if (ret->n < 250)
		errx(1, "%s: only %zu calls", path, ret->n);
}

int
numbers_add_newer(struct numbers both[ARCHES], const char *path)
{
	char line[512], name[48], value[ARCHES][16];
	FILE *file = open_file(path);
	int differ = 0;

	while (fgets(line, sizeof(line), file) != NULL) {
		if (line[0] == '#')
			continue;
		if (sscanf(line, "%47s %15s %15s", name, value[X86_64], value[AARCH64]) != 3)
			errx(1, "%s: what is '%s'?", path, line);
		for (int arch = 0; arch < ARCHES; arch++) {
			int known = numbers_find(&both[arch], name);
			int nr = value[arch][0] == '-' ? -1 : atoi(value[arch]);

			if (known < 0 && nr >= 0)
				add(&both[arch], name, nr);
			else if (known != nr)
				differ++;
		}
	}
	fclose(file);
	return differ;
}
