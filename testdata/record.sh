#!/usr/bin/env bash
# Makes a finished run the recorded one: testdata/record.sh results/ID NAME
# (NAME is repro, fixed, repro-tls13, clients, clients-again, story or sweep). Rules, charts and reports are tested on
# the recorded runs, and the README shows their pictures; read the report from
# top to bottom before you commit it.
#
#   testdata/record.sh ONLY=okhttp-5 [results/ID results/ID]
#
# measures rows of the client matrix twice (or takes two such runs) and merges
# them into the recordings clients and clients-again.
set -euo pipefail
unset CDPATH # cd would look there first
cd "$(dirname "$0")/.."
# Nothing of this machine but what the environment table says.
clean() {
	if grep -rIlF -e "$PWD" -e "${HOME:-$PWD}/" -e 'PRIVATE KEY' "$@"; then
		echo "record: the files above hold a path of this machine or a key; nothing was recorded" >&2
		exit 1
	fi
}
first=${1-}
only=${first#ONLY=}
if [ "$only" != "$first" ]; then
	shift
	if [ $# = 0 ]; then
		for _ in 1 2; do
			make clients "ONLY=$only" RUNTIME=native
			set -- "$@" "$(readlink -f results/latest)"
		done
	elif [ $# != 2 ]; then
		echo 'usage: testdata/record.sh ONLY=row [results/ID results/ID]' >&2
		exit 2
	fi
	clean "$1/results.json" "$2/results.json"
	go run ./tools/record "$only" "$1" "$2"
	make build
	bin/h2lab report testdata/recorded/clients >/dev/null
	echo "record: $only is in both recordings; now run: make golden && make test" >&2
	exit
fi
run=${1:?usage: testdata/record.sh results/ID NAME}
name=${2:?usage: testdata/record.sh results/ID NAME}
[ -f "$run/results.json" ] || { echo "record: $run/results.json isn't there; name a run's directory" >&2; exit 1; }
case $name in
'' | *[!a-z0-9.-]* | .*) echo "record: '$name' can't be a recorded run's name; use a-z, 0-9, dot and hyphen" >&2; exit 2 ;;
esac
to=testdata/recorded/$name
rm -rf "$to.new"
mkdir -p "$to.new"
trap 'rm -rf "$to.new"' EXIT
cp -RL -- "$run/." "$to.new/"
# One file for all timelines: internal/lab/results reads either form.
(
	cd "$to.new"
	sep='{'
	for timeline in cells/*/*/series.json; do
		[ -f "$timeline" ] || continue
		printf '%s\n"%s":%s' "$sep" "$timeline" "$(tr -d '\n' <"$timeline")"
		sep=,
	done >series.json
	if [ -s series.json ]; then
		printf '\n}\n' >>series.json
		rm cells/*/*/series.json
		find cells -type d -empty -delete
	else
		rm series.json
	fi
)
clean "$to.new"
rm -rf "$to"
mv "$to.new" "$to"
if [ "$name" = clients-again ]; then # its verdicts are compared; nobody reads its page
	find "$to" -mindepth 1 ! -name results.json -delete
else
	bin/h2lab report "$to" >/dev/null
fi
echo "record: $to ($(du -sh "$to" | cut -f1)); now run: make test" >&2
