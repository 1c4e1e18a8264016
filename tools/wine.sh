#!/bin/sh
# Unpacks the part of wine that console programs need into tools/bin, with the
# libraries this machine lacks, for the integration test of Windows programs. What
# is on the PATH is used and not unpacked; nothing is installed, root is not needed.
# Exit status: 0 there, 1 could not, 3 something needed is missing.
set -eu
unset CDPATH # cd would look there first

tools=$(cd -- "$(dirname -- "$0")" && pwd)
for part in common deb; do
	# shellcheck source=/dev/null
	. "$tools/get/$part.sh"
done

elsewhere='install it as root: apt-get install wine64'
runs() { "$1" --version >/dev/null 2>&1 9>&-; }

! runs wine || exit 0
! runs "$tools/bin/wine" || exit 0
for program in apt-get dpkg-deb ldd; do
	command -v "$program" >/dev/null 2>&1 || fail 3 "there is no $program to unpack wine with" "$elsewhere"
done
aside
! runs "$tools/bin/wine" || exit 0 # another run made it
began
say "wine: unpacking the distribution's wine (100 MB to fetch; nothing is installed)"
unpacked=$work/wine
