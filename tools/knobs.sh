#!/bin/sh
# Says what is wrong with the variables on make's command line: one that no
# target takes is a misspelt knob, and make would ignore it.
#
#   tools/knobs.sh 'TARGET…' 'VARIABLE…'
#
# Prints one sentence, or nothing where every variable is taken by a target.
# Exit status: 0 nothing is wrong, 2 wrong usage.
set -eu
[ $# -eq 2 ] || {
	echo "knobs: it requires two lists: tools/knobs.sh 'TARGET…' 'VARIABLE…'" >&2
	exit 2
}
# Through the environment: awk -v would read backslashes in them.
GOALS=$1 GIVEN=$2 exec awk '
function min(a, b) { return a < b ? a : b }

# edits counts the insertions, removals, replacements and swaps of neighbours
# between two words (the optimal string alignment distance).
function edits(a, b,    i, j, d) {
	for (i = 0; i <= length(a); i++) d[i, 0] = i
	for (j = 0; j <= length(b); j++) d[0, j] = j
	for (i = 1; i <= length(a); i++)
		for (j = 1; j <= length(b); j++) {
			d[i, j] = min(min(d[i - 1, j], d[i, j - 1]) + 1, d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)))
			if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1))
				d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
		}
	return d[length(a), length(b)]
}

# foreign tells whether a name is a variable of another program.
function foreign(name,    p, pattern) {
	for (p in others) {
		pattern = p
		gsub(/\*/, ".*", pattern)
		if (name ~ ("^" pattern "$")) return 1
	}
	return 0
}

function nearest(name, known,    k, best, least, d) {
	least = length(name) > 3 ? 2 : 1
	for (k in known) {
		d = edits(toupper(name), k)
		if (d < least || d == least && (best == "" || k < best)) { least = d; best = k }
	}
	return best
}

# wrong is a sentence about one variable, or nothing.
function wrong(name,    best) {
	if (name !~ /^[A-Za-z_][A-Za-z0-9_]*$/) return "make was given a variable whose name is no name: use letters, digits and _ only"
	if ((name in taken) || foreign(name)) return ""
	if (name in targets) return name " has no effect on make " goals ": it is taken by make" targets[name]
	best = nearest(name, taken)
	if (best == "") best = nearest(name, targets)
	if (best != "") return name " is unknown: the nearest is " best (best in taken ? "" : ", which is taken by make" targets[best])
	return name " is unknown to make " goals "; " (list != "" ? "it takes" list : "it takes no variable")
}

BEGIN {
	goals = ENVIRON["GOALS"] == "" ? "help" : ENVIRON["GOALS"]
	n = split(goals, goal, " ")
	for (i = 1; i <= n; i++) chosen[goal[i]] = 1
}
/^#/ || NF == 0 { next }
$1 == "*" { for (i = 2; i <= NF; i++) others[$i] = 1; next }
{
	for (i = 2; i <= NF; i++) {
		targets[$i] = targets[$i] (targets[$i] == "" ? " " : ", ") $1
		if (($1 in chosen) && !($i in taken)) { taken[$i] = 1; list = list " " $i }
	}
}
END {
	n = split(ENVIRON["GIVEN"], given, " ")
	for (i = 1; i <= n; i++) if ((sentence = wrong(given[i])) != "") { print sentence; exit }
}' "$(dirname -- "$0")/knobs.txt"
