# Everything is done through targets of this file; `make help` lists them.

VENV := .venv
BIN := $(VENV)/bin
# An interpreter to make the environment with; set PYTHON to choose one.
PYTHON ?=
CANDIDATES := python3 python3.14 python3.13 python3.12 python3.11
# Where the bots of `make run` lie; any of them may be named on the command line of `referee` too.
SAMPLE_BOTS := sample_bots/python/first_bot.py
GAME ?= block_dominoes
PORT ?= 7700
# The exit status after Ctrl-C, which is how `make serve` is meant to end; the shell has to live that long.
INTERRUPTED := 130
# Bots here are scripts that import their neighbours, so their folders are where types are looked for.
SCRIPTS := sample_bots/house:sample_bots/misbehaving:sample_bots/text

export PIP_DISABLE_PIP_VERSION_CHECK := 1

, := ,

# An environment whose folder was moved, or whose Python is gone, is made anew.
ifneq ($(wildcard $(VENV)/.runtime),)
ifneq ($(shell $(BIN)/python -c 'print(open("$(VENV)/.runtime").read().strip())' 2>/dev/null),$(shell pwd))
$(shell rm -rf $(VENV))
endif
endif

.DEFAULT_GOAL := help
.PHONY: help setup run test lint style type proto proto-check proto-baseline golden bench soak serve clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.dev ## Make the environment .venv with the referee command and the tools for development
	@echo "ready: $(BIN)/referee"

run: $(VENV)/.runtime ## Play a round robin of the sample bots at GAME over gRPC and print the standings
	@$(BIN)/referee round-robin --game $(GAME) easy normal expert $(SAMPLE_BOTS)

test: lint ## Check everything: lint, types, contract and all tests
	@$(BIN)/pytest --numprocesses 2 --dist loadscope

lint: style type proto-check ## Check style, types, and the contract

style: $(VENV)/.dev
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet

type: $(VENV)/.dev ## Check the types
	@$(BIN)/mypy
	@MYPYPATH=$(SCRIPTS) $(BIN)/mypy sample_bots

proto-check: $(VENV)/.dev
	@$(BIN)/buf lint proto
	@$(BIN)/buf format --diff --exit-code proto
	@$(BIN)/buf breaking proto --against proto/baseline.binpb
	@$(BIN)/python proto/generate.py --check

proto: $(VENV)/.dev ## Generate the Python stubs in referee/v1 from the proto files
	@$(BIN)/python proto/generate.py

# A release moves the baseline, and nothing else does.
proto-baseline: $(VENV)/.dev
	@$(BIN)/buf build proto -o proto/baseline.binpb

golden: $(VENV)/.dev ## Play the golden replays anew, after a change of the rules or of the log
	@$(BIN)/python -m tests.replay.golden

bench: $(VENV)/.bench ## Measure speed against a raw echo, OpenSpiel and RLCard
	@$(BIN)/python -m benchmarks

soak: $(VENV)/.dev ## Run the long tests, which `make test` leaves out: 100,000 deals, 128 matches at once
	@$(BIN)/pytest -m soak --timeout 3600 -o faulthandler_timeout=4000

serve: $(VENV)/.runtime ## Serve on the port PORT (7700) of this machine, for bots that dial in
	@trap : INT; $(BIN)/referee serve --port $(PORT) || test $$? = $(INTERRUPTED)

clean: ## Remove the environment and all caches; replays and standings stay
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@set -e; for python in $(or $(PYTHON),$(CANDIDATES)); do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			"$$python" -c 'import ensurepip, venv' 2>/dev/null || { \
				echo "make: $$python has no venv module; install it (Debian: apt-get install python3-venv)" >&2; exit 1; }; \
			echo "making $(VENV) with $$("$$python" --version)"; \
			"$$python" -m venv --clear $(VENV); exit 0; \
		fi; \
	done; \
	echo "make: no Python 3.11 or newer among: $(or $(PYTHON),$(CANDIDATES)); install one, or name it with PYTHON=" >&2; exit 1

# A stamp stands for what was installed for this pyproject.toml, and holds the folder it was made in.
define install
	@echo "installing into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --editable '.$(1)'
	@pwd > $(VENV)/.runtime
	@pwd > $@
endef

$(VENV)/.runtime: pyproject.toml | $(VENV)/bin/python
	$(call install,)

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(call install,[dev])

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(call install,[dev$(,)bench])
	@pwd > $(VENV)/.dev
