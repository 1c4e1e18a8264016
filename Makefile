# Every target is one line that calls h2lab, docker compose or go.
# Knobs go on the command line: make repro LIMIT=100 QUICK=1 RUNTIME=native
# They reach a program through its environment. No recipe expands one, since the
# shell would execute its value.
# A variable of make's command line takes precedence over one of this file, and make expands its value. So this file's own
# variables say override, and before anything else the values of the command line become what was typed, $ included.
override .v :=
override given := $(strip $(foreach .v,$(.VARIABLES),$(if $(findstring command line,$(origin $(.v))),$(.v))))
$(foreach .v,$(given),$(eval override $(.v) := $$(value $(.v))))

MAKEFLAGS += --no-print-directory
export CGO_ENABLED = 0

ifeq ($(filter Makefile ./Makefile,$(MAKEFILE_LIST)),)
$(error run make in the checkout: cd to it, or use make -C)
endif

# The exercises had this name once; without it make check would start the whole CI.
ifneq ($(filter check step,$(MAKECMDGOALS)),)
ifneq ($(value STEP)$(value step),)
$(error STEP has no effect: make check runs all checks of CI, and make step N=1 checks an exercise)
endif
endif

override targets := help build repro fixed matrix clients story sweep report live replay up down workshop step slides doctor certs tools shell test unit integration check-clients e2e check bench golden lint pin bundle dist clean

# make would run repro first, and then find no rule for the other words of: make repro RATE = 70 %
override nowhere := $(filter-out $(targets),$(MAKECMDGOALS))
ifneq ($(nowhere),)
$(error no such target: $(firstword $(nowhere)); make help lists them, and a knob has no spaces, as in make repro RATE=70%)
endif

# A sub-make doesn't check the variables that it inherits, since they may be meant for another target.
ifneq ($(given),)
ifneq ($(filter MAKELEVEL,$(given))$(filter 0,$(MAKELEVEL)),)
override quoted = '$(subst ','\'',$1)'
override refusal := $(shell tools/knobs.sh $(call quoted,$(MAKECMDGOALS)) $(call quoted,$(given)))
ifneq ($(refusal),)
$(error $(refusal))
endif
endif
export $(given)
endif
.DEFAULT_GOAL := help
.PHONY: $(targets)

##@ The lab
repro: build ## show the fault: HTTP/2 through nginx with keepalive_requests 1000 (LIMIT=…)
	@bin/h2lab repro
fixed: build ## compare the fault and its cures: keepalive_requests 1000 and 100000, Envoy, cures in the client
	@bin/h2lab fixed
matrix: build ## measure every topology over both protocols with every client
	@bin/h2lab matrix
clients: build ## measure how client libraries behave at the limit, and their cures (ONLY=okhttp,node)
	@bin/h2lab clients
story: build ## measure a Spring service behind the proxies: the incident, the search and the cures (GATEWAY=scg)
	@bin/h2lab story
sweep: build ## compare Spring services over users, waits and delays (SWEEP=callers|burst|low-latency|async|all), or measure where a limit matters (SWEEP=matters)
	@bin/h2lab sweep
report: build ## draw the newest report again from its results.json (RUN=results/… for another run)
	@bin/h2lab report
live: build ## show the current run in a browser on this machine (PORT=18190)
	@bin/h2lab live
replay: build ## play a recorded run and draw its report, without measuring (RUN=testdata/recorded/fixed)
	@bin/h2lab replay
up: build ## start every topology and keep it running, to explore with curl (FOR=learner: for the workshop)
	@bin/h2lab up
down: build ## stop the servers that `make up` started
	@bin/h2lab down
bench: build ## measure the observer's cost, and compare k6 with the Go client
	@bin/h2lab bench

##@ Something fails now
##> bin/h2lab decode, probe, trace, lint, logs, watch and advise examine your own servers: bin/h2lab --help

##@ Teaching
workshop: build ## put the workshop's exercises into workshop/, without overwriting files (SEED=… for your own limit)
	@bin/h2lab workshop
step: build ## check an exercise of the workshop (N=1); HINT=1, 2 or 3 adds a hint
	@bin/h2lab step || { status=$$?; test $$status -eq 4 || exit $$status; }
slides: ## build the workshop's slides, one HTML file for each language, into slides/ (needs npm)
	@tools/slides.sh

##@ Set-up
doctor: build ## list which requirements are installed, which are missing, and how to install them (FOR=learner: those of the workshop)
	@bin/h2lab doctor
certs: ## make the throw-away CA and certificates (KEY=rsa|ecdsa)
	@certs/make.sh
tools: ## put nginx, Envoy and k6 into tools/bin if PATH lacks them
	@tools/get.sh all
shell: ## open a shell in the lab container, for macOS, Windows or a Linux without Go (CMD='make repro QUICK=1', WITH=java|distance)
	@tools/shell.sh
bundle: ## pack everything for a classroom without a network, into bundle/
	@tools/bundle.sh
dist: ## make the release archives of h2lab for six systems in dist/, with checksums and SBOMs
	@tools/release/dist.sh
pin: build ## write the images' digests into versions.env
	@bin/h2lab pin
clean: ## stop all servers and remove all generated files, except results/
	@if [ -e var ]; then $(MAKE) down; fi
	@rm -rf bin var certs/out tools/bin tools/lib tools/nginx-current tools/servers tools/slides/node_modules tools/release/out bundle slides dist

##@ Proof
check: ## run all checks of CI: lint, test, integration, check-clients, e2e (FULL=1 also what is proved already)
	@tools/check.sh
test: ## run unit tests: no server, no root, no network
	@go test ./...
unit: ## run the unit tests that pass on every system: Linux, macOS, Windows
	@go test $$(grep -v '^#' tools/unit.txt)
integration: build tools certs ## test real servers, k6, browsers and capture programs on loopback (installs Chromium, Java and Maven by apt, as root)
	@tools/get.sh nginx-current && tools/get.sh haproxy && tools/toolchains.sh integration && tools/servers.sh all && tools/capture.sh && tools/promtool.sh && tools/wine.sh && tools/release/build.sh
	@tools/integration.sh
check-clients: build tools certs ## build and run every client program of clients/ (installs toolchains by apt, as root)
	@tools/toolchains.sh clients && tools/get.sh nginx-current
	@PATH="$$PWD/tools/bin:$$PATH" go test -count=1 -timeout 25m -tags integration,clients -run 'TestEveryClient' -v ./cmd/h2lab
e2e: build tools certs ## test a real Docker engine: compose up, a small repro, its report
	@e2e/run.sh
golden: build ## write the expected reports, pictures and answers again; read the diff
	@go test ./internal/judge/runverdicts ./internal/judge/storyverdicts ./internal/judge/clientverdicts ./internal/judge/sweepverdicts ./internal/judge/limitmap ./internal/report/runreport ./internal/report/clientreport ./internal/report/sweepreport ./internal/report/mattersreport ./internal/field/accesslog ./internal/field/decode ./internal/field/family ./internal/field/probe/document ./internal/field/systems ./internal/field/trace ./internal/field/lint/check -update
	@bin/h2lab report $(filter-out %/clients-again,$(wildcard testdata/recorded/*)) && go test -tags integration ./cmd/h2lab -run 'TestDocsShow|TestReadmeShows|Advice|FactsOfAnEndpoint' -update
	@go run ./tools/slides --pictures
lint: ## run gofmt, go vet, staticcheck and actionlint
	@tools/lint.sh

build:
	@tools/build.sh

help:
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^##>/ {printf "  %s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile
