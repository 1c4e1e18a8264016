#!/bin/sh
# Installs, by apt and as root, what the client programs of clients/ need and
# this machine lacks: compilers, runtimes and h2load. `make check-clients` runs
# it first, so that nothing is left out there unheard. `make clients` installs
# nothing: what lacks its toolchain is a row that says so.
# Exit status: 0 all there, 1 apt could not, 3 needs root or apt.
set -eu

missing=
want() { # command package…
	command=$1
	shift
	command -v "$command" >/dev/null 2>&1 || missing="$missing $*"
}
want java openjdk-17-jdk-headless
want javac openjdk-17-jdk-headless
want mvn maven
want node nodejs npm
want npm npm
want cc gcc libc6-dev
# Debian 12's cargo is older than the client programs need (1.85); the one that
# it keeps current for browsers is not.
newer_cargo() { cargo --version 2>/dev/null | awk '{split($2, v, "."); exit !(v[1] > 1 || v[2] >= 85)}'; }
newer_cargo || missing="$missing $(apt-cache show cargo-web >/dev/null 2>&1 && echo cargo-web || echo cargo)"
want curl curl
want curl-config libcurl4-openssl-dev
want h2load nghttp2-client
python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "toolchains: missing; next, as root: apt-get install$missing" >&2
	exit 3
fi
echo "toolchains: apt-get install$missing" >&2
export DEBIAN_FRONTEND=noninteractive
said=$(mktemp)
trap 'rm -f "$said"' EXIT
# Lists may be old or not there; then they are fetched and it is tried again.
# shellcheck disable=SC2086
apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 $missing >"$said" 2>&1 ||
	{ apt-get update -qq && apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 $missing; } >"$said" 2>&1 ||
	{
		tail -n 5 "$said" >&2
		echo "toolchains: apt could not install$missing" >&2
		exit 1
	}
