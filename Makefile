# The front door; meson does the work behind it.
#
#	make		build/cordon, build/libcordon.so, build/libcordon.a
#	make demo	see it work
#	make test	all tests; the last line counts them
#	make soak	the long random tests, CORDON_TRIES times as long, without
#			those whose name matches CORDON_BUT
#	make test-agents  real agents, servers and clients, from npm (1.7 GB,
#			once), CORDON_TRIES times
#	make check	sanitizers, analysers, linters, fuzzing (about 20 minutes);
#			CORDON_STEPS: some of them
#	make bench	measurements
#	make format	clang-format for the lines you changed
#	make install	PREFIX=/usr/local, DESTDIR= for packagers
#
# demo, test, soak, check and bench install the Debian packages that are
# missing (CORDON_NO_INSTALL=1: they only say which).

BUILD ?= build
PREFIX ?= /usr/local
CORDON_TRIES ?= 20
CORDON_BUT ?=
CORDON_STEPS ?=

rooms := $(shell find $(wildcard src tests fuzz examples bench) -name meson.build)
prefix = $(abspath $(PREFIX))
live = $(if $(filter 1,$(CORDON_MUST_WORK)),live)
run = $(MAKE) --no-print-directory

.PHONY: all demo test soak test-agents check bench format install clean

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

# A room that appears later, or a package (.packages is setup-debian.sh's mark),
# is newer than build.ninja: hence the prerequisites.
$(BUILD)/build.ninja: meson.build meson_options.txt $(rooms) \
    $(wildcard .packages)
	@command -v meson >/dev/null || { echo 'meson is missing;' \
	    'tools/setup-debian.sh installs what the build needs' >&2; exit 1; }
	if [ -e $@ ]; then meson setup --reconfigure $(BUILD); else \
	    meson setup -Dlibdir=lib -Dprefix=$(prefix) $(BUILD) && \
	    echo $(prefix) >$(BUILD)/prefix; fi
	@touch $@

demo:
	@tools/setup-debian.sh build
	@$(run) $(BUILD)/build.ninja
	@ninja -C $(BUILD) cordon
	@if [ ! -x tools/demo.sh ]; then \
	    echo 'tools/demo.sh is missing: there is nothing to show' >&2; \
	    exit 1; fi
	@tools/demo.sh $(BUILD)/cordon

test:
	@tools/setup-debian.sh build test $(live)
	@$(run) all
	@tools/run-tests $(BUILD) --no-suite soak --no-suite agents \
	    --num-processes $$(($$(nproc) * 3 / 2))

soak:
	@tools/setup-debian.sh build test $(live)
	@$(run) all
	@CORDON_TRIES=$(CORDON_TRIES) tools/run-tests $(BUILD) \
	    --but '$(CORDON_BUT)' --suite soak --timeout-multiplier 20

test-agents:
	@tools/setup-debian.sh build test live agents
	@$(run) all
	@for kit in tests/mcp/kit tests/agents/kit; do \
	    tests/mcp/kit/install.sh $$kit >/dev/null || \
	    echo "npm could not install what is in $$kit" >&2; done
	@tools/run-tests $(BUILD) --suite agents \
	    --timeout-multiplier $${CORDON_TRIES:-1}

check:
	@tools/setup-debian.sh build test check $(live)
	@tools/check $(CORDON_STEPS)

bench:
	@tools/setup-debian.sh build bench
	@$(run) all
	@if [ ! -x bench/run ]; then \
	    echo 'bench/run is missing: there is nothing to measure' >&2; \
	    exit 1; fi
	@bench/run $(BUILD)

format:
	@tools/setup-debian.sh check
	git clang-format --extensions c,h

# As root after `make` as somebody else: touch the build only if we must.
install: $(BUILD)/build.ninja
	ninja -C $(BUILD) installed
	@if [ "$$(cat $(BUILD)/prefix 2>/dev/null)" != $(prefix) ]; then \
	    meson configure $(BUILD) -Dprefix=$(prefix) && \
	    echo $(prefix) >$(BUILD)/prefix && ninja -C $(BUILD) installed; fi
	DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD) build-check
