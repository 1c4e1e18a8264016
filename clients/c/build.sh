#!/bin/sh
# Builds out/curl-multi against the system's libcurl (libcurl4-openssl-dev).
set -eu
cd -- "$(dirname -- "$0")"
mkdir -p out
# shellcheck disable=SC2046 # curl-config prints several words
cc -std=gnu11 -O2 -g -Wall -Wextra -Werror $(curl-config --cflags) -o out/curl-multi.new src/*.c $(curl-config --libs)
mv -f out/curl-multi.new out/curl-multi
