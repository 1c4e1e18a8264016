#!/bin/sh
# Makes the lab's certificates in certs/out, if they are not there and good:
#
#   certs/make.sh [rsa|ecdsa]      which pair server.crt and server.key point at; else KEY, else rsa
#
# A throw-away authority signs an RSA 2048 and an ECDSA P-256 server certificate;
# then its own key is deleted, so nothing on the disk can sign for another name.
# All are made anew together: when a file is missing, when a certificate expires
# within CERT_RENEW_DAYS (7), when one does not belong to its key or to the
# authority, when openssl.cnf has changed. Otherwise nothing is done or said.
# CERT_DAYS (30) is how long new ones are good.
set -eu
unset CDPATH # cd would look there first
umask 077

here=$(cd -- "$(dirname -- "$0")" && pwd)
cnf=$here/openssl.cnf
out=$here/out
days=${CERT_DAYS:-30}
renew=${CERT_RENEW_DAYS:-7}
made="ca.crt server-rsa.crt server-rsa.key server-ecdsa.crt server-ecdsa.key openssl.cnf"

fail() { # status, message
	printf 'certs/make.sh: %s\n' "$2" >&2
	exit "$1"
}

# quoted prints a path as a shell takes it back.
quoted() { printf "'"; printf '%s' "$1" | sed "s/'/'\\\\''/g"; printf "'"; }

whole_number() { # name, value, least
	case $2 in
	'' | *[!0-9]* | ?????* | 0?*) fail 2 "$1='$2' is not a number of days from $3 to 9999; use e.g. $1=30" ;;
	esac
	[ "$2" -ge "$3" ] || fail 2 "$1='$2' is not a number of days from $3 to 9999; use e.g. $1=30"
}

# Public key of a certificate or of a private key, to compare.
public_of_cert() { openssl x509 -in "$1" -noout -pubkey 2>/dev/null; }
public_of_key() { openssl pkey -in "$1" -pubout 2>/dev/null; }

good() { # is what lies in $out still of use?
	for f in $made; do [ -f "$out/$f" ] && [ ! -L "$out/$f" ] || return 1; done
	cmp -s "$cnf" "$out/openssl.cnf" || return 1
	for f in ca server-rsa server-ecdsa; do
		openssl x509 -in "$out/$f.crt" -noout -checkend $((renew * 86400)) >/dev/null 2>&1 || return 1
	done
	for k in rsa ecdsa; do
		openssl verify -x509_strict -purpose sslserver -CAfile "$out/ca.crt" "$out/server-$k.crt" >/dev/null 2>&1 || return 1
		[ "$(public_of_cert "$out/server-$k.crt")" = "$(public_of_key "$out/server-$k.key")" ] || return 1
	done
}

ssl() { # openssl with its words kept back until they are needed
	openssl "$@" >"$new/said" 2>&1 || fail 1 "openssl $1 failed: $(tail -n 3 "$new/said")"
}

sign() { # rsa|ecdsa
	ssl req -new -config "$cnf" -key "$new/server-$1.key" -subj "/CN=localhost" -out "$new/$1.csr"
	ssl x509 -req -in "$new/$1.csr" -CA "$new/ca.crt" -CAkey "$new/ca.key" -set_serial "0x$(openssl rand -hex 16)" \
		-days "$days" -sha256 -extfile "$cnf" -extensions "server_$1" -out "$new/server-$1.crt"
}

make_all() { # in $new
	ssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$new/ca.key"
	ssl req -x509 -new -config "$cnf" -key "$new/ca.key" -sha256 -days "$days" -extensions ca \
		-subj "/CN=h2lab throw-away authority $(openssl rand -hex 4)" -out "$new/ca.crt"
	ssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$new/server-rsa.key"
	ssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:named_curve -out "$new/server-ecdsa.key"
	sign rsa
	sign ecdsa
	cat "$cnf" >"$new/openssl.cnf" # not cp, which keeps the mode
}

link() { # name, target: a relative link, changed in one step
	[ "$(readlink "$out/$1" 2>/dev/null || :)" != "$2" ] || return 0
	ln -s "$2" "$new/$1"
	mv -f "$new/$1" "$out/$1"
	said=${said:-"changed the pair in use"}
}

[ $# -le 1 ] || fail 2 "one key type at most, not $#; use: certs/make.sh [rsa|ecdsa]"
key=${1:-${KEY:-rsa}}
case $key in
rsa | ecdsa) ;;
*) fail 2 "unknown key type '$key'; use: certs/make.sh [rsa|ecdsa]" ;;
esac
whole_number CERT_DAYS "$days" 1
whole_number CERT_RENEW_DAYS "$renew" 0
command -v openssl >/dev/null 2>&1 || fail 3 "openssl is not on the PATH; install it, e.g. with: apt-get install openssl"
[ -r "$cnf" ] || fail 3 "$cnf can't be read; restore it with: git checkout certs/openssl.cnf"
export OPENSSL_CONF="$cnf" # not the machine's

mkdir -p "$out" 2>/dev/null && [ -d "$out" ] && [ -w "$out" ] ||
	fail 1 "$out is not a writable directory; look at it with: ls -ld $(quoted "$out")"
chmod 0700 "$out" 2>/dev/null || fail 1 "$out belongs to another user; remove it with: sudo rm -r $(quoted "$out")"

# One run at a time, where flock is there; the lock goes with the process.
if command -v flock >/dev/null 2>&1; then
	exec 9>"$out/.lock"
	flock -w 60 9 || fail 1 "another certs/make.sh has held $out/.lock for a minute; find its holder with: fuser $(quoted "$out/.lock")"
fi
rm -rf "$out"/.new.* # of a run that was killed

# Made aside on the same file system; moved in when all is there.
new=$(mktemp -d "$out/.new.XXXXXX") || fail 1 "$out can't be written; look at it with: df $(quoted "$out")"
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

said=
if ! good; then
	make_all
	said="made RSA 2048 and ECDSA P-256 certificates in certs/out, good for $days days"
fi
trap '' INT TERM HUP # the moves below belong together
if [ -f "$new/ca.crt" ]; then
	for f in $made; do mv -f "$new/$f" "$out/$f"; done
fi
link server.crt "server-$key.crt"
link server.key "server-$key.key"
[ -z "$said" ] || printf 'certs: %s; server.crt is the %s one\n' "$said" "$key"
