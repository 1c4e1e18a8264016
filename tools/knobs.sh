#!/bin/sh
# Says what is wrong with the variables on make's command line: make ignores one that no target takes.
#
#   tools/knobs.sh 'TARGET…' 'VARIABLE…'
#
# Prints one sentence, or nothing where the targets take every variable. h2lab knows the knobs of its verbs and finds the
# nearest one, so it is built first; without Go the variables of the other targets are found in tools/knobs.txt.
# Exit status: 0 nothing is wrong, 2 wrong usage.
set -euf
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/.."
[ $# -eq 2 ] || {
	echo "knobs: it requires two lists: tools/knobs.sh 'TARGET…' 'VARIABLE…'" >&2
	exit 2
}

for name in $2; do
	case $name in
	[!A-Za-z_]* | *[!A-Za-z0-9_]*)
		echo "make was given a variable whose name is no name: use letters, digits and _ only"
		exit
		;;
	esac
done

current() { [ -x bin/h2lab ] && [ -z "$(find cmd/h2lab internal/lab/plan -name '*.go' -newer bin/h2lab 2>/dev/null | head -n 1)" ]; }

if ! current && command -v go >/dev/null 2>&1 && ! tools/build.sh >&2; then
	echo "the variables of make's command line can't be checked, since bin/h2lab can't be built"
	exit
fi
[ ! -x bin/h2lab ] || exec bin/h2lab knobs "$1" "$2"

for name in $2; do
	for known in $(sed -e '/^#/d' -e 's/^[^ ]* *//' tools/knobs.txt); do
		case $name in
		$known) continue 2 ;;
		esac
	done
	echo "$name is unknown to make ${1:-help}; tools/knobs.txt lists what its targets take"
	exit
done
