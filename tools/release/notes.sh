#!/bin/sh
# Prints the section of CHANGELOG.md about a version, without its heading:
#
#   tools/release/notes.sh v0.1.0
#
# Exit status: 0, 1 when there is no such section, 2 wrong usage.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/../.."
[ $# -eq 1 ] || {
	echo "notes: name one version; next: tools/release/notes.sh v0.1.0" >&2
	exit 2
}
text=$(awk -v heading="## [${1#v}]" 'index($0, "## [") == 1 {on = index($0, heading) == 1; next} /^\[[^]]*\]: / {next} on' CHANGELOG.md)
[ -n "$text" ] || {
	echo "notes: CHANGELOG.md has no section '## [${1#v}]'; next: rename its section Unreleased" >&2
	exit 1
}
printf '%s\n' "$text"
