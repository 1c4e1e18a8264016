#!/bin/sh
# Prints the packages that have tests with a build tag, or a pattern of these
# tests' names, so that a layer runs them and not every unit test a second time.
#
#   tools/tagged.sh TAG            packages
#   tools/tagged.sh TAG --tests    a pattern for go test -run
#
# Exit status: 0, or 1 when there is none: a layer without tests proves nothing.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/.."
files=$(git ls-files '*_test.go' | xargs grep -l "^//go:build.*\\b$1\\b") || files=
[ -n "$files" ] || {
	echo "tagged: no test has the build tag '$1'" >&2
	exit 1
}
if [ "${2:-}" = --tests ]; then
	names=$(printf '%s\n' "$files" | xargs sed -n 's/^func \(Test[A-Za-z0-9_]*\)(t \*testing\.T.*/\1/p' | sort -u | paste -sd '|' -)
	printf '^(%s)$\n' "$names"
else
	printf '%s\n' "$files" | xargs -n 1 dirname | sort -u | sed 's|^|./|'
fi
