#!/bin/sh
# Makes the tools that are missing, in tools/bin:
#
#   tools/get.sh [nginx|envoy|k6|all]     all by default
#   tools/get.sh nginx-current            a recent nginx beside it; optional, see tools/README.md
#   tools/get.sh haproxy                  optional too: without it its topology is unsupported
#
# A tool on the PATH that is new enough is used and not made. Nothing is
# installed, no service is started, root is not needed. Each is made aside and
# moved in when it has run once, so tools/bin never holds half of one.
# Exit status: 0 all there, 1 could not, 2 wrong usage, 3 something needed is missing.
set -eu
unset CDPATH # cd would look there first

tools=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$tools")
for part in common deb envoy k6 nginx_current; do
	# shellcheck source=/dev/null
	. "$tools/get/$part.sh"
done
# shellcheck source=versions.env
. "$root/versions.env"

[ $# -le 1 ] || fail 2 "one tool at most, not $#" "tools/get.sh all"
what=${1:-all}
case $what in
nginx | envoy | k6 | all | nginx-current | haproxy) ;;
*) fail 2 "unknown tool '$what'" "use nginx, envoy, k6, all, nginx-current or haproxy: tools/get.sh all" ;;
esac
aside

# Debian has the program in nginx; older Ubuntus in nginx-core.
get_nginx() { get_packaged nginx "$NGINX_MIN" ", or use RUNTIME=docker" nginx nginx-core; }

case $what in
nginx) get_nginx ;;
envoy) get_envoy ;;
k6) get_k6 ;;
nginx-current) get_nginx_current ;;
haproxy) get_packaged haproxy 2.4.0 "" haproxy ;;
all)
	get_nginx
	get_envoy
	get_k6
	;;
esac
