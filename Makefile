# Everything happens in a virtual environment of its own; nothing else is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# keep pip quiet about itself, and never let it ask
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# some hundred processes of the tests import the package: it is compiled once, whoever forbids it
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-heavy test-slow test-simd test-arm64 test-clang test-abi3 test-lowest check format sanitize bench docs clean

help:
	@echo "make demo    install and show the main job on the embedded vectors"
	@echo "make test    install and run all tests but those of test-heavy"
	@echo "make test-heavy  the tests that need PyTorch, Ray or spaCy"
	@echo "make test-slow  exactness on 10^5 random corpora, and all of the hostile tests"
	@echo "make test-simd  every kernel of this processor's instruction sets against the portable one"
	@echo "make test-arm64  the same for 64-bit ARM, cross-compiled and run under QEMU"
	@echo "make test-clang  the kernels' tests on a build by clang"
	@echo "make test-abi3  a wheel built by Python 3.12, and the kernels' tests on it in Python 3.13"
	@echo "make test-lowest  a sample of the tests on the lowest versions of all dependencies"
	@echo "make sanitize   the kernels' tests under the address and undefined-behaviour sanitizers"
	@echo "make check   lint, types, layers and prose"
	@echo "make format  format the code"
	@echo "make bench   run the speed benchmarks on FUZZBOW_CORPUS, write their results and pages"
	@echo "make docs    build the documentation into site/"
	@echo "make clean   remove the virtual environment and caches"

CPP := $(shell find cpp -name '*.?pp' -o -name '*.inl')
CPP_TESTS := $(wildcard tests/cpp/*.?pp)
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
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m "not heavy"

# PyTorch, Ray, spaCy and what builds on them. TORCH may name a build without CUDA, which is much smaller.
TORCH ?= torch triton
$(VENV)/.heavy: $(VENV)/.test
	$(BIN)/pip install --quiet $(TORCH)
	$(BIN)/pip install --quiet --editable ".[heavy]"
	@touch $@

test-heavy: $(VENV)/.heavy
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m heavy

test-slow: $(VENV)/.test
	FUZZBOW_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest tests/kernel/test_search_properties.py \
	  tests/kernel/test_join_properties.py tests/kernel/test_encoding.py -k "brute_force or same_words"
	FUZZBOW_SLOW=1 $(BIN)/python -m pytest -s tests/hostile tests/pipeline tests/kernel tests/parity \
	  tests/unit/engine tests/golden tests/torch/test_cuda_engine.py

# No Python takes part in these: a binary of tests/cpp.
KERNEL_TESTS := cmake -DFUZZBOW_TESTS=ON -DCMAKE_BUILD_TYPE=Release -S .
test-simd:
	$(KERNEL_TESTS) -B build/simd
	cmake --build build/simd --parallel 2
	build/simd/kernel_tests

# Needs Debian's g++-aarch64-linux-gnu and qemu-user. The second processor has no dot products of bytes.
test-arm64:
	$(KERNEL_TESTS) -B build/arm64 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
	  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_EXE_LINKER_FLAGS=-static
	cmake --build build/arm64 --parallel 2
	qemu-aarch64 -cpu max build/arm64/kernel_tests portable neon dotprod
	qemu-aarch64 -cpu cortex-a53 build/arm64/kernel_tests portable neon

test-clang:
	$(PYTHON) -m venv build/clang
	CXX=clang++ build/clang/bin/pip install --quiet -C build-dir=build/clang-objects . pytest hypothesis
	build/clang/bin/python -m pytest tests/kernel

# The stable ABI of nanobind begins with Python 3.12; for 3.10 and 3.11 there is a wheel each.
OLDER_PYTHON ?= python3.12
NEWER_PYTHON ?= python3.13
test-abi3:
	rm -rf build/abi3-wheel
	$(OLDER_PYTHON) -m venv build/abi3-older
	build/abi3-older/bin/pip wheel --quiet --no-deps --wheel-dir build/abi3-wheel .
	$(NEWER_PYTHON) -m venv build/abi3-newer
	build/abi3-newer/bin/pip install --quiet --force-reinstall build/abi3-wheel/fuzzbow-*-cp312-abi3-*.whl pytest hypothesis
	build/abi3-newer/bin/python -m pytest tests/kernel

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

# The lowest versions that pyproject.toml allows, of what can be installed together, in Python 3.11 or 3.10.
OLDEST_PYTHON ?= python3.11
LOWEST := build/lowest
LOWEST_EXTRAS := pytest sts eval objects excel server pandas polars sklearn duckdb rapidfuzz wordfreq \
  langchain model2vec
LOWEST_TESTS := tests/kernel tests/unit/cli tests/unit/model tests/unit/server tests/unit/index tests/unit/dedupe \
  tests/unit/join tests/unit/selection tests/objects
test-lowest:
	$(OLDEST_PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/pip install --quiet uv
	$(LOWEST)/bin/uv pip compile --quiet --python $(LOWEST)/bin/python --no-build --resolution lowest-direct \
	  $(addprefix --extra ,$(LOWEST_EXTRAS)) --output-file $(LOWEST)/requirements.txt pyproject.toml
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --requirement $(LOWEST)/requirements.txt
	$(LOWEST)/bin/pip install --quiet --no-deps -C build-dir=build/lowest-objects .
	$(LOWEST)/bin/python -m pytest $(LOWEST_TESTS)

check: $(VENV)/.dev
	$(BIN)/clang-format --dry-run --Werror $(CPP) $(CPP_TESTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/check_prose.py
	$(BIN)/python tools/contributing_map.py --check

format: $(VENV)/.dev
	$(BIN)/clang-format -i $(CPP) $(CPP_TESTS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.bench: $(VENV)/.test
	$(BIN)/pip install --quiet --editable ".[bench]"
	@touch $@

# FUZZBOW_CORPUS names a file of sentences: benchmarks/README.md
bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.run

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
