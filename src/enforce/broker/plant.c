#include "enforce/broker/plant.h"

#ifdef CDN_TEST_HOOKS

static const struct {
	const char *name;
	cdn_handler_fn *handler;
} families[] = {
	{ "no-open", cdn_handle_open },
	{ "no-metadata", cdn_handle_metadata },
	{ "no-rename", cdn_handle_rename },
	{ "no-connect", cdn_handle_connect },
};

bool
cdn_plant_unjudged(cdn_handler_fn *handler)
{
	const char *planted = getenv("CORDON_TEST_PLANT");

	for (size_t i = 0; planted != NULL && i < CDN_LEN(families); i++)
		if (families[i].handler == handler &&
		    strcmp(families[i].name, planted) == 0)
			return true;
	return false;
}

#else

bool
cdn_plant_unjudged(cdn_handler_fn *handler)
{
	(void)handler;
	return false;
}

#endif
