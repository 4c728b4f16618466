# Everything a newcomer needs: Python 3.11 or newer, and make. Each target sets up what it uses.

PYTHON ?= python3
JOBS   ?= 2
ARGS   ?=

VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# Scripts that pip installs name their interpreter in the first line, which not every path survives.
SCRIPT := $(BIN)/python $(BIN)
PEERS  := .venv-peers
TRIED  := .venv-packages

# The page of the board is built into the package, again when something in web/ has changed.
PAGE   := src/tapeflow/board/static/index.html
WEB    := $(shell find web -name node_modules -prune -o -type f -print)
NPM    := $(BIN)/python web/npm.py

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo board test test-slow test-packages coverage check format docs package bench clean chromium

help:  ## show this list
	@echo "TapeFlow. Start with: make demo"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24
	@echo
	@echo "Options: PYTHON=python3.12 (the interpreter to set up with), JOBS=4 (test processes),"
	@echo "         ARGS='...' (passed on to the demo, pytest or the benchmarks)"

demo: $(PAGE)  ## train on real digits, log everything, open the board on it (CI=1: check it and exit)
	@$(SCRIPT)/tapeflow demo $(if $(CI),--check --port 0) $(ARGS)

board: $(PAGE)  ## show training runs in the browser: make board ARGS='--logdir runs'
	$(SCRIPT)/tapeflow board $(ARGS)

test: $(PAGE) chromium  ## run the tests that take seconds
	$(NPM) test --silent
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

test-slow: $(PAGE) chromium  ## run the tests that take minutes
	$(BIN)/python -m pytest -n $(JOBS) -m slow $(ARGS)
	$(MAKE) test-packages ARGS="-k 'keras_bert or keras_tuner or shap or tensorflow_recommenders or tf_keras_vis'"

test-packages: $(TRIED)/.ready  ## run programs of packages for TensorFlow, in an environment without it
	$(TRIED)/bin/python -m pytest -m slow tests/packages $(ARGS)

coverage: $(PAGE) chromium  ## run the tests and show which lines none of them runs
	$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term:skip-covered --cov-report=xml $(ARGS)

check: $(READY) web/node_modules/.ready  ## format, lint, types and layers, changing nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(SCRIPT)/pyright
	$(SCRIPT)/lint-imports
	$(NPM) run check --silent

format: $(READY) web/node_modules/.ready  ## format the code and apply the safe lint fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(NPM) run format --silent

package: $(PAGE)  ## build the wheel and the sdist, and try the wheel in an empty environment
	rm -rf dist build/package
	$(BIN)/python -m build
	$(PYTHON) -m venv build/package
	build/package/bin/python -m pip install --quiet dist/*.whl
	cd build && package/bin/python package/bin/tapeflow doctor
	cd build && package/bin/python package/bin/tapeflow demo --quick --check --port 0 --logdir package/logs

docs: $(READY)  ## build the documentation site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet $(ARGS)

bench: $(PAGE) chromium $(PEERS)/.ready  ## compare speed with TensorFlow, PyTorch and plain JAX
	$(BIN)/python -m benchmarks $(ARGS)

clean:  ## remove the environments and every cache
	rm -rf $(VENV) $(PEERS) $(TRIED) web/node_modules $(dir $(PAGE)) .cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find src tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is newer than pyproject.toml once everything it asks for is installed.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "TapeFlow expected Python 3.11 or newer; got PYTHON=$(PYTHON) ($$($(PYTHON) --version 2>&1))." \
	       "Name a newer one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "Setting up $(VENV): the first time this takes a minute or two."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

$(PAGE): $(WEB) web/node_modules/.ready
	@$(NPM) run build --silent

web/node_modules/.ready: web/package-lock.json web/.npmrc | $(READY)
	@$(NPM) ci --loglevel=error
	@touch $@

# The browser tests drive Debian's Chromium; they are skipped, and say so, where there is none.
chromium:
	@command -v chromium >/dev/null || { \
	  [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; } || \
	  echo "There is no chromium here and it cannot be installed: the browser tests will be skipped." >&2

# Packages that ask for TensorFlow get along without it, so what they require is not followed.
$(TRIED)/.ready: pyproject.toml tests/packages/requirements.txt tests/packages/packages.txt
	@echo "Setting up $(TRIED): a few minutes."
	@$(PYTHON) -m venv $(TRIED)
	@$(TRIED)/bin/python -m pip install --quiet --editable '.[tune]' --requirement tests/packages/requirements.txt
	@$(TRIED)/bin/python -m pip install --quiet --no-deps --requirement tests/packages/packages.txt
	@touch $@

# The peers live apart from the project: none of them is a dependency.
$(PEERS)/.ready: benchmarks/peers.txt
	@echo "Setting up $(PEERS): TensorFlow and PyTorch are large, this takes some minutes."
	@$(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --requirement benchmarks/peers.txt
	@touch $@
