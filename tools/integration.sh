#!/usr/bin/env bash
# Runs the tests with the build tag 'integration' in two groups side by side, since neither measures:
#
#   - packages that start the lab in this checkout, with its ports and var/, and those that fetch modules, one after the
#     other;
#   - all others one after the other, in a network namespace of their own, so that no port can be taken twice, and those
#     of the command that start no server of the lab. What they print follows at the end.
#
# Where the user can't make a network namespace, the second group runs after the first.
# Exit status: 0 all passed, 1 some failed.
set -euo pipefail
unset CDPATH # cd would look there first
cd "$(dirname "$0")/.."
export PATH="$PWD/tools/bin:$PATH"
mapfile -t own < <(tools/tagged.sh integration | grep -E '^\./(cmd/h2lab|docs/workshop|internal/(lab/.*|base/nginxfile)|tools|tools/slides)$')
mapfile -t others < <(tools/tagged.sh integration | grep -vxF "$(printf '%s\n' "${own[@]}")")
still='^(TestTheCommandRunsOnWindows|TestRecordedRunsAreDrawnAgainByteForByte|TestDocsShowTheRecordedSweeps|TestHostileTextsStayText|TestNoNumberOfAFileIsDrawnAsInfinite|TestFilesWrittenOnWindowsHaveTheSameFindings|TestZshCompletes|TestFishCompletes|TestReportPageWorksInARealBrowser)$'
run=(go test -count=1 -p 1 -timeout 30m -tags integration -run "$(tools/tagged.sh integration --tests)")
apart=(unshare -n sh -c 'ip link set lo up && exec "$@"' sh)

if ! "${apart[@]}" true 2>/dev/null; then
	echo "integration: no network namespace can be made here (as root, with unshare and ip), so nothing runs side by side" >&2
	"${run[@]}" "${own[@]}" "${others[@]}"
	exit
fi
said=$(mktemp)
# The namespace has no other network, so what the tests are built of is fetched before.
go mod download
go test -count=1 -tags integration -run '^$' "${others[@]}" >"$said" || { cat "$said" && exit 1; }
set -m # a process group of its own: without it bash starts the second group with SIGINT ignored
(
	status=0
	"${apart[@]}" "${run[@]}" "${others[@]}" || status=1
	"${apart[@]}" "${run[@]}" -run "$still" ./cmd/h2lab || status=1
	exit "$status"
) >"$said" 2>&1 &
second=$!
set +m
trap 'kill -INT -- "-$second" 2>/dev/null && wait "$second"; rm -f "$said"' EXIT
failed=0
"${run[@]}" -skip "$still" "${own[@]}" || failed=1
wait "$second" || failed=1
cat "$said"
exit "$failed"
