#!/bin/sh
# Builds the workshop's slides into slides/, one HTML file for each language. They
# need no network and no other file. In a bundle (tools/bundle.sh) they are there
# already. npm fetches reveal.js, which tools/slides/package-lock.json pins.
# Exit status: 0 built or there, 1 could not, 3 Go, Node.js or npm is missing.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/.."

for program in go node npm; do
	command -v "$program" >/dev/null 2>&1 && continue
	if [ -f .bundle ] && [ -f slides/slides.html ] && [ -f slides/slides.zh.html ]; then
		printf '%s\n' slides/slides.html slides/slides.zh.html
		exit 0
	fi
	echo "slides: $program is missing; next: install Go 1.26 and Node.js 20 with npm (apt install npm), or unpack a bundle made with: make bundle" >&2
	exit 3
done
# What npm installed says so in this file; without a change it needs no network.
if ! [ tools/slides/node_modules/.package-lock.json -nt tools/slides/package-lock.json ]; then
	(cd tools/slides && npm ci --ignore-scripts --loglevel=error >&2) || {
		echo "slides: npm could not fetch reveal.js; next: cd tools/slides && npm ci --ignore-scripts" >&2
		exit 1
	}
fi
CGO_ENABLED=0 go run ./tools/slides
