#include "engine/shell/rules.h"

bool
cdn_programs_allow(const char *const *programs, size_t n, bool scoped,
    const char *program)
{
	if (n == 0)
		return !scoped;
	for (size_t i = 0; i < n; i++)
		if (strcmp(programs[i], program) == 0)
			return true;
	return false;
}

void
cdn_programs_rule(const char *const *programs, size_t n, char *out,
    size_t size)
{
	size_t used = 0;

	if (n == 0) {
		snprintf(out, size, "<no allowed programs>");
		return;
	}
	out[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++) {
		int more = snprintf(out + used, size - used, "%s%s",
		    i > 0 ? ", " : "", programs[i]);

		used += more > 0 ? (size_t)more : 0;
	}
}
