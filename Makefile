# Everything happens in a virtual environment of its own; nothing else is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# keep pip quiet about itself, and never let it ask
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

.PHONY: help demo test test-slow check format sanitize bench docs clean

help:
	@echo "make demo    install and show the main job on the embedded vectors"
	@echo "make test    install and run all tests"
	@echo "make test-slow  exactness on 10^5 random corpora, and all of the hostile tests"
	@echo "make sanitize   the kernels' tests under the address and undefined-behaviour sanitizers"
	@echo "make check   lint, types and layers"
	@echo "make format  format the code"
	@echo "make bench   run the benchmarks and write benchmarks/results"
	@echo "make docs    build the documentation into site/"
	@echo "make clean   remove the virtual environment and caches"

CPP := $(shell find cpp -name '*.?pp' -o -name '*.inl')
# corpora; with 13 queries each on average, 10^5 searches
EXAMPLES ?= 8000

$(VENV)/.base: pyproject.toml CMakeLists.txt $(CPP)
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
	$(BIN)/python -m pytest --numprocesses 2

test-slow: $(VENV)/.test
	FUZZBOW_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest tests/kernel/test_search_properties.py \
	  tests/kernel/test_join_properties.py tests/kernel/test_encoding.py -k "brute_force or same_words"
	FUZZBOW_SLOW=1 $(BIN)/python -m pytest -s tests/hostile

# A build of its own in an environment of its own, never installed over the fast one.
SANITIZED := build/sanitized
ASAN = $$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)
sanitize:
	$(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/pip install --quiet -C cmake.define.FUZZBOW_SANITIZE=ON -C cmake.build-type=Debug \
	  -C build-dir=build/sanitize . pytest hypothesis
	LD_PRELOAD="$(ASAN) $$($(CXX) -print-file-name=libstdc++.so.6)" ASAN_OPTIONS=detect_leaks=0 \
	  FUZZBOW_EXAMPLES=20 $(SANITIZED)/bin/python -m pytest tests/kernel \
	  tests/hostile/test_kernel_arrays.py -k "not ctrl_c"

check: $(VENV)/.dev
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev
	$(BIN)/clang-format -i $(CPP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.bench: $(VENV)/.test
	$(BIN)/pip install --quiet --editable ".[bench]"
	@touch $@

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.speed.run
	$(BIN)/python -m benchmarks.speed.index
	$(BIN)/python -m benchmarks.speed.bm25
	$(BIN)/python -m benchmarks.speed.dedupe
	$(BIN)/python -m benchmarks.page

# what the extra needs and no more: to install the package again would compile it again
DOCS_NEEDS = from importlib.metadata import requires; \
  print(*(need.partition(";")[0] for need in requires("fuzzbow") if "extra == \"docs\"" in need), sep="\n")
$(VENV)/.docs: $(VENV)/.base
	$(BIN)/python -c '$(DOCS_NEEDS)' > $(VENV)/docs.txt
	$(BIN)/pip install --quiet --requirement $(VENV)/docs.txt
	@touch $@

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
