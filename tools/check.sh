#!/usr/bin/env bash
# Runs every layer of checks, as CI does. What the later layers need is fetched and built while lint and the unit
# tests run; those use neither the network nor tools/bin.
# Exit status: 0 all passed, 1 some failed.
set -euo pipefail
unset CDPATH # cd would look there first
cd "$(dirname "$0")/.."

fetched=$(mktemp)
fetch() {
	make build tools certs
	tools/toolchains.sh integration
	tools/toolchains.sh clients
	tools/get.sh nginx-current
	tools/get.sh haproxy
	tools/servers.sh all
	tools/capture.sh
	tools/promtool.sh
	tools/wine.sh
	tools/release/build.sh
}
set -m # a process group of its own, so that it can be ended whole
(fetch) >"$fetched" 2>&1 </dev/null &
fetching=$!
set +m
trap 'kill -TERM -- "-$fetching" 2>/dev/null || true; rm -f "$fetched"' EXIT

layer() {
	local began=$SECONDS
	make "$1"
	echo "check: $1 passed in $((SECONDS - began)) s" >&2
}
# lint compiles everything first, so that the unit tests begin with a warm build cache.
layer lint
layer test
# integration fetches again what failed here, and ends with an error of its own.
wait "$fetching" || tail -n 5 "$fetched" >&2
layer integration
layer check-clients
layer e2e
