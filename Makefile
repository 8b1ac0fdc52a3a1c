# make         install into .venv, then train, compare and package on the sample corpus
# make test    install into .venv and run the tests
# make check   ruff and mypy

PYTHON ?= python3
BIN := .venv/bin

all: .venv/installed
	$(BIN)/python -m spacy project run all .

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

.PHONY: all test check
