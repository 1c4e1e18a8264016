#!/bin/sh
# Lints public configurations and records what is found in internal/field/lint/testdata/corpus.jsonl,
# then writes the scores into docs/lint.md.
#
#   tools/lint-corpus.sh TREES [LABELS [HALF]]
#
# TREES has a directory KIND/ID for each line of corpus.jsonl: the directory "root" of "repo" at
# "commit". LABELS is a file of lines to add or replace; HALF is open, aside, "second open",
# "second aside", "third open", "third aside", "fourth", "fifth open" or "fifth aside".
set -eu
[ $# -ge 1 ] && [ $# -le 3 ] || { echo "usage: tools/lint-corpus.sh TREES [LABELS [HALF]]" >&2; exit 2; }
trees=$(realpath "$1")
labels=${2:+$(realpath "$2")}
cd "$(dirname "$0")/.."
go test ./internal/field/lint -count=1 -run TestTheScoresOfTheDocsAreThoseOfTheCorpus -update \
	-args -trees "$trees" -labels "$labels" -half "${3:-open}"
