# make demo   build, let an excavator dig through FMI, and leave a page that replays it, a report and plots
# make test   build and run every check
# make bench  speed and memory on fixed cases, beside other engines where they are installed (make bench-peers installs them)
# Also: build, build-asan, setup, format, format-check, clean.
# Both do their own set-up: Debian packages (with sudo when not root) and a local Python environment in .venv.

APT_PACKAGES := build-essential cmake ninja-build pkg-config python3 python3-venv libexpat1-dev libzip-dev libassimp-dev libcmocka-dev
TEST_PACKAGES := chromium gcc-mingw-w64-x86-64-posix
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
PYTHON := .venv/bin/python

.PHONY: demo test bench bench-peers setup build build-asan format format-check clean

demo: build
	$(PYTHON) examples/excavator/run.py --scree build/release/bin/scree --out out/excavator

test: .venv/test-stamp build build-asan format-check
	cmake --build --preset release --target tsan
	ctest --preset release --parallel 2
	ctest --preset asan --parallel 2

# Half an hour and more: the largest case has a million grains. Tables on the terminal, JSON lines in out/bench.
bench: build
	@mkdir -p out/bench
	build/release/bin/scree bench --all --peers --files out/bench --output out/bench/one_thread.jsonl
	build/release/bin/scree bench --threads 2 bed10k bed100k trench --output out/bench/two_threads.jsonl

bench-peers:
	$(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends liggghts libbullet-dev libode-dev

setup: .venv/stamp

define install_packages
	@missing=""; for p in $(1); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then echo "installing:$$missing"; $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; fi
endef

.venv/stamp: requirements.txt Makefile
	$(call install_packages,$(APT_PACKAGES))
	python3 -m venv .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/test-stamp: requirements-test.txt .venv/stamp
	$(call install_packages,$(TEST_PACKAGES))
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	@touch $@

build: setup
	cmake --preset release
	cmake --build --preset release --target all win64

build-asan: setup
	cmake --preset asan
	cmake --build --preset asan

C_FILES = $(shell git ls-files '*.c' '*.h')
format: setup
	@.venv/bin/clang-format -i $(C_FILES)
format-check: setup
	@.venv/bin/clang-format --dry-run --Werror $(C_FILES)

clean:
	rm -rf build out
