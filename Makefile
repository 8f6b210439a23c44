# Needs Python 3.11 or newer, git and make. Everything goes into .venv; `make clean` removes it.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PIP = .venv/bin/python -m pip --disable-pip-version-check --quiet
GOAL ?= craft 1 stone_pickaxe
# One more than the machine has processors, since some tests wait.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# pytest compiles each test anew unless it may keep what it compiled.
export PYTHONDONTWRITEBYTECODE =

.PHONY: install run minecraft test tests test-all test-sample tests-full test-llm test-llm-at-once lint lint-at-once lint-js coverage coverage-js bench soak docs lock audit release clean

install: .venv/.installed
# A person who ends the run (4) has done nothing wrong, so make does not call it an error.
run: install
	@.venv/bin/autocraft run --goal "$(GOAL)" $$([ -t 0 ] || echo --continuous) || [ $$? -eq 4 ]

# Node and its packages, for the Minecraft world and for programs.
minecraft: .venv/.node

# Tests and lint at the same time. Both go on to their end, and this fails if one of them does.
test: .venv/.dev
	@$(MAKE) --no-print-directory -k -j 2 tests lint-at-once

tests: .venv/.dev
	.venv/bin/python -m pytest -n $(JOBS) --dist worksteal -m "not full and not llm"

# The long lists and the model's tests at the same time, as above. The cases that Hypothesis makes are new ones each time.
test-all: .venv/.full .venv/.llm lint-js
	@$(MAKE) --no-print-directory -k -j 2 tests-full test-llm-at-once PART="--hypothesis-profile search"

# A part of both lists, so many percent of each file, drawn by the commit: what a commit must pass before it lands.
SAMPLE ?= 8
test-sample: .venv/.full .venv/.llm lint-js
	@$(MAKE) --no-print-directory -k -j 2 tests-full test-llm-at-once PART="--sample $(SAMPLE)"

# Two workers more than above, since more of these tests wait.
tests-full: .venv/.full
	.venv/bin/python -m pytest -n $(shell expr $(JOBS) + 2) --dist worksteal -m "full" --durations 12 --durations-min 20 $(PART)

# A real small model on loopback: about 200 MB to download once, one busy thread for about seven minutes.
test-llm: .venv/.llm
	.venv/bin/python -m pytest -m "llm" $(PART) tests/llm

lint: .venv/.dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

# Say what lint and test-llm say in one piece, between two lines of the tests.
AT_ONCE = +@said=$$($(MAKE) --no-print-directory $(@:-at-once=) 2>&1); code=$$?; printf '\n%s\n' "$$said"; exit $$code
lint-at-once: .venv/.dev
	$(AT_ONCE)
test-llm-at-once: .venv/.llm
	$(AT_ONCE)

# The linter and the type checker of our JavaScript, with the types of what it uses.
lint-js: scripts/js/node_modules/.installed
	.venv/bin/python -m scripts.javascript lint

# Branch coverage of each package by all tests, in all processes that they start. It takes about an hour.
MARKS ?= not llm
coverage: .venv/.dev
	.venv/bin/python -m coverage erase
	.venv/bin/python -m coverage run -m pytest -n $(JOBS) --dist worksteal -m "$(MARKS)" $(TESTS)
	.venv/bin/python -m coverage combine --quiet
	.venv/bin/python -m coverage json --quiet -o coverage.json
	.venv/bin/python -m scripts.coverage_floors coverage.json

# Lines and branches of the JavaScript that some tests run: TESTS="tests/sandbox tests/worlds/minecraft".
coverage-js: scripts/js/node_modules/.installed .venv/.dev
	.venv/bin/python -m scripts.javascript cover $(TESTS)

# Random goals, faults and restarts in both worlds, ending in a table: SOAK_MINUTES=30, SOAK_WORLDS=crafting,minecraft.
soak: .venv/.node
	.venv/bin/python -m benchmarks.soak

# The site of docs/ in site/; a broken link fails.
docs: .venv/.docs
	.venv/bin/zensical build --strict --clean

bench: .venv/.dev .venv-bench/.installed
	.venv/bin/python -m benchmarks

# The package is installed as a link to this checkout, with exact versions and hashes from the lock files.
.venv/.installed: requirements.lock requirements-build.lock pyproject.toml
	@[ -n "$(PYTHON)" ] && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "autocraft needs Python 3.11 or newer: set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@[ -x .venv/bin/python ] || $(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --require-hashes -r requirements-build.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

# Node comes from PyPI; what it needs for Minecraft and for programs comes from npm, into the user's data directory.
.venv/.node: .venv/.installed requirements-minecraft.lock $(wildcard autocraft/*/*/node/package-lock.json autocraft/*/node/package-lock.json)
	$(PIP) install --no-deps --require-hashes -r requirements-minecraft.lock
	.venv/bin/python -m scripts.fetch_node
	@touch $@

.venv/.dev: .venv/.node requirements-dev.lock requirements-plancraft.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(PIP) install --no-deps --require-hashes -r requirements-plancraft.lock
	@touch $@

.venv/.docs: .venv/.installed requirements-docs.lock
	$(PIP) install --require-hashes -r requirements-docs.lock
	@touch $@

.venv/.full: .venv/.dev .venv/.docs .venv-servers/.installed requirements-ray.lock tests/browser/package-lock.json tests/mcp/conformance/package-lock.json autocraft/worlds/minecraft/node/view/package-lock.json
	$(PIP) install --require-hashes -r requirements-ray.lock
	.venv/bin/python -m scripts.fetch_node view tests browser conformance
	@touch $@

# A server that judges its clients. It lives apart, since what it needs would change how servers of our own run.
.venv-servers/.installed: requirements-servers.lock .venv/.installed
	@[ -x .venv-servers/bin/python ] || $(PYTHON) -m venv .venv-servers
	.venv-servers/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements-servers.lock
	@touch $@

.venv/.llm: .venv/.dev requirements-llm.lock
	$(PIP) install --no-deps --require-hashes -r requirements-llm.lock
	@touch $@

# What checks our JavaScript; nothing of it is shipped.
scripts/js/node_modules/.installed: scripts/js/package-lock.json | .venv/.node
	.venv/bin/python -m scripts.javascript install
	@touch $@

# The peers of the benchmarks live apart; without them the tables say "not installed".
.venv-bench/.installed: benchmarks/requirements.lock benchmarks/peers/package-lock.json | .venv/.node
	@[ -x .venv-bench/bin/python ] || $(PYTHON) -m venv .venv-bench
	@if .venv-bench/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r benchmarks/requirements.lock \
	  && .venv/bin/python -m scripts.javascript peers; then touch $@; \
	  else echo "some peers could not be installed; the tables leave them out" >&2; fi

# Needs uv; no registry address may reach the lock files.
COMPILE = uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet
EXTRAS = $(foreach extra,embed gym images mcp minecraft pgvector web,--extra $(extra))

lock:
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) pyproject.toml --group build --group dev $(EXTRAS) -c requirements.lock -o requirements-dev.lock
	$(COMPILE) --group build -c requirements-dev.lock -o requirements-build.lock
	$(COMPILE) requirements-audit.txt -c requirements-dev.lock -o requirements-audit.lock
	$(COMPILE) requirements-minecraft.txt --no-deps -c requirements-dev.lock -o requirements-minecraft.lock
	$(COMPILE) requirements-llm.txt --no-deps -c requirements-dev.lock -o requirements-llm.lock
	$(COMPILE) requirements-plancraft.txt --no-deps -c requirements-dev.lock -o requirements-plancraft.lock
	$(COMPILE) --group docs -c requirements-dev.lock -o requirements-docs.lock
	$(COMPILE) requirements-ray.txt -c requirements-dev.lock -o requirements-ray.lock
	$(COMPILE) benchmarks/requirements.txt -o benchmarks/requirements.lock
	$(COMPILE) requirements-servers.txt -c requirements-dev.lock -o requirements-servers.lock

# Known faults of what we use. Offline it is skipped with one line for each list of faults.
audit: .venv/.node
	@.venv/bin/python -m scripts.audit

# Only checks, unless TAG=yes sets the tag. The workflow gives TAG=set, since there the tag is set already.
release: .venv/.dev
	.venv/bin/python -m scripts.release $(if $(filter yes,$(TAG)),--tag) $(if $(filter set,$(TAG)),--tagged)

clean:
	rm -rf .venv .venv-audit .venv-bench .venv-servers .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* coverage.json build dist site .cache
	rm -rf scripts/js/node_modules benchmarks/peers/node_modules
