#!/bin/sh
# Builds the lab's own programs into bin/. In a bundle (tools/bundle.sh) they
# are there already, so a machine without Go can use them.
# Exit status: 0 built or there, 1 could not, 3 there is no Go.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/.."

if ! command -v go >/dev/null 2>&1; then
	if [ -f .bundle ] && [ -x bin/h2lab ] && [ -x bin/backend ] && [ -x bin/go-client ]; then
		exit 0
	fi
	echo "build: there is no Go on the PATH; next: install Go 1.26 or newer, or unpack a bundle made with: make bundle" >&2
	exit 3
fi
case $PWD in
*\\*) # a pattern's escape character, for go:embed
	printf "build: Go can't build in a directory with a backslash in its path: %s; next: move the checkout\n" "$PWD" >&2
	exit 1
	;;
esac
export CGO_ENABLED=0
for part in h2lab=./cmd/h2lab backend=./backend go-client=./clients/go; do
	go build -trimpath -ldflags "-s -w" -o "bin/${part%%=*}" "${part#*=}"
done
