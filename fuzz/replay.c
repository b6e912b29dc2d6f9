/*
 * replay - a fuzz target without a fuzzer: every corpus file as one test point.
 *
 *	fuzz_yaml-replay fuzz/corpus/yaml ...
 *
 * So the corpus keeps its worth in every `make test`, with any compiler.  Each
 * file is also given cut off at CUTS places, because parsers break at ends.
 * The input lies in a block of exactly its size: ASan sees one byte too far.
 */
#include <dirent.h>
#include <stdint.h>

#include "support/tap.h"

#define FILE_MAX (4UL * 1024UL * 1024UL) /* bytes of one corpus file */
#define CUTS	 16UL

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
give(const unsigned char *data, size_t size)
{
	unsigned char *copy = malloc(size == 0 ? 1 : size);

	if (copy == NULL)
		return false;
	if (size > 0)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	return true;
}

static bool
replay(const char *path)
{
	unsigned char *data = malloc(FILE_MAX);
	FILE *file = fopen(path, "rb");
	bool whole = false;
	size_t size;

	if (data != NULL && file != NULL) {
		size = fread(data, 1, FILE_MAX, file);
		whole = size < FILE_MAX && feof(file) && give(data, size);
		for (size_t i = 1; i < CUTS && size >= CUTS; i++)
			whole = give(data, size / CUTS * i) && whole;
	}
	if (file != NULL)
		fclose(file);
	free(data);
	return whole;
}

static int
is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void
replay_folder(const char *folder)
{
	struct dirent **names;
	char path[4096];
	int n = scandir(folder, &names, is_visible, alphasort);

	if (!ok_f(n > 0, "the corpus %s is there", folder))
		return;
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		ok_f(replay(path), "survives %s", names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

int
main(int argc, char **argv)
{
	ok(give(NULL, 0), "survives nothing");
	for (int i = 1; i < argc; i++)
		replay_folder(argv[i]);
	return done_testing();
}
