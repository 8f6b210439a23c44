# Needs Python 3.11 or newer, git and make. Everything goes into .venv; `make clean` removes it.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PIP = .venv/bin/python -m pip --disable-pip-version-check --quiet
GOAL ?= craft 1 stone_pickaxe
JOBS ?= 2

.PHONY: install run test test-all test-llm lint bench lock clean

install: .venv/.node
run: install
	@if [ -t 0 ]; then .venv/bin/autocraft run --goal "$(GOAL)"; else .venv/bin/autocraft run --goal "$(GOAL)" --continuous; fi

test: lint
	.venv/bin/python -m pytest -n $(JOBS) -m "not full and not llm"

test-all: .venv/.full test-llm
	.venv/bin/python -m pytest -n $(JOBS) -m "full"

# A real small model on loopback: about 200 MB to download once, one busy thread for a minute.
test-llm: .venv/.llm
	.venv/bin/python -m pytest -m "llm" tests/llm

lint: .venv/.dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

bench: .venv/.dev .venv-bench/.installed
	.venv/bin/python -m benchmarks

# The package is installed as a link to this checkout, with exact versions and hashes from the lock files.
.venv/.installed: requirements.lock pyproject.toml
	@[ -n "$(PYTHON)" ] && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "autocraft needs Python 3.11 or newer: set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@[ -x .venv/bin/python ] || $(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

# Node comes from PyPI; what it needs for Minecraft and for programs comes from npm, into the user's data directory.
.venv/.node: .venv/.installed $(wildcard autocraft/*/*/node/package-lock.json autocraft/*/node/package-lock.json)
	.venv/bin/python -m scripts.fetch_node
	@touch $@

.venv/.dev: .venv/.node requirements-dev.lock requirements-plancraft.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(PIP) install --no-deps --require-hashes -r requirements-plancraft.lock
	@touch $@

.venv/.full: .venv/.dev requirements-ray.lock
	$(PIP) install --require-hashes -r requirements-ray.lock
	@touch $@

.venv/.llm: .venv/.dev requirements-llm.lock
	$(PIP) install --no-deps --require-hashes -r requirements-llm.lock
	@touch $@

# The peers of the benchmarks live apart; without them the tables say "not installed".
.venv-bench/.installed: benchmarks/requirements.txt
	@[ -x .venv-bench/bin/python ] || $(PYTHON) -m venv .venv-bench
	@if .venv-bench/bin/python -m pip --disable-pip-version-check --quiet install -r benchmarks/requirements.txt; then touch $@; \
	  else echo "the peers could not be installed; the tables leave them out" >&2; fi

# Needs uv; no registry address may reach the lock files.
lock:
	uv pip compile pyproject.toml --extra build --extra minecraft --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -o requirements.lock
	uv pip compile pyproject.toml --extra build --extra minecraft --extra dev --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements.lock -o requirements-dev.lock
	uv pip compile requirements-llm.txt --no-deps --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements-dev.lock -o requirements-llm.lock
	uv pip compile requirements-plancraft.txt --no-deps --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -o requirements-plancraft.lock
	uv pip compile requirements-ray.txt --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements-dev.lock -o requirements-ray.lock

clean:
	rm -rf .venv .venv-bench .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
