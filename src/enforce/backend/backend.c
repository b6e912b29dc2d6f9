#include "enforce/backend/backend.h"

static const struct cdn_backend *const backends[] = {
	&cdn_backend_native,
};

const struct cdn_backend *
cdn_backend_find(const char *name)
{
	for (size_t i = 0; i < CDN_LEN(backends); i++)
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	return NULL;
}
