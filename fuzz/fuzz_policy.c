/*
 * Any bytes as a policy.  What is refused is refused with findings; what
 * loads prints as YAML that loads again and says the same.
 */
#include "base/buf.h"
#include "engine/policy/policy.h"

#include "support/policy_equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool good, const char *what)
{
	if (!good)
		cdn_bug(what);
}

static struct cordon_policy *
parse(cdn_str text)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };
	int code;

	must(diags != NULL, "memory");
	code = cdn_policy_parse(text, "fuzz.yaml", diags, &policy, &err);
	must((code == 0) == (policy != NULL), "a policy or an error");
	must((code == 0) == (cordon_diags_errors(diags) == 0),
	    "an error is a finding");
	if (code != 0)
		must(code == CORDON_E_INVALID && err.line > 0 &&
			err.column > 0 && err.text[0] != '\0',
		    "an error has a place and a text");
	cordon_diags_free(diags);
	return policy;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cordon_policy *policy = parse(
	    (cdn_str){ (const char *)data, size });
	struct cordon_policy *again;
	struct cdn_buf first, second;

	if (policy == NULL)
		return 0;
	cdn_buf_init(&first, 64UL << 20);
	cdn_buf_init(&second, 64UL << 20);
	must(cdn_policy_format(policy, CORDON_FORMAT_JSON, &second, NULL) == 0,
	    "it prints as JSON");
	must(cdn_policy_format(policy, CORDON_FORMAT_YAML, &first, NULL) == 0,
	    "it prints as YAML");
	cdn_buf_reset(&second);
	if (first.n <= CDN_DOCUMENT_MAX) {
		again = parse((cdn_str){ first.p, first.n });
		must(again != NULL, "what is printed loads again");
		must(same_policy(policy, again), "and says the same");
		must(cdn_policy_format(again, CORDON_FORMAT_YAML, &second,
			 NULL) == 0 &&
			second.n == first.n &&
			memcmp(first.p, second.p, first.n) == 0,
		    "and prints the same");
		cdn_policy_free(again);
	}
	cdn_buf_done(&first);
	cdn_buf_done(&second);
	cdn_policy_free(policy);
	return 0;
}
