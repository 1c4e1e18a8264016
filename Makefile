# Every target is one line that calls h2lab, docker compose or go.
# Knobs go on the command line: make repro LIMIT=100 QUICK=1 RUNTIME=native
# They reach a program through its environment. No recipe expands one, since the
# shell would run what is in it.
MAKEFLAGS += --no-print-directory
export CGO_ENABLED = 0

ifeq ($(filter Makefile ./Makefile,$(MAKEFILE_LIST)),)
$(error run make in the checkout: cd to it, or use make -C)
endif

# The knobs on this make's command line. Of those of a make above this one, which
# are handed down, nobody knows for whom they are.
given := $(if $(filter 0,$(MAKELEVEL)),$(strip $(foreach v,$(.VARIABLES),$(if $(findstring command line,$(origin $v)),$v))))
ifneq ($(given),)
quoted = '$(subst ','\'',$1)'
refusal := $(shell tools/knobs.sh $(call quoted,$(MAKECMDGOALS)) $(call quoted,$(given)))
ifneq ($(refusal),)
$(error $(refusal))
endif
# As it was typed: make would expand a $ in it.
$(foreach v,$(given),$(eval override $v := $$(value $v)))
export $(given)
endif
ifneq ($(HINT),)
ifeq ($(STEP),)
$(error HINT=$(HINT) has no effect without STEP: make check STEP=1 HINT=1)
endif
endif

.DEFAULT_GOAL := help
.PHONY: help build repro fixed matrix clients report live replay up down workshop doctor certs tools test integration check-clients e2e check bench golden lint pin bundle clean

##@ The lab
repro: build ## show the fault: HTTP/2 through nginx with keepalive_requests 1000 (LIMIT=…)
	@bin/h2lab repro
fixed: build ## broken and cured side by side: keepalive_requests 1000 and 100000, Envoy, the cures on the client's side
	@bin/h2lab fixed
matrix: build ## measure every topology over both protocols with every client
	@bin/h2lab matrix
clients: build ## measure which client libraries survive, and what cures the others (ONLY=okhttp,node)
	@bin/h2lab clients
report: build ## draw the newest report again from its results.json (RUN=results/… for another)
	@bin/h2lab report
live: build ## show a run while it goes on, in a browser on this machine (PORT=18190)
	@bin/h2lab live
replay: build ## draw a recorded run again and play it back: nothing is measured (RUN=testdata/recorded/fixed)
	@bin/h2lab replay
up: build ## start every topology and leave it up, for curl and exploring
	@bin/h2lab up
down: build ## stop what `make up` started
	@bin/h2lab down
bench: build ## what the observer costs, and how k6 compares with the Go client
	@bin/h2lab bench

##@ Something fails now
##> bin/h2lab decode, probe, trace, lint, logs, watch and advise look at your own servers: bin/h2lab --help

##@ Teaching
workshop: build ## lay out the workshop's exercises in workshop/, leaving what is there alone
	@bin/h2lab workshop
##> make check STEP=n verifies an exercise of the workshop; HINT=1, 2 or 3 gives a hint

##@ Set-up
doctor: build ## say what is here, what is missing and how to get it
	@bin/h2lab doctor
certs: ## make the throw-away CA and certificates (KEY=rsa|ecdsa)
	@certs/make.sh
tools: ## get nginx, Envoy and k6 into tools/bin where PATH has none
	@tools/get.sh all
bundle: ## pack everything for a room without a network, into bundle/
	@tools/bundle.sh
pin: build ## write the images' digests into versions.env
	@bin/h2lab pin
clean: ## stop what is up and remove everything that was made, except results/
	@if [ -e var ]; then $(MAKE) down; fi
	@rm -rf bin var certs/out tools/bin tools/lib tools/nginx-current tools/servers bundle

##@ Proof
check: $(if $(STEP),build,lint test integration check-clients e2e) ## everything that CI runs
	@$(if $(STEP),bin/h2lab step,:)
test: ## unit tests: no server, no root, no network
	@go test ./...
integration: build tools certs ## real servers, k6, browsers and capture programs on loopback (installs Chromium by apt, as root)
	@tools/get.sh nginx-current && tools/servers.sh all && tools/capture.sh && tools/promtool.sh && tools/toolchains.sh integration
	@PATH="$$PWD/tools/bin:$$PATH" go test -count=1 -p 1 -timeout 20m -tags integration $$(tools/tagged.sh integration)
check-clients: build tools certs ## every client program of clients/ is built and runs (installs toolchains by apt, as root)
	@tools/toolchains.sh clients && tools/get.sh nginx-current
	@PATH="$$PWD/tools/bin:$$PATH" go test -count=1 -timeout 25m -tags integration,clients -run 'TestEveryClient' -v ./cmd/h2lab
e2e: build tools certs ## a real Docker engine: compose up, a small repro, its report
	@e2e/run.sh
golden: build ## accept reports, pictures and answers as they are drawn now; read the diff
	@go test ./internal/report/runreport ./internal/report/clientreport ./internal/field/accesslog ./internal/field/decode ./internal/field/family ./internal/field/trace ./internal/field/lint/envoyconf ./internal/field/lint/haproxyconf ./internal/field/lint/ingressconf ./internal/field/lint/nginxconf ./internal/field/lint/traefikconf -update
	@bin/h2lab report $(filter-out %/clients-again,$(wildcard testdata/recorded/*)) && go test ./cmd/h2lab -run 'TestDocsShow|TestReadmeShows|Advice|FactsOfAnEndpoint' -update
lint: ## gofmt, go vet, staticcheck
	@tools/lint.sh

build:
	@tools/build.sh

help:
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^##>/ {printf "  %s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile
