# Each target sets up what it needs first, showing its progress; a second call starts at once.
#   make run                     open the window; make run ARGS="FILE --model pad-8" passes words on
#   make test                    run all tests; make test ARGS="-k ink" picks some
#   make lint                    check style, format and types
#   make bench                   measure the latency of the live answer
#   make run PYTHON=python3.12   use another Python
PYTHON ?= python3
ARGS ?=
VENV_PYTHON := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)/python
SET_UP := $(PYTHON) scripts/set_up.py

.PHONY: run test lint bench

run:
	@$(SET_UP) run
	@exec $(VENV_PYTHON) -m vit_pad $(ARGS)

test:
	@$(SET_UP) test
	@exec $(VENV_PYTHON) -m pytest $(ARGS)

lint:
	@$(SET_UP) dev
	@$(VENV_PYTHON) -m ruff check .
	@$(VENV_PYTHON) -m ruff format --check .
	@$(VENV_PYTHON) -m mypy training vit_pad tests scripts

bench:
	@$(SET_UP) test
	@exec $(VENV_PYTHON) -m tests.benchmarks.live $(ARGS)
