#!/bin/sh
# Makes promtool in tools/bin where there is none; docs/alerts/ is tested with it.
#
#   tools/promtool.sh
#
# Exit status: 0 there, 1 could not, 3 something needed is missing.
set -eu
unset CDPATH # cd would look there first

tools=$(cd -- "$(dirname -- "$0")" && pwd)
for part in common deb promtool; do
	# shellcheck source=/dev/null
	. "$tools/get/$part.sh"
done
aside
get_promtool
