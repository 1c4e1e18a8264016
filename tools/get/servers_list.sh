# Which servers there are: name, where from, package (with a + between several),
# program in it, and how it prints its version. `get` is made by tools/get.sh; `path` is
# taken from the PATH when it is there; `built` is made by the build.sh of its directory in
# internal/field/systems/servers; `stable` is the distribution's; `unstable` comes from Debian's unstable
# with its own libc and loader, since the stable one is too old: HAProxy knows
# tune.h2.fe.max-total-streams since 3.0.
servers='
nginx           get
nginx-current   get
envoy           get
haproxy         stable   haproxy       usr/sbin/haproxy -v
haproxy-current unstable haproxy       usr/sbin/haproxy -v
apache2         stable   apache2-bin   usr/sbin/apache2 -v
caddy           stable   caddy         usr/bin/caddy    version
h2o             stable   h2o           usr/bin/h2o      --version
nghttpx         stable   nghttp2-proxy usr/sbin/nghttpx --version
nghttpd         stable   nghttp2-server usr/sbin/nghttpd --version
node            path     nodejs        usr/bin/node     --version
lighttpd        stable   lighttpd+lighttpd-mod-openssl usr/sbin/lighttpd -v
varnishd        stable   varnish       usr/sbin/varnishd -V
hitch           stable   hitch         usr/sbin/hitch   --version
traffic_server  stable   trafficserver usr/bin/traffic_server --version
java            built    java
python          built    python
hypercorn       built    python
granian         built    python
gunicorn        built    python
'

server_names() { printf '%s' "$servers" | awk 'NF { printf "%s%s", sep, $1; sep = " " }'; }

# server_field NAME N prints the Nth field of a server's line.
server_field() { printf '%s' "$servers" | awk -v name="$1" -v n="$2" '$1 == name { print $n }'; }

server_from() { server_field "$1" 2; }
