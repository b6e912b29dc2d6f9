/*
 * What a profile of Seatbelt answers, one line for each:
 *
 *	sbpl-ask PROFILE <questions	"read PATH" or "modify PATH"
 */
#include "support/sbpl.h"

int
main(int argc, char **argv)
{
	static char text[SBPL_TEXT], line[4096];
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	const struct sbpl *sbpl;
	size_t n;

	if (f == NULL)
		return 2;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	sbpl = sbpl_parse(text);
	if (sbpl == NULL || n == sizeof(text) - 1)
		return 2;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		bool reads = strncmp(line, "read ", 5) == 0;
		char *path = strchr(line, ' ');

		if (path == NULL)
			return 2;
		line[strcspn(line, "\n")] = '\0';
		puts(sbpl_allows(sbpl, reads ? "file-read-data" :
			"file-write-data", path + 1) ? "allow" : "deny");
	}
	return 0;
}
