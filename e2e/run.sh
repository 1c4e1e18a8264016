#!/usr/bin/env bash
# Proves the Docker runtime on a real engine: compose comes up healthy, its
# published ports answer, a small `make repro` reproduces the fault through it
# and writes its report, and nothing is left afterwards.
#
# This file makes the environment (an engine, the compose plugin, the images),
# each only where it is missing; e2e/*_test.go holds the assertions. It fails
# where it can't run: a proof that is skipped proves nothing.
#
#   e2e/run.sh              everything, then take down what it started
#   e2e/run.sh -run Stands  the same, with arguments for `go test`
#   e2e/run.sh keep         leave the engine up, print how to talk to it and how to end it
set -euo pipefail
unset CDPATH # cd would look there first
cd "$(dirname "$0")/.."

say() { printf 'e2e: %s\n' "$*"; }
die() { printf 'e2e: %s\n' "$*" >&2; exit 1; }

scratch=$(mktemp -d)
# shellcheck source=e2e/engine.sh
. e2e/engine.sh
# shellcheck source=e2e/plugin.sh
. e2e/plugin.sh
# shellcheck source=e2e/images.sh
. e2e/images.sh
# shellcheck source=e2e/bases.sh
. e2e/bases.sh
# shellcheck source=e2e/lab_base.sh
. e2e/lab_base.sh

finish() {
	local status=$?
	trap - EXIT INT TERM
	if [ "$status" -ne 0 ] && [ -s "$scratch/dockerd.log" ]; then
		say "the engine's last output:"
		tail -n 15 "$scratch/dockerd.log" >&2
	fi
	# The tests take down what they bring up; an interrupt ends them before that.
	[ -z "${plugin_is_ready:-}" ] || docker compose --profile lab --profile h2-upstream --profile clients --profile plain down --remove-orphans --volumes --timeout 5 >/dev/null 2>&1 || true
	docker rm -f h2lab-lab >/dev/null 2>&1 || true
	engine_down
	rm -rf "$scratch"
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

[ -x bin/h2lab ] || die "bin/h2lab is missing; try: make build"
command -v setpriv >/dev/null || die "setpriv is missing; try: apt-get install util-linux"
[ -e certs/out/ca.crt ] || die "certs/out/ca.crt is missing; try: make certs"
engine_up
plugin_ready
plugin_is_ready=1
images_ready
bases_ready
lab_base_ready

if [ "${1:-}" = keep ]; then
	trap - EXIT INT TERM
	say "left up; in your shell: ${engine_started:+export DOCKER_HOST=$DOCKER_HOST BUILD_NETWORK=$BUILD_NETWORK; }${DOCKER_CONFIG:+export DOCKER_CONFIG=$DOCKER_CONFIG}"
	say "to end it: ${engine_started:+kill $(cat "$scratch/dockerd.pid"); }rm -rf $scratch"
	exit 0
fi
say "running: go test -tags e2e -count=1 -v -timeout 20m ./e2e $*"
go test -tags e2e -count=1 -v -timeout 20m ./e2e "$@"
