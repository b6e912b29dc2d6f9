/* Memory runs out at every place it can. */
#include "base/base.h"

#include "support/chaos.h"

static int
run_doctor(void *arg)
{
	const enum cordon_format *format = arg;
	enum cordon_enforces enforces = CORDON_ENFORCES_MAX;
	char *text = NULL;
	int r = cordon_doctor(*format, &text, &enforces, NULL);

	free(text);
	if (r == 0)
		return enforces == CORDON_ENFORCES_MAX;
	return text == NULL && enforces == CORDON_ENFORCES_MAX ? r : 1;
}

int
main(void)
{
	enum cordon_format text = CORDON_FORMAT_YAML, json = CORDON_FORMAT_JSON;
	struct cordon_error err = { 0 };

	chaos_run("doctor as text", run_doctor, &text, 0);
	chaos_run("doctor as JSON", run_doctor, &json, 0);
	ok(cordon_doctor(json, NULL, NULL, &err) == CORDON_E_INVALID,
	    "nowhere to put it");
	return done_testing();
}
