#!/bin/sh
# Builds out/grpc-go-client, with grpc-go as the project's go.mod pins it.
set -eu
cd -- "$(dirname -- "$0")"
CGO_ENABLED=0 exec go build -trimpath -o out/grpc-go-client .
