# Everything a user types. `make` sets up .venv and runs the scale of config/config.yaml (quick).
SHELL := /bin/sh
.DELETE_ON_ERROR:
.SUFFIXES:

PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv pip
# Python of the environment first on the path: rules call `python`.
RUN := PATH="$(CURDIR)/$(BIN):$$PATH" VIRTUAL_ENV="$(CURDIR)/$(VENV)"
# The package of this folder, even where PYTHONPATH has another one of its name.
OWN := PYTHONPATH="$(CURDIR)/src$${PYTHONPATH:+:$$PYTHONPATH}"
SNAKEMAKE := $(RUN) $(OWN) $(BIN)/snakemake --cores $(CORES) --logger dpbandits
# `make SCALE=full PAPER=hu2021` runs one paper at one scale; a list of papers has commas.
CONFIG = $(if $(SCALE),"scale=$(SCALE)") $(if $(PAPER),"papers=$(PAPER)")
COMMA := ,
# The scale that is run: the pilot has no verdicts to print.
WANTED := $(or $(SCALE),$(shell sed -n "s/^scale: *[\"']*\([a-z]*\).*/\1/p" config/config.yaml 2>/dev/null))

.PHONY: run smoke quick full pilot plan site lab setup setup-dev setup-slurm setup-peers test test-all test-slow cluster-test lint docs bench lock dist help clean

ifneq ($(shell echo "$(CORES)" | grep -Ex '0*[1-9][0-9]*' >/dev/null || echo no),)
$(error CORES=$(CORES): must be a whole number >= 1)
endif

ifeq ($(WANTED),pilot)
run: pilot
else
run: setup  ## set up if needed, run the scale of config/config.yaml, end in a summary; PAPER=key runs one paper
	@$(SNAKEMAKE) $(if $(SCALE)$(PAPER),--config $(CONFIG))
endif

smoke quick full:  ## the same at this scale, as SCALE=smoke does
	@case "$(SCALE)" in ""|$@) ;; *) echo "SCALE=$(SCALE) contradicts \`make $@\`. Leave one of them out." >&2; exit 2;; esac
	@$(MAKE) --no-print-directory run SCALE=$@

pilot: setup  ## play the pilot, from which `dpbandits allocate` chooses numbers of seeds; PAPER=key plays one paper's
	@case "$(SCALE)" in ""|$@) ;; *) echo "SCALE=$(SCALE) contradicts \`make $@\`. Leave one of them out." >&2; exit 2;; esac
	@$(SNAKEMAKE) --config scale=pilot $(if $(PAPER),"papers=$(PAPER)")
	@echo "Next: dpbandits allocate$(if $(PAPER), $(subst $(COMMA), ,$(PAPER))) --pilot results/pilot"

plan: setup  ## what a run would do, jobs and CPU time by stage; SCALE=full, PAPER=key; every job: snakemake --dry-run
	@$(SNAKEMAKE) --dry-run $(if $(SCALE)$(PAPER),--config $(CONFIG))

site: setup  ## the report of the committed full results, without a run: results/site/index.html
	@$(RUN) $(OWN) $(BIN)/dpbandits site

lab: setup  ## open the notebooks in JupyterLab; LAB="--no-browser --port=8888" passes options
	@$(RUN) $(OWN) $(BIN)/jupyter lab --notebook-dir=notebooks $(LAB)

setup: $(VENV)/ready  ## make .venv from the hashed lock

# An environment knows its folder. It is rebuilt where it was copied or moved here, where it is unfinished, where its
# Python was replaced or removed, and, for `make setup`, where files of its packages are missing.
ifneq ($(wildcard $(VENV)/folder $(VENV)/ready),)
BROKEN := $(shell if [ -f $(VENV)/folder ] && [ "$$(cat $(VENV)/folder)" != "$(CURDIR)" ]; \
  then echo "was made for another folder"; \
  elif [ ! -f $(VENV)/ready ]; then echo "is unfinished"; \
  elif ! $(BIN)/python -I -c 'import importlib.metadata as m; m.version("dpbandits")' 2>/dev/null; \
  then echo "lacks its Python or packages"; \
  elif [ -n "$(filter setup%,$(MAKECMDGOALS))" ] && ! $(BIN)/python -I tools/whole.py; \
  then echo "lacks files of packages"; fi)
endif
ifneq ($(BROKEN),)
.PHONY: rebuilt
rebuilt:
	@echo "$(VENV) $(BROKEN) and is rebuilt"
	@rm -rf $(VENV)

$(VENV)/bin/uv: rebuilt
endif

$(VENV)/bin/uv: requirements-uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' 2>/dev/null || \
	  { echo "$(PYTHON) is `$(PYTHON) --version 2>&1`; Python 3.11 to 3.14 is needed: make PYTHON=python3.11" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make virtual environments; on Debian or Ubuntu: apt install python3-venv" >&2; exit 2; }
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@printf '%s' "$(CURDIR)" > $(VENV)/folder
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
	@touch $@

$(VENV)/ready: $(VENV)/bin/uv requirements.lock pyproject.toml
	@echo "Installing the pinned packages"
	@$(UV) install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r requirements.lock
	@$(UV) install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@printf '%s' "$(CURDIR)" > $(VENV)/folder
	@touch $@

setup-dev: $(VENV)/ready-dev  ## add what tests and linters need

$(VENV)/ready-dev: $(VENV)/ready $(VENV)/crate/ready requirements-dev.lock
	@$(UV) install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@

# The validator of the certificate wants other versions than the rest, hence an environment of its own.
$(VENV)/crate/ready: $(VENV)/bin/uv requirements-crate.lock
	@$(BIN)/python -m venv --without-pip $(VENV)/crate
	@$(UV) install --quiet --python $(VENV)/crate/bin/python --require-hashes --compile-bytecode -r requirements-crate.lock
	@touch $@

# The public peers of `make bench` want other versions as well, and no Python above 3.12: without it there are none.
$(VENV)/peers/ready: $(VENV)/bin/uv requirements-peers.lock
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info >= (3, 13))'; then \
	  $(BIN)/python -m venv --without-pip $(VENV)/peers && \
	  $(UV) install --quiet --python $(VENV)/peers/bin/python --require-hashes -r requirements-peers.lock && touch $@; \
	else echo "Without the public peers, which need Python 3.11 or 3.12"; fi

setup-peers: $(VENV)/peers/ready  ## add the packages that make bench measures beside ours, in their own environment

setup-slurm: $(VENV)/ready-slurm  ## add what runs the workflow on a cluster

$(VENV)/ready-slurm: $(VENV)/ready requirements-slurm.lock
	@$(UV) install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r requirements-slurm.lock
	@touch $@

PYTEST := $(RUN) $(BIN)/python -m pytest -q --dist worksteal
# Slow tests often wait, as for a scheduler that notices a dead node: one process more than cores.
MORE := $(shell expr $(CORES) + 1)

test: setup-dev  ## tests for every commit, some 25 minutes on two cores; TESTS=tests/unit selects a part
	@$(PYTEST) -n $(CORES) -m "not slow" $(TESTS)

test-all: setup-dev  ## all tests, some 70 minutes on two cores, and for root 90 more for fresh machines; TESTS=tests/unit selects a part
	@$(PYTEST) -n $(MORE) $(TESTS)

test-slow: setup-dev  ## the tests that make test leaves out, some 45 minutes, for root 135; TESTS=tests/unit selects a part
	@$(PYTEST) -n $(MORE) -m slow $(TESTS)

cluster-test: setup-dev setup-slurm  ## the smoke scale of two papers through a SLURM of this machine's own, where it is installed
	@$(RUN) $(BIN)/python -m pytest -q tests/workflow/test_slurm.py

lint: setup-dev  ## style, spelling, types, imports, workflow, kept runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(RUN) $(BIN)/snakemake --lint
	$(RUN) $(OWN) DPBANDITS_COMPILE=0 $(BIN)/python -m tests.statistical.kept_runs --check

docs: setup-dev  ## the documentation, without network and with every warning an error: docs/_build/html/index.html
	@$(RUN) $(BIN)/python -m sphinx -E -W --keep-going -n -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Archives do not depend on when they are made: all of their files are dated 1 February 2020, as zip cannot go below 1980.
DATED := 1580515200

LOCK = $(UV) compile --quiet --upgrade --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
  --no-header --no-annotate

bench: setup-dev setup-peers  ## speed of the kernels against others', how their cost and that of planning grow, and what more cores gain
	@$(RUN) OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks

lock: $(VENV)/ready-dev  ## resolve the requirements; the locks hold hashes and no address
	$(LOCK) requirements-uv.in -o requirements-uv.lock
	$(LOCK) requirements.in -o requirements.lock
	$(LOCK) requirements-dev.in -c requirements.lock -o requirements-dev.lock
	$(LOCK) requirements-crate.in -o requirements-crate.lock
	$(LOCK) requirements-peers.in -o requirements-peers.lock
	$(LOCK) requirements-slurm.in -c requirements.lock -o requirements-slurm.lock
	$(BIN)/python tools/environment.py > environment.yml

dist: setup  ## wheel and source archive in dist/, the same bytes from the same files
	@rm -rf dist
	@SOURCE_DATE_EPOCH=$(DATED) $(BIN)/python -m hatchling build -d dist >/dev/null
	@cd dist && sha256sum *

clean:  ## remove results, logs and caches, not the environment
	rm -rf results logs .cache .snakemake docs/_build dist

help:  ## this list
	@grep -hE '^[a-z -]+:.*  ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z -]+):[^#]*## /  make \1: /'
