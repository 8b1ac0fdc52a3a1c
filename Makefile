# make quickstart   install into .venv and run the README's quick start
# make test         install into .venv and run the tests
# make check        ruff and mypy

PYTHON ?= python3
BIN := .venv/bin

quickstart: .venv/installed
	$(BIN)/python scripts/quickstart.py

test: .venv/installed
	$(BIN)/python -m pytest

check: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.venv/installed: setup.py requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

.PHONY: quickstart test check
