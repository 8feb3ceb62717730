# Everything that is done with this repository, by name: "make help". Needs Go and make, and bash for the recipes;
# the tools are pinned here and fetched by "go run", so that go.mod stays the product's own.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

GOFUMPT  := go run mvdan.cc/gofumpt@v0.12.0
LINT     := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONS  := go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
PREFIX   ?= /usr/local
COUNT    ?= 50
FUZZTIME ?= 1m
PARALLEL ?= 4
GO_BUILD := CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)"

.PHONY: build install demo check test test-real images matrix race fuzz bench docs help

build: ## the static binary bin/libtmux-mcp
	$(GO_BUILD) -o bin/libtmux-mcp ./cmd/libtmux-mcp

install: build ## bin/libtmux-mcp to PREFIX/bin (PREFIX=/usr/local)
	install -D -m 0755 bin/libtmux-mcp "$(DESTDIR)$(PREFIX)/bin/libtmux-mcp"

demo: build ## the main job against a real tmux, as questions and answers
	.ci/install tmux
	go run ./integration/demo bin/libtmux-mcp

check: ## format, vet (Linux and Darwin), lint, import rules, generated documents, tidy modules
	@unformatted=$$($(GOFUMPT) -l .); test -z "$$unformatted" || { echo "gofumpt would change:" $$unformatted; exit 1; }
	go vet ./...
	go vet -tags integration ./...
	go vet -tags matrix ./integration/matrix/...
	GOOS=darwin go vet ./...
	$(LINT) run
	$(ACTIONS)
	go test -count=1 -run '^TestImport' ./integration
	go test -count=1 -run '^TestToolsDocument$$' ./adapters/mcpserver
	go mod tidy -diff

test: ## everything that needs neither tmux nor Docker
	go test -timeout 2m ./...

test-real: ## the same contracts and the binary on each tmux of TMUX_BINARIES (default: the one on PATH); a skip fails, and a failure runs twice
	go run ./integration/twice -tags integration -count=1 -timeout 20m ./integration/...

images: ## images of the matrix's cells that are missing (OFFLINE=1: on bases made here, from no registry of images)
	.ci/images

matrix: ## the tests of test-real in a container for each tmux, PARALLEL=4 at once (FULL=1: every combination); cells that cannot run are skipped (docs/compatibility.md)
	.ci/images || echo "the cells without an image are skipped"
	go test -tags matrix -count=1 -timeout 40m -parallel $(PARALLEL) -v ./integration/matrix $(if $(UPDATE),-update)

race: ## make test with the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -timeout 5m ./...

fuzz: ## each native fuzz target for a minute (FUZZTIME=1m); what one finds goes to testdata/fuzz of its package
	@targets=$$(grep -rEo --include='*_test.go' '^func Fuzz\w+' . | sed -E 's|/[^/]+:func | |'); test -n "$$targets"; \
	while read -r package target; do \
		echo "$$package $$target"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" </dev/null; \
	done <<<"$$targets"

bench: ## latencies on a real tmux against what tmux itself takes (COUNT=50); with UPDATE=1 to docs/benchmarks.md
	go test -tags integration -timeout 30m -run '^$$' -bench . -benchtime $(COUNT)x ./integration $(if $(UPDATE),-update-benchmarks)

docs: ## docs/tools.md, from what a live server lists
	go test -count=1 -run '^TestToolsDocument$$' ./adapters/mcpserver -update

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
