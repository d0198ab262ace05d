# Every target sets up what it needs; `make demo` or `make test` is enough on a fresh clone. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
EDITABLE := build/editable
INSTALLED := $(VENV)/.installed
# ON makes warnings of the compiler errors, as in .ci/run.
WERROR ?= OFF
# Several people or processes may call make in one tree: whatever writes .venv or build/editable holds this lock.
LOCK := $(if $(shell command -v flock),flock build/.lock,)

# Tests make thousands of stores and wait for each to be on the disk. In memory, where there is plenty, they take a third
# less time; what they prove of durability needs a process to end, not a machine.
ROOMY := $(shell [ -w /dev/shm ] && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print "/dev/shm" }')
ifneq ($(ROOMY),)
export PYTEST_DEBUG_TEMPROOT ?= $(ROOMY)
endif

# The threads of OpenBLAS wait in loops: where two processes of tests have two each on two cores, learning takes ten times
# as long.
export OPENBLAS_NUM_THREADS ?= 1

export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export PATH := $(CURDIR)/$(BIN):$(PATH)

# Builds a C++ program in the directory of the extension, and runs those that CTest knows.
CPP_BUILD = @mkdir -p build && $(LOCK) sh -c '$(BIN)/cmake -S . -B $(EDITABLE) -DMEMSPAN_BUILD_TESTS=ON \
  -DMEMSPAN_BUILD_BENCHES=ON -DMEMSPAN_WERROR=$(WERROR) >build/configure.log && $(BIN)/cmake --build $(EDITABLE) --target $$0'
BOOST = $$($(BIN)/python -c 'import boost_headers as b; print(b.__path__[0] + "/include")')
CTEST = $(BIN)/ctest --test-dir $(EDITABLE) --output-on-failure --no-tests=error --parallel $(JOBS)

# An editable install looks for each module in the file that it was in: where one has moved it is made anew.
FORGET_MOVED = for file in $$(grep -oh '$(CURDIR)/python/[^'"'"']*\.py' $(VENV)/lib/python*/site-packages/_editable_skbc_memspan.py \
  2>/dev/null); do [ -e "$$file" ] || { rm -f $(INSTALLED); break; }; done

.DEFAULT_GOAL := help
.PHONY: help venv build model demo test py-test slow-test cpp-test sanitize tsan tsan-threads levels all-levels cross avx512 \
  instructions lint format types bench-smoke wheel clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: ## Make .venv with everything for development, and install memspan into it (editable)
	@mkdir -p build
	@$(FORGET_MOVED)
	@$(LOCK) $(MAKE) --no-print-directory $(INSTALLED)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { \
	  $(PYTHON) -m pip install --quiet --target build/virtualenv virtualenv && \
	  PYTHONPATH=build/virtualenv $(PYTHON) -m virtualenv --clear $(VENV); }

# pip configures $(EDITABLE) and builds the extension there once; after that the other targets drive the same directory,
# so that the core is compiled once for the extension, the C++ tests, the counted calls and the wheel. At that moment
# .venv holds nothing but what [build-system] asks for, so that a missing requirement is noticed.
$(INSTALLED): $(BIN)/python pyproject.toml .ci/build_requires.py
	$(PIP) 'pip>=23.1' cmake ninja $$($(BIN)/python .ci/build_requires.py)
	$(PIP) --no-build-isolation -Cbuild-dir=$(EDITABLE) -Ccmake.define.MEMSPAN_WERROR=$(WERROR) \
	  --editable '.[all,dev]'
	@touch $@

build: ## Rebuild the native core of the editable install (incremental, seconds)
	@mkdir -p build
	@$(FORGET_MOVED)
	@$(LOCK) $(MAKE) --no-print-directory $(INSTALLED) build-locked

# The extension is replaced by rename, so that running processes keep the one that they have mapped.
.PHONY: build-locked
build-locked: $(INSTALLED)
	@$(BIN)/cmake -S . -B $(EDITABLE) -DMEMSPAN_WERROR=$(WERROR) >build/configure.log
	@$(BIN)/cmake --build $(EDITABLE) --target _core
	@package="$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/memspan"; \
	for library in $$(find $(EDITABLE) -name '_core.*.so'); do \
	  target="$$package/$$(basename $$library)"; \
	  cmp -s $$library $$target || { cp $$library $$target.new && mv $$target.new $$target; }; \
	done

model: build ## Fetch the default models, unless they are there
	@$(BIN)/memspan models pull

demo: model ## Set up, build, fetch the default models, and show answers out of a conversation
	@$(BIN)/memspan demo
	@echo 'To have memspan in this shell: . $(BIN)/activate'

test: py-test cpp-test ## Set up, build, and run the Python and the C++ tests

py-test: model ## Run the Python tests, without the slow ones, in two processes
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --benchmark-disable

slow-test: model ## Run the slow Python tests
	$(BIN)/python -m pytest -m slow

cpp-test: venv ## Run the C++ tests (no Python in them)
	$(CPP_BUILD) memspan_tests
	$(CTEST)

sanitize: venv ## Run the C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(BIN)/cmake --preset asan-ubsan -DMEMSPAN_WERROR=$(WERROR)
	$(BIN)/cmake --build --preset asan-ubsan
	$(BIN)/ctest --preset asan-ubsan

tsan: venv ## Run the C++ tests under ThreadSanitizer
	$(BIN)/cmake --preset tsan -DMEMSPAN_WERROR=$(WERROR)
	$(BIN)/cmake --build --preset tsan
	$(BIN)/ctest --preset tsan

THREAD_TESTS := build/tsan/tests/cpp/memspan_thread_tests

tsan-threads: venv ## Run only the suites that start threads under ThreadSanitizer
	$(BIN)/cmake --preset tsan -DMEMSPAN_WERROR=$(WERROR)
	$(BIN)/cmake --build --preset tsan --target memspan_thread_tests
	$(THREAD_TESTS) --list_content 2>&1 | sed -n 's/^\([^ ]*\)\*$$/\1/p' >build/tsan/suites
	test -s build/tsan/suites
	TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 xargs -P $(JOBS) -I{} \
	  $(THREAD_TESTS) --run_test={} --run_test='!@long_under_tsan' <build/tsan/suites

# Without what no kernel has a part in, or only by way of what other suites try, of which these take longest.
LEVEL_CTEST = $(CTEST) --exclude-regex \
  'simd_forced|^(analyzer|auto_consolidation|consolidation_estimate|fair_shared_mutex|hash_cells|huge_pages|id_table)$$'

# What the processor would choose is what the other targets run. The Python tests of the index run with the kernels that
# differ most from those; each level of kernels is compared with the scalar one by the C++ tests.
levels: build ## Run the tests of the index with scalar kernels, the C++ tests also with those of AVX2
	$(CPP_BUILD) memspan_tests
	test "$$($(BIN)/python -c 'import memspan; print(memspan.simd_level())')" = avx2 || \
	  MEMSPAN_SIMD=avx2 $(LEVEL_CTEST)
	MEMSPAN_SIMD=scalar $(LEVEL_CTEST)
	MEMSPAN_SIMD=scalar $(BIN)/python -m pytest --numprocesses 2 --dist loadfile tests/python/index

cross: venv ## Build the kernels for AArch64 and run their tests in an emulator
	sh tests/cpp/simd_emulated.sh aarch64 $(BOOST)

avx512: venv ## Run the tests of the kernels of AVX-512 on a processor without it (needs SIMDe)
	sh tests/cpp/simd_emulated.sh avx512 $(BOOST)

all-levels: model ## Run the whole suite with scalar kernels and with those of AVX2 (half an hour; not part of .ci/run)
	$(CPP_BUILD) memspan_tests
	for level in avx2 scalar; do export MEMSPAN_SIMD=$$level; $(CTEST) --exclude-regex simd_forced && \
	  $(BIN)/python -m pytest --numprocesses 2 --dist loadfile --benchmark-disable && \
	  $(BIN)/python -m pytest -m slow || exit; done

# UPDATE=--update writes the counts into the baseline.
instructions: venv ## Count the instructions of the hot calls and compare them with the baseline (needs valgrind)
	$(CPP_BUILD) memspan_hot_calls
	$(BIN)/python benches/instructions/count.py $(EDITABLE)/benches/instructions/memspan_hot_calls $(UPDATE)

lint: venv ## Check style (ruff)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: venv ## Apply the formatter and the safe fixes (ruff)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: build ## Check types (mypy --strict) and the stub of the extension
	$(BIN)/python -m mypy --strict
	MYPYPATH=python $(BIN)/python -m mypy.stubtest memspan._core --allowlist tests/typing/stubtest_allowlist.txt

bench-smoke: build ## Run every benchmark once, for correctness only; build those of the kernels and of routing
	$(CPP_BUILD) kernels_bench
	$(CPP_BUILD) routing_bench
	$(BIN)/python -m pytest benches --benchmark-disable

wheel: venv ## Build a wheel into dist/, of what is compiled already, and try it in an empty environment
	rm -rf dist
	@$(LOCK) $(BIN)/python -m build --wheel --no-isolation --outdir dist -Cbuild-dir=$(EDITABLE) \
	  -Ccmake.define.MEMSPAN_WERROR=$(WERROR) .
	$(BIN)/python tests/wheel/try_wheel.py dist

clean: ## Remove everything that was built, and .venv
	rm -rf build dist $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
	find python tests benches -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
