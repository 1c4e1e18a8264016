// Package clientverdicts judges client programs: from a run of the client matrix it
// makes one row a library and variant, with a verdict on how the program takes
// a limit on requests per connection. It stands right of the door, beside
// diagnose: it reads what results.json holds, touches no network, no file and
// no clock, and gives the same answer to the same run for ever.
//
// One rule is one file, rule_*.go: a pure function from the facts of a cell,
// held against the same client's facts at the high limit, to a finding. A row's
// verdict is the worst that holds, the others that hold stand beside it:
//
//	lies          it reports successes that the backend never executed
//	crashes       the program ends, or what it prints can't be used
//	hangs         requests never settle, or the program never ends
//	duplicates    the backend executed a request more than once
//	loses         requests fail that don't fail without the limit
//	storms        many more connections are opened than are renewed
//	inconclusive  too few renewals were seen, or the client has trouble of its own
//	sound         five and more connections were renewed, and no fault was seen
//	unsupported   it can't run here; the reason is its own
//
// Every threshold is a rate per renewal or per request, a named constant in the
// file of its rule, with its reason; none depends on how long was measured.
// Thresholds lie in the gaps between what was measured of sound clients and of
// others, so that two runs agree; a number that comes near one is named.
package clientverdicts
