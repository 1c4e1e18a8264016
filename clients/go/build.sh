#!/bin/sh
# Builds out/go-client. http2legacy keeps x/net's own HTTP/2 client where Go is
# 1.27 or newer; there it would be net/http's, which dials for every request
# (golang/go#81646).
set -eu
cd -- "$(dirname -- "$0")"
CGO_ENABLED=0 exec go build -trimpath -tags http2legacy -o out/go-client .
