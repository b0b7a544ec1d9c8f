# The front door. Every target installs what it needs, so each works on a fresh Debian bookworm machine.
.DEFAULT_GOAL := help
SHELL := /bin/bash
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 30

.PHONY: help setup build run test sanitize fuzz gcc e2e e2e-all bench lint fmt clean

help: ## what can be made
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing
	@scripts/setup

build: setup ## build/sluice, optimised
	@scripts/build release sluice

run: build ## the whole story on this machine: a pipeline, a repository, a signed event, a promotion
	@scripts/try

test: setup ## build and run the tests
	@scripts/build release all
	@scripts/run-tests build
	@tests/openapi/run build
	@SLUICE_BINARY=build/sluice tests/blackbox/run

sanitize: setup ## the suite under ASan+UBSan and TSan, and every fuzz target for a while
	@scripts/build asan-ubsan all
	@scripts/run-tests build/asan-ubsan
	@SLUICE_BINARY=build/asan-ubsan/sluice tests/blackbox/run -m "not release_only"
	@scripts/run-fuzz build/asan-ubsan $(FUZZ_SECONDS)
	@scripts/build tsan all
	@scripts/run-tests build/tsan
	@SLUICE_BINARY=build/tsan/sluice tests/blackbox/run -m "not release_only and not crash"

fuzz: setup ## every fuzz target, long (FUZZ_SECONDS=600)
	@scripts/build fuzz all
	@scripts/run-fuzz build/fuzz $(if $(filter command line environment,$(origin FUZZ_SECONDS)),$(FUZZ_SECONDS),600)

gcc: setup ## the same with g++ 12
	@scripts/build gcc all
	@scripts/run-tests build/gcc

e2e: build ## against the real etcd, kube-apiserver, Flux notification-controller and Gitea
	@SLUICE_BINARY=build/sluice tests/e2e/run

e2e-all: build ## the same with the other peer versions too
	@SLUICE_BINARY=build/sluice tests/e2e/run --all

bench: setup ## measure against nginx, as ratios; writes bench/results.md
	@scripts/setup bench
	@scripts/build release sluice
	@scripts/build release ledger_loop
	@bench/run

lint: setup ## format, static analysis, order of rooms
	@scripts/setup lint
	@scripts/lint

fmt: setup ## format what can be formatted
	@scripts/setup lint
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

clean: ## remove what was built
	rm -rf build
