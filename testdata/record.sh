#!/usr/bin/env bash
# Makes a finished run the recorded one: testdata/record.sh results/ID NAME
# (NAME is repro, fixed, repro-tls13, clients, clients-again, story or sweep). Rules, charts and reports are tested on
# the recorded runs, and the README shows their pictures; read the report from
# top to bottom before you commit it.
set -euo pipefail
unset CDPATH # cd would look there first
cd "$(dirname "$0")/.."
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
# Nothing of this machine but what the environment table says.
if grep -rIlF -e "$PWD" -e "${HOME:-$PWD}/" -e 'PRIVATE KEY' "$to.new"; then
	echo "record: the files above hold a path of this machine or a key; nothing was recorded" >&2
	exit 1
fi
rm -rf "$to"
mv "$to.new" "$to"
if [ "$name" = clients-again ]; then # its verdicts are compared; nobody reads its page
	find "$to" -mindepth 1 ! -name results.json -delete
else
	bin/h2lab report "$to" >/dev/null
fi
echo "record: $to ($(du -sh "$to" | cut -f1)); now run: make test" >&2
