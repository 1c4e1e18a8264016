# Which servers there are: name, where from, package, program in it, and how it
# says its version. `get` is made by tools/get.sh; `path` is taken from the PATH when
# it is there; `stable` is the distribution's; `unstable` comes from Debian's unstable
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
node            path     nodejs        usr/bin/node     --version
'

server_names() { printf '%s' "$servers" | awk 'NF { printf "%s%s", sep, $1; sep = " " }'; }

# server_field NAME N prints the Nth field of a server's line.
server_field() { printf '%s' "$servers" | awk -v name="$1" -v n="$2" '$1 == name { print $n }'; }

server_from() { server_field "$1" 2; }
