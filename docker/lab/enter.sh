#!/bin/sh
# Starts the lab container: builds the programs of the mounted checkout, forwards
# the published port of the live page, and becomes the shell or the command.
#
#   LAB_PUBLISH   the ports of 127.0.0.1 that the engine's connections reach,
#                 18190 unless set; empty is none
#
# Exit status: that of the command; 3 where no checkout is mounted.
set -eu
if [ ! -f /lab/versions.env ]; then
	# shellcheck disable=SC2016 # for the user's shell to expand
	echo 'lab: no checkout is mounted at /lab; next: in the checkout: docker run --rm -it -v "${PWD}:/lab" -p 127.0.0.1:18190:18190 h2lab-lab:local' >&2
	exit 3
fi
cd /lab
# In a git worktree .git names a directory that isn't mounted, and go build would
# fail to ask for the commit. Written to HOME, so that `docker exec` has it too.
git rev-parse --verify --quiet HEAD >/dev/null 2>&1 || go env -w GOFLAGS='-trimpath -buildvcs=false'
echo "lab: building the programs of this checkout" >&2
tools/build.sh || echo "lab: they could not be built; next: make build" >&2
# The page listens on 127.0.0.1 of the container, and the engine sends what comes
# to a published port to the container's own address: `h2lab hold` forwards it
# (docs/decisions/0015-exposure.md). Its session is its own, so Ctrl-C in the
# shell doesn't end it; it ends with the container.
if [ -n "${LAB_PUBLISH-18190}" ] && [ -x bin/h2lab ]; then
	setsid bin/h2lab hold "--publish=${LAB_PUBLISH-18190}" </dev/null >/dev/null 2>&1 &
fi
exec "$@"
