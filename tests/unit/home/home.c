/* The home and the tmp of a session: made, kept, removed. */
#include "fixture.h"

static void
test_made(struct fixture *f)
{
	struct cdn_home *home = NULL;
	int before = tmp_open_fds();

	ok(fixture_open(f, &home) == 0, "opened where nothing is");
	ok(mode_of("state") == 0700 && mode_of("state/homes") == 0700 &&
		mode_of(HOME) == 0700 && mode_of("state/tmp") == 0700 &&
		mode_of(TMP) == 0700,
	    "everything is 0700");
	tmp_file(HOME "/kept", "x");
	tmp_file(TMP "/gone", "x");
	cdn_home_close(home);
	ok(tmp_there(HOME "/kept"), "the home is kept");
	ok(!tmp_there(TMP) && !tmp_there(TMP ".lock"),
	    "the tmp is gone and its lock too");
	ok(tmp_open_fds() == before, "no descriptor is left open");
	cdn_home_close(NULL);
}

int
main(void)
{
	struct fixture f;

	fixture_begin(&f);
	test_made(&f);
	tmp_end();
	return done_testing();
}
