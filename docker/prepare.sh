#!/bin/sh
# The service `prepare` of docker-compose.yml: makes what a fresh clone lacks, certificates and
# directories, before the servers start. It runs as root, so it gives everything to the owner of the
# checkout; the servers then become that user (h2lab become).
set -eu
cd /lab
mkdir -p certs/out var results
certs/make.sh
owner=$(stat -c %u:%g versions.env)
chown -R "$owner" certs/out var results || {
	echo "prepare: certs/out, var and results can't be given to $owner, the owner of the checkout;" \
		"next: make up, which runs as you" >&2
	exit 1
}
