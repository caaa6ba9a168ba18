# Everything a person does here, from a fresh clone: Python 3.11 or newer and make are all it needs.
# `make` lists the targets; a target installs what it needs first, once.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
NODE := tests/node/node_modules
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet
GAME ?= giro-galoppo
# Options of pytest: `make test ARGS="-k shuffle -x"`. JOBS=0 runs the tests in one process.
JOBS ?= auto
ARGS ?=
SHARE ?= 1

.PHONY: help
help: ## list the targets (this)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# ── run ───────────────────────────────────────────────────────────────────────────────────────────

.PHONY: demo
demo: $(VENV)/.run ## play a match to the end and audit it: make demo GAME=dragon-dance
	$(BIN)/referee demo $(GAME)

.PHONY: serve
serve: $(VENV)/.run ## serve on http://127.0.0.1:8080 with the embedded store
	$(BIN)/referee serve

.PHONY: schemas
schemas: $(VENV)/.run ## write schemas/ anew from the code
	$(BIN)/referee schemas -o schemas

.PHONY: golden
golden: setup ## write the examples that a game lacks, and anew what is seen of all of them
	$(BIN)/python -m tests.conformance.golden

# docker or podman; BASE names a base that has Python, and BUILD holds further options.
ENGINE ?= $(shell docker version >/dev/null 2>&1 && echo docker || echo podman)
BASE ?= python:3.13-slim
IMAGE ?= referee
BUILD ?=
SBOM ?= dist/referee.cdx.json

.PHONY: image
image: ## build the image: ENGINE=podman, BASE=python:3.12-slim, IMAGE=name
	BUILDAH_FORMAT=docker $(ENGINE) build --build-arg BASE=$(BASE) \
	  --build-arg VERSION=$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml) \
	  --build-arg REVISION=$$(git rev-parse HEAD) $(BUILD) -t $(IMAGE) .

.PHONY: sbom
sbom: setup ## list what runs, from the hashed lock, as CycloneDX: SBOM=dist/referee.cdx.json
	mkdir -p $(dir $(SBOM))
	$(BIN)/python -W ignore -m cyclonedx_py requirements requirements/run.txt --pyproject pyproject.toml \
	  --output-reproducible -o $(SBOM)

# ── test and check ────────────────────────────────────────────────────────────────────────────────

.PHONY: test
test: setup ## run the tests, all but the long ones
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

.PHONY: test-long
test-long: setup ## run the long tests
	$(BIN)/python -m pytest -n $(JOBS) -m long --timeout 3600 $(ARGS)

.PHONY: prove
prove: setup ## prove what no example shows, for hours: make prove SHARE=0.01 for a hundredth of it
	PROOF_SHARE=$(SHARE) $(BIN)/python -m pytest -m prove -s $(ARGS)

.PHONY: mutate
mutate: setup ## change the rules and see whether a test notices: make mutate ARGS="--seed 7 --count 300"
	$(BIN)/python -m tests.proof.mutation $(ARGS)

.PHONY: test-node
test-node: $(NODE)/.package-lock.json ## run the tests that make clients of the API with packages of Node.js
	$(BIN)/python -m pytest -m node tests/node $(ARGS)

.PHONY: test-browser
test-browser: $(NODE)/.package-lock.json ## run the tests in a browser: /usr/bin/chromium, which the system's packages bring
	$(BIN)/python -m pytest -m browser tests/browser $(ARGS)

.PHONY: test-cluster
test-cluster: setup ## run the tests on a Redis Cluster and with Sentinels, and a rolling restart
	$(BIN)/python -m pytest -n $(JOBS) --dist loadscope -m cluster tests/store tests/cluster $(ARGS)

.PHONY: test-crashes
test-crashes: setup ## run the tests that kill services and stores, and start them again
	$(BIN)/python -m pytest -n $(JOBS) -m "crashes and not long" tests/faults tests/store tests/live $(ARGS)

.PHONY: test-clocks
test-clocks: setup ## run the tests that set clocks: by libfaketime, which the system's packages bring
	$(BIN)/python -m pytest -n $(JOBS) -m clocks tests/live $(ARGS)

.PHONY: test-archive
test-archive: setup ## run the tests of the archive in an object store, and those that kill the archiver
	$(BIN)/python -m pytest -n $(JOBS) -m archive tests/archive $(ARGS)

.PHONY: test-image
test-image: setup image ## build the image and run the tests in it
	REFEREE_TEST_ENGINE=$(ENGINE) REFEREE_TEST_IMAGE=$(IMAGE) REFEREE_TEST_BASE=$(BASE) \
	  $(BIN)/python -m pytest -m image tests/image $(ARGS)

.PHONY: test-k8s
test-k8s: setup $(VENV)/.checkov ## run the tests of the manifests: by kubectl, without a cluster
	CHECKOV=$(VENV)/checkov/bin/checkov $(BIN)/python -m pytest -n $(JOBS) -m k8s tests/k8s $(ARGS)

.PHONY: test-pages
test-pages: setup ## run the commands of pages of the documentation: by bash, curl and jq
	$(BIN)/python -m pytest -n $(JOBS) -m pages tests/live $(ARGS)

.PHONY: check
check: setup ## lint, formatting, types (mypy), imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: setup ## format the code and mend what the linter can mend
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format

.PHONY: bench
bench: setup ## measure commands a second and their latency on this machine
	$(BIN)/python -m benchmarks $(ARGS)

# ── install ───────────────────────────────────────────────────────────────────────────────────────

.PHONY: setup
setup: $(VENV)/.dev ## make .venv with everything to run, test and check (other targets do it)

# The first Python that is new enough; PYTHON=… chooses another.
$(VENV)/.made:
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "making $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv --clear $(VENV) && touch $@ && exit 0; \
	    echo "$$python cannot make a virtual environment: is its venv module installed?" >&2; exit 1; \
	  fi; \
	done; \
	echo "Python 3.11 or newer is needed, and python3 is $$(python3 --version 2>&1)." >&2; \
	echo "Name one: make setup PYTHON=/path/to/python3" >&2; exit 1

# Pinned by hash, then the project itself with what was just installed; again when a file changes.
$(VENV)/.run: $(VENV)/.made requirements/run.txt requirements/build.txt pyproject.toml
	$(PIP) install --no-deps --require-hashes -r requirements/run.txt -r requirements/build.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.checkov: $(VENV)/.dev requirements/checkov.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/checkov
	$(BIN)/uv pip install --quiet --python $(VENV)/checkov --require-hashes -r requirements/checkov.txt
	@touch $@

# npm comes with the Node.js of the development requirements; its packages stay below tests/node.
$(NODE)/.package-lock.json: $(VENV)/.dev tests/node/package-lock.json
	$(BIN)/npm ci --prefix tests/node
	@touch $@

# The files hold for every platform and Python from 3.11 on, and name no index.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
LEAN := -c requirements/dev.txt --excludes requirements/never-imported.txt

.PHONY: lock
lock: setup ## pin requirements/ anew from pyproject.toml: make lock ARGS=--upgrade
	$(LOCK) $(ARGS) pyproject.toml --extra otel --group dev -o requirements/dev.txt
	$(LOCK) pyproject.toml $(LEAN) -o requirements/run.txt
	$(LOCK) pyproject.toml --extra otel $(LEAN) -o requirements/otel.txt
	$(LOCK) --group build -c requirements/dev.txt -o requirements/build.txt
	$(LOCK) $(ARGS) --group checkov -o requirements/checkov.txt

.PHONY: clean
clean: ## remove .venv and what tools left behind; matches and secrets stay
	rm -rf $(VENV) $(NODE) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .mutation
	find referee replay tests -name __pycache__ -type d -prune -exec rm -rf {} +
