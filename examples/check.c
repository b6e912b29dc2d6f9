/*
 * check - may a profile of a policy read these paths?
 *
 *	cc check.c $(pkg-config --cflags --libs libcordon) -o check
 *	./check policy.yaml implementer src/main.c prod.env
 *
 * Prints one line for each path, with the line of the policy that decided.
 * Exit: 0 all may be read, 3 some may not, 2 no answer.
 */
#include <cordon/cordon.h>

#include <stdio.h>
#include <string.h>

static int
fail(const struct cordon_error *err)
{
	fprintf(stderr, "check: %s:%u: %s\n", err->source, err->line,
	    err->text);
	return 2;
}

int
main(int argc, char **argv)
{
	struct cordon_policy *policy = NULL;
	struct cordon_profile *profile = NULL;
	struct cordon_error err;
	int status = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: check POLICY PROFILE PATH...\n");
		return 2;
	}
	if (cordon_policy_load(argv[1], NULL, &policy, &err) != 0 ||
	    cordon_profile_resolve(policy, argv[2], &profile, &err) != 0)
		status = fail(&err);
	cordon_policy_free(policy); /* the profile keeps what it needs */

	for (int i = 3; profile != NULL && i < argc; i++) {
		struct cordon_verdict v;

		if (cordon_profile_check(profile, CORDON_READ, argv[i],
			strlen(argv[i]), &v, &err) != 0) {
			status = fail(&err);
			break;
		}
		printf("%-5s  %s  %s", cordon_decision_name(v.decision),
		    argv[i], v.matched_rule);
		if (v.line != 0)
			printf("  %s:%u", v.source, v.line);
		putchar('\n');
		if (!v.allowed)
			status = 3;
	}
	cordon_profile_free(profile);
	return status;
}
