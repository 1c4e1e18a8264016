#!/bin/sh
# Builds Docker Compose from its pinned module to tools/bin/docker-compose.
# Says how long it took; does nothing when the pinned version is already there.
set -eu
unset CDPATH # cd would look there first

here=$(cd "$(dirname "$0")" && pwd)
out=$(dirname "$here")/bin
module=github.com/docker/compose/v2

version=$(cd "$here" && go list -m -f '{{.Version}}' "$module")
if [ "$("$out/docker-compose" version --short 2>/dev/null)" = "${version#v}" ]; then
  echo "compose: $version is already built"
  exit 0
fi

began=$(date +%s)
echo "compose: building $version from its module (minutes when the build cache is empty)"
# The download is checked against go.sum here; its own go.sum checks the rest.
source=$(cd "$here" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
[ -n "$source" ] || { echo "compose: no source of $module $version; try: cd tools/compose && go mod download -x" >&2; exit 1; }

# `go install MODULE@VERSION` refuses a module with replace directives, and the
# module cache is read-only, so it is built in a copy, as its own main module.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cp -R "$source/." "$work"
chmod -R u+w "$work"
mkdir -p "$out"
cd "$work"
CGO_ENABLED=0 nice -n 10 go build -p 1 -trimpath \
  -ldflags "-s -w -X $module/internal.Version=$version" -o "$out/docker-compose.new" ./cmd
mv "$out/docker-compose.new" "$out/docker-compose"
echo "compose: built $version in $(($(date +%s) - began)) s"
