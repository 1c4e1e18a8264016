#!/bin/sh
# Installs, by apt and as root, what tests need and this machine lacks:
#
#   tools/toolchains.sh clients    compilers, runtimes and h2load for clients/
#   tools/toolchains.sh integration    Chromium, fonts, Node, Java, Maven, a C compiler, h2load and ab for `make integration`
#
# `make check-clients` and `make integration` run it first, so that nothing is
# left out there unheard. `make clients` installs nothing: what lacks its
# toolchain is a row that says so.
# Exit status: 0 all there, 1 apt could not, 2 wrong usage, 3 needs root or apt.
set -eu

missing=
want() { # command package…
	command=$1
	shift
	command -v "$command" >/dev/null 2>&1 || missing="$missing $*"
}
want_font() { # family package: fontconfig answers with another family where the font is missing
	fc-match --format='%{family}' "$1" 2>/dev/null | grep -qF "$1" || missing="$missing $2"
}
# Debian 12's cargo is older than the client programs need (1.85); the one that
# it keeps current for browsers is not.
newer_cargo() { cargo --version 2>/dev/null | awk '{split($2, v, "."); new = v[1] > 1 || v[2] >= 85} END {exit !new}'; }

for_clients() {
	want java openjdk-17-jdk-headless
	want javac openjdk-17-jdk-headless
	want mvn maven
	want node nodejs npm
	want npm npm
	want cc gcc libc6-dev
	newer_cargo || missing="$missing $(apt-cache show cargo-web >/dev/null 2>&1 && echo cargo-web || echo cargo)"
	want curl curl
	want curl-config libcurl4-openssl-dev
	want h2load nghttp2-client
	python3 -I -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
}

for_integration() {
	want java openjdk-17-jdk-headless # servers of the Java world: internal/field/systems
	want javac openjdk-17-jdk-headless
	want mvn maven
	want cc gcc libc6-dev # Varnish compiles its configuration
	want chromium chromium
	want fc-match fontconfig
	want_font "Liberation Sans" fonts-liberation
	want_font "DejaVu Sans Mono" fonts-dejavu-core
	want node nodejs
	want npm npm # reveal.js for the slides
	fc-list :lang=zh-cn 2>/dev/null | grep -q . || missing="$missing fonts-wqy-zenhei"
	want h2load nghttp2-client
	want ab apache2-utils # SWEEP=async
	want zsh zsh # completions
	want fish fish
	want groff groff-base # the manual page
	python3 -I -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
}

case ${1:-} in
clients) for_clients ;;
integration) for_integration ;;
*)
	echo "toolchains: name a purpose: tools/toolchains.sh clients, or integration" >&2
	exit 2
	;;
esac
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
