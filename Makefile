# Everything happens in a virtual environment of its own; nothing else is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# keep pip quiet about itself, and never let it ask
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

.PHONY: help demo test check format bench clean

help:
	@echo "make demo    install and show the main job on the embedded vectors"
	@echo "make test    install and run all tests"
	@echo "make check   lint, types and layers"
	@echo "make format  format the code"
	@echo "make bench   run the benchmarks and write benchmarks/results"
	@echo "make clean   remove the virtual environment and caches"

$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.base
	$(BIN)/pip install --quiet --editable ".[test]"
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	$(BIN)/pip install --quiet --editable ".[dev]"
	@touch $@

demo: $(VENV)/.base
	$(BIN)/fuzzbow demo

test: $(VENV)/.test
	$(BIN)/python -m pytest

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.test
	$(BIN)/python benchmarks/speed/parse_vectors.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
