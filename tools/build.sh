#!/bin/sh
# Builds the lab's own programs:
#
#   tools/build.sh              for this machine, into bin/
#   tools/build.sh linux ARCH   for containers on a machine of that architecture, into bin/linux/ARCH/
#
# On Linux the programs of this machine serve both: bin/linux/ARCH/ has links to them.
# In a bundle (tools/bundle.sh) they are there already, so a machine without Go can use them.
# Exit status: 0 built or there, 1 could not, 2 wrong usage, 3 there is no Go.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/.."

programs="h2lab backend go-client"

fail() { # status, message
	printf 'build: %s\n' "$2" >&2
	exit "$1"
}

case $#:${1-} in
0: | 2:linux) ;;
*) fail 2 "there is no target '$*'; use: tools/build.sh, or tools/build.sh linux ARCH, as in: tools/build.sh linux arm64" ;;
esac

there() { # directory
	for program in $programs; do [ -x "$1/$program" ] || return 1; done
}

if ! command -v go >/dev/null 2>&1; then
	into=bin
	[ $# -eq 0 ] || into=bin/linux/$2
	if [ -f .bundle ] && there "$into"; then exit 0; fi
	fail 3 "there is no Go on the PATH; next: install Go 1.26 or newer, or unpack a bundle made with: make bundle"
fi
case $PWD in
*\\*) fail 1 "Go can't build in a directory with a backslash in its path: $PWD; next: move the checkout" ;; # go:embed
esac

source_of() {
	case $1 in
	h2lab) echo ./cmd/h2lab ;;
	backend) echo ./backend ;;
	go-client) echo ./clients/go ;;
	esac
}

build() { # directory
	for program in $programs; do
		go build -trimpath -ldflags "-s -w" -o "$1/$program" "$(source_of "$program")"
	done
}

export CGO_ENABLED=0
os=$(go env GOOS) arch=$(go env GOARCH)
if [ $# -eq 2 ] && [ "$1/$2" != "$os/$arch" ]; then
	GOOS=$1 GOARCH=$2
	export GOOS GOARCH
	build "bin/$1/$2"
	exit 0
fi
build bin
if [ "$os" = linux ]; then
	mkdir -p "bin/linux/$arch"
	for program in $programs; do # a link where the file system has them
		ln -f "bin/$program" "bin/linux/$arch/$program" 2>/dev/null || cp -f "bin/$program" "bin/linux/$arch/$program"
	done
fi
