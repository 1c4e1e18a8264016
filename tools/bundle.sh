#!/bin/sh
# Packs the lab for a classroom without a network, into one file:
#
#   tools/bundle.sh [DIR]      DIR is where it is put; bundle/ by default
#
# In it are the project as it lies here (what git knows of it), the lab's
# programs, nginx, Envoy and k6, the Go modules they are built from, the docs,
# the slides and the recorded runs. No key is: certificates are made where it is unpacked.
# It suits machines of this one's kind (kernel and processor).
# Exit status: 0 packed, 1 could not, 2 wrong usage.
set -eu
unset CDPATH # cd would look there first

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
# shellcheck source=tools/get/common.sh
. tools/get/common.sh
[ $# -le 1 ] || fail 2 "one directory at most, not $#" "tools/bundle.sh bundle"
to=${1:-bundle}
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || fail 1 "this is no git clone, so the project's files are unknown" "pack it in a clone"
mkdir -p "$to"

name=h2-keepalive-lab-$(git rev-parse --short HEAD)-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
[ -z "$(git status --porcelain)" ] || name=$name-changed
work=$(mktemp -d "$to/.new.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
stage=$work/h2-keepalive-lab
mkdir "$stage"

say "bundle: the project"
git ls-files -z | tar -cf - --null -T - | tar -xf - -C "$stage"
: >"$stage/.bundle"

say "bundle: nginx, Envoy and k6"
mkdir -p "$stage/tools/bin"
for made in tools/bin/nginx tools/bin/nginx-current tools/bin/envoy tools/bin/k6 tools/lib tools/nginx-current; do
	[ ! -e "$made" ] || cp -a "$made" "$stage/$(dirname "$made")/"
done
NO_TOOLS_OF_PATH=1 "$stage/tools/get.sh" all

say "bundle: the slides"
if tools/slides.sh >&2; then
	cp -a slides "$stage/"
else
	say "bundle: packed without slides; with them: mend the line above, then make bundle"
fi

say "bundle: the Go modules, and the programs built from them"
(cd "$stage" && go mod vendor && tools/build.sh)

tar -czf "$work/$name.tar.gz" -C "$work" h2-keepalive-lab
mv -f "$work/$name.tar.gz" "$to/$name.tar.gz"
(cd "$to" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
say "bundle: $to/$name.tar.gz, $(du -h "$to/$name.tar.gz" | cut -f 1); on the other machine:"
say "bundle:   tar -xzf $name.tar.gz && cd h2-keepalive-lab && make replay"
