# Everything to type while working on Conch. Needs make and Python 3.11 or newer; the rest it fetches itself, once.

BIN = .venv/bin
READY = .venv/.ready
JOBS = 3
ARGS =

# The tests start the program again and again: compiled once, each start takes a third less.
unexport PYTHONDONTWRITEBYTECODE

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: $(READY) ## start Conch with pretend chat apps to play with; ARGS= adds options
	@$(BIN)/conch serve --playground $(ARGS)

test: $(READY) ## the tests that need nothing but Python; ARGS= adds pytest options, JOBS= says in how many processes
	@$(BIN)/pytest -q -n $(JOBS) -o faulthandler_timeout=150 $(ARGS)

test-all: $(READY) ## those and the marked groups: browser, postgres, node, specs, slow
	@$(BIN)/pytest -q --groups=all $(ARGS)

check: format-check lint types layers test ## everything a change has to pass

format: $(READY) ## lay out the code and mend what the linter can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

format-check: $(READY) ## whether the code is laid out
	@$(BIN)/ruff format --check .

lint: $(READY) ## ruff's rules
	@$(BIN)/ruff check .

types: $(READY) ## mypy, strict
	@$(BIN)/mypy

layers: $(READY) ## who may import whom
	@$(BIN)/lint-imports --no-logo

reports: $(READY) ## the tests of each field report
	@$(BIN)/pytest -q --reports

bench: $(READY) ## the benchmarks, or some: BENCH="append echo"
	@$(BIN)/python -m benchmarks $(BENCH)

clean: ## back to a fresh checkout, environment and caches gone
	rm -rf .venv .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml uv.lock tools/setup.sh
	@sh tools/setup.sh
	@touch $(READY)

.PHONY: help run test test-all check format format-check lint types layers reports bench clean
