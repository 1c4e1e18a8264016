#!/bin/sh
# Makes the servers that the integration test in internal/field/systems asks, in tools/servers:
#
#   tools/servers.sh [NAME|all]           all by default; --help lists the names
#
# Most are packages of the distribution, fetched by apt and unpacked: nothing is
# installed, no service is started, root is not needed. Those of the Java and Python worlds are built
# by internal/field/systems/servers/*/build.sh, of libraries pinned by hash. What is there is left
# alone, and said in no word. A server is made aside and moved in when it has run
# once, so tools/servers never holds half of one.
# Exit status: 0 all there, 1 could not, 2 wrong usage, 3 something needed is missing.
set -eu
unset CDPATH # cd would look there first

tools=$(cd -- "$(dirname -- "$0")" && pwd)
for part in common deb nginx_current servers servers_list; do
	# shellcheck source=/dev/null
	. "$tools/get/$part.sh"
done
# shellcheck source=versions.env
. "$(dirname -- "$tools")/versions.env"

[ $# -le 1 ] || fail 2 "one server at most, not $#" "tools/servers.sh all"
what=${1:-all}
case $what in
-h | --help)
	sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"
	printf 'Names: %s\n' "$(server_names)"
	exit 0
	;;
esac
known=
for name in $(server_names); do
	[ "$what" != all ] && [ "$what" != "$name" ] || known="$known $name"
done
[ -n "$known" ] || fail 2 "unknown server '$what'" "use one of: $(server_names) all"

missing=
for name in $known; do
	server_there "$name" || missing="$missing $name"
done
[ -n "$missing" ] || exit 0
aside
shared=$work
for name in $missing; do
	[ "$(server_from "$name")" = get ] || server_there "$name" || server_make "$name" # another run may have made it meanwhile
done
case " $missing " in *' nginx-current '*)
	DEBIAN_MIRROR=$(server_mirror)
	export DEBIAN_MIRROR
	;;
esac
exec 9>&- # tools/get.sh takes the same lock
for name in $missing; do
	[ "$(server_from "$name")" != get ] || "$tools/get.sh" "$name"
done
