#!/bin/sh
# Builds the servers to out/lib and checks every library against checksums.sha256; does nothing when nothing
# changed. `./build.sh --renew-checksums` writes that file anew after a version was changed on purpose.
set -eu
unset CDPATH
cd -- "$(dirname -- "$0")"

fail() { echo "internal/field/systems/servers/java/build.sh: $*" >&2; exit 1; }
inputs() { find pom.xml build.sh checksums.sha256 src -type f -exec sha256sum {} + 2>/dev/null | sort | sha256sum; }
libraries() { (cd out/lib && sha256sum ./*.jar | sed '/h2lab-systems/d; s#\./##' | sort -k2,2); }

if [ "${1:-}" != --renew-checksums ] && [ "$(inputs)" = "$(cat out/built-from 2>/dev/null)" ]; then
	exit 0
fi
command -v mvn >/dev/null || fail "mvn is missing; next, as root: tools/toolchains.sh integration"
rm -rf out
mkdir out
# Offline first: once the local repository is filled, nothing is asked of the network.
mvn -o -q -B package >out/build.log 2>&1 || mvn -q -B -ntp package >out/build.log 2>&1 || {
	tail -n 30 out/build.log >&2
	fail "Maven failed; all it printed is in out/build.log beside this script"
}
[ "${1:-}" != --renew-checksums ] || libraries >checksums.sha256
libraries | cmp -s - checksums.sha256 ||
	fail "other libraries than checksums.sha256 lists; if a version was changed on purpose: ./build.sh --renew-checksums"
inputs >out/built-from
