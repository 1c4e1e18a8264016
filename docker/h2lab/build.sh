#!/bin/sh
# Builds the image of the command alone from a Linux program of `make dist`:
#
#   docker/h2lab/build.sh dist/h2lab_linux_amd64_v1/h2lab [NAME:TAG]     default: h2lab:local
#
# The certificates are this machine's, or those of the file in SSL_CERT_FILE. No
# image is pulled: the base is empty.
# Exit status: 0 built, 1 could not, 2 wrong usage, 3 a requirement is missing.
set -eu
unset CDPATH # cd would look there first

fail() { # status, what went wrong, what to do next
	printf 'image: %s; next: %s\n' "$2" "$3" >&2
	exit "$1"
}
[ $# -ge 1 ] && [ $# -le 2 ] ||
	fail 2 "name a program, and an image if you like" "docker/h2lab/build.sh bin/h2lab h2lab:local"
[ -f "$1" ] || fail 2 "there is no file $1" "make dist"
command -v docker >/dev/null 2>&1 || fail 3 "there is no docker on the PATH" "install Docker"

certificates=${SSL_CERT_FILE:-}
for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do
	[ -n "$certificates" ] || [ ! -f "$file" ] || certificates=$file
done
[ -f "$certificates" ] ||
	fail 3 "no certificates of authorities are on this machine" "apt-get install ca-certificates, or set SSL_CERT_FILE"

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cp "$1" "$context/h2lab"
cp "$certificates" "$context/ca-certificates.crt"
cp "$(dirname -- "$0")/Dockerfile" "$context/Dockerfile"
chmod 0755 "$context/h2lab"
chmod 0644 "$context/ca-certificates.crt"
docker build --quiet --tag "${2:-h2lab:local}" "$context" >/dev/null ||
	fail 1 "docker build failed; its messages are above" "docker version"
printf 'image: %s\n' "${2:-h2lab:local}" >&2
