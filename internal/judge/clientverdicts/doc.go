// Package clientverdicts judges client programs: from a run of the client matrix it makes one row
// for each library and variant, with a verdict on how the program behaves under a limit on requests
// per connection. It reads only what results.json holds, uses no network, file or clock, and
// returns the same verdicts for the same run.
//
// Each rule is a pure function in a file of its own, rule_*.go. It compares the facts of a cell
// with those of the same client at the high limit and returns a finding. A row's verdict is the
// worst finding that holds; Also lists the others:
//
//	lies          it reports successes that the backend never executed
//	crashes       the program ends, or its output can't be parsed
//	hangs         requests never settle, or the program never ends
//	duplicates    the backend executed a request more than once
//	loses         requests fail that don't fail without the limit
//	stampedes     the client opens many more connections than it renews
//	inconclusive  the run has too few renewals, or the client fails without the limit too
//	sound         at least FewestRenewals connections were renewed without a fault
//	unsupported   the program can't run on this machine; the row has the reason
//
// Every threshold is a rate per renewal or per request: a named constant in the file of its rule,
// with its reason. No threshold depends on the length of the window. Thresholds lie in the gaps
// between the measurements of sound and of faulty clients, so that two runs agree; Near lists the
// numbers close to a threshold.
package clientverdicts
