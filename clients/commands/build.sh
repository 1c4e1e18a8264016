#!/bin/sh
# Builds out/commands, and out/hey as hey/go.mod pins it.
set -eu
cd -- "$(dirname -- "$0")"
export CGO_ENABLED=0
go build -trimpath -o out/commands .
cd hey
exec go build -trimpath -mod=readonly -o ../out/hey github.com/rakyll/hey
