#!/bin/sh
# Builds out/proxies.
set -eu
cd -- "$(dirname -- "$0")"
CGO_ENABLED=0 exec go build -trimpath -o out/proxies .
