#!/bin/sh
# Prints the packages that have tests with a build tag, so that a layer runs
# those and not every unit test a second time.
#
#   tools/tagged.sh TAG
#
# Exit status: 0, or 1 when there is none: a layer without tests proves nothing.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/.."
found=$(git ls-files '*_test.go' | xargs grep -l "^//go:build.*\\b$1\\b" | xargs -r -n 1 dirname | sort -u | sed 's|^|./|')
[ -n "$found" ] || {
	echo "tagged: no test has the build tag '$1'" >&2
	exit 1
}
printf '%s\n' "$found"
