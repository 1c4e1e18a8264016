#!/bin/sh
# Builds the programs that make a release into tools/bin: GoReleaser from the module
# pinned here, and the two programs beside this file. One that is there and up to
# date is not built again.
# Exit status: 0 built or there, 1 could not, 3 there is no Go.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")"

command -v go >/dev/null 2>&1 || {
	echo "release: there is no Go on the PATH; next: install the Go that go.mod names" >&2
	exit 3
}
unset GOOS GOARCH # these programs run here
export CGO_ENABLED=0
mkdir -p ../bin

build() { # name package
	go build -trimpath -ldflags "-s -w" -o "../bin/$1" "$2" || {
		echo "release: $1 could not be built; next: cd tools/release && go mod download -x" >&2
		exit 1
	}
}

for own in notices sbom; do
	made=../bin/h2lab-$own
	if [ ! -x "$made" ] || [ -n "$(find "$own" go.mod go.sum -newer "$made")" ]; then
		build "h2lab-$own" "./$own"
	fi
done

module=github.com/goreleaser/goreleaser/v2
pinned=$(sed -n "s|^	$module \(v[^ ]*\).*|\1|p" go.mod)
made=$(go version -m ../bin/goreleaser 2>/dev/null | sed -n "s|^	mod	$module	\(v[^	]*\).*|\1|p")
if [ "$made" != "$pinned" ]; then
	began=$(date +%s)
	echo "release: building GoReleaser $pinned from its module (many minutes when the build cache is empty)" >&2
	build goreleaser "$module"
	echo "release: built GoReleaser $pinned in $(($(date +%s) - began)) s" >&2
fi
