# `make` alone lists the targets. Everything happens in .venv, built from the hash-locked requirements.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install run test score live check check-long types lint format figures bench bench-long lock clean

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUNTIME_LOCKS := requirements.lock requirements-build.lock
LOCKS := $(RUNTIME_LOCKS) requirements-dev.lock
# Touched after a complete installation; older than pyproject.toml or a lock means stale.
RUNTIME := $(VENV)/.installed-runtime
DEV := $(VENV)/.installed-dev

# The first interpreter that runs and is new enough; `make PYTHON=... install` overrides.
PYTHON ?= $(shell for python in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

# What a lock may hold: no registry, no path of one machine, every platform; one version of each
# package for every Python.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--fork-strategy fewest --no-header --no-emit-index-url --upgrade

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(DEV)  ## Build .venv with everything needed to run, test and change floorboss

run: $(RUNTIME)  ## Start the daemon (ARGS="--port 9000" passes flags on)
	$(BIN)/floorboss serve $(ARGS)

test: $(DEV)  ## Run the tests (ARGS="-k narrowing" passes flags on)
	$(BIN)/python -m pytest -q -n 2 $(ARGS)

score: $(DEV)  ## Print what fires in each scenario (ARGS="--profile strict" passes flags on)
	@$(BIN)/python -m tests.replay.scoring $(ARGS)

live: $(DEV)  ## Run the scripts of tests/cases/live with the real Claude Code (CLAUDE=/path/to/claude)
	@$(BIN)/python -m tests.live.run $(ARGS)

check: $(DEV)  ## What must be green before a commit: format, lint, types, import contracts, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n 2 $(ARGS)

check-long: $(DEV)  ## Check the properties with five times as many examples (takes minutes)
	$(BIN)/python -m pytest -q -n 2 --hypothesis-profile=long -k properties $(ARGS)

types: $(DEV)  ## Check types only
	$(BIN)/mypy

lint: $(DEV)  ## Check style and import contracts only
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

format: $(DEV)  ## Rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

figures: $(DEV)  ## Run the simulator and rewrite the tables and charts of docs/simulation.md (half a minute)
	$(BIN)/python docs/figures.py

bench: $(DEV)  ## Measure durable posts per second, and the replay beside a JSON parser
	$(BIN)/python -m bench.run $(ARGS)

bench-long: $(DEV)  ## Measure events in a log of a million rows, and a replay of 1 GB (takes minutes and 1.5 GB)
	$(BIN)/python -m bench.growth $(ARGS)

lock: $(DEV)  ## Resolve the dependencies again and rewrite the three lock files
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) --group build -o requirements-build.lock
	$(COMPILE) pyproject.toml --extra dev --extra plots --group build -o requirements-dev.lock

clean:  ## Remove .venv and everything that is built or cached
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find app migrations tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUNTIME): pyproject.toml $(RUNTIME_LOCKS)
	$(call ensure-venv)
	$(PIP) install --require-hashes $(RUNTIME_LOCKS:%=-r %)
	$(call install-checkout)
	@touch $@

$(DEV): pyproject.toml $(LOCKS)
	$(call ensure-venv)
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(call install-checkout)
	@touch $(RUNTIME) $@

# pip is looked for, not python: an interpreter without ensurepip leaves half an environment behind.
define ensure-venv
@test -n "$(PYTHON)" || { echo "floorboss needs Python 3.11 or newer; none was found on PATH" >&2; exit 1; }
@test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV)
endef

# The backend comes from the lock above, so nothing is fetched here without a hash.
define install-checkout
$(PIP) install --no-deps --no-build-isolation --editable .
endef
