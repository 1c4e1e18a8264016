#!/bin/sh
# Makes out/venv with what requirements.txt pins, by hash.
set -eu
unset CDPATH
cd -- "$(dirname -- "$0")"
want=$(cksum requirements.txt)
if [ "$(cat out/built 2>/dev/null || true)" = "$want" ] && [ -x out/venv/bin/python ]; then
	exit 0
fi
rm -rf out
mkdir out
python3 -I -m venv out/venv >&2
out/venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r requirements.txt >&2
printf '%s\n' "$want" >out/built
