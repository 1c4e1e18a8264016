#!/usr/bin/env bash
# Lints the Go sources: gofmt, go vet (with every build tag) and staticcheck,
# which is built from the module pinned in tools/lint; and the workflows in
# .github: actionlint, pinned there too.
set -euo pipefail
unset CDPATH # cd would look there first
cd "$(dirname "$0")/.."
unformatted=$(gofmt -l backend certs clients cmd docs e2e envoy internal k6 nginx tools/*.go tools/manifests tools/record tools/release tools/slides)
if [ -n "$unformatted" ]; then
	echo "lint: not gofmt'd (run: gofmt -w $unformatted)" >&2
	exit 1
fi
go vet -tags integration,e2e ./...
# The command runs on other systems too. Without the checkout's path in its keys the build cache serves
# every clone.
# No file is of one processor alone, so each system is vetted once, and linux in its second processor.
for target in linux/arm64 darwin/arm64 windows/amd64; do
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go vet -trimpath ./cmd/... ./internal/... || {
		echo "lint: go vet fails for $target" >&2
		exit 1
	}
done
mkdir -p tools/bin
(cd tools/lint && go build -trimpath -o ../bin/staticcheck honnef.co/go/tools/cmd/staticcheck)
tools/bin/staticcheck -tags integration,e2e ./...
(cd tools/release && go vet ./...)
(cd tools/manifests && go vet -tags crd ./...)
(cd tools/lint && go build -trimpath -o ../bin/actionlint github.com/rhysd/actionlint/cmd/actionlint)
# Without shellcheck and pyflakes, which are on some machines only.
tools/bin/actionlint -shellcheck= -pyflakes=
echo "lint: gofmt, go vet, staticcheck and actionlint found nothing" >&2
