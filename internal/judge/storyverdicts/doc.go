// Package storyverdicts turns the facts of a story (users → service → reverse proxy → API gateway →
// API) into verdicts. Each rule is a pure function in a file of its own. Statuses are those of runverdicts:
//
//	reproduced      the run shows what the title says
//	fixed           the incident's damage is gone with this cure, and was there without it
//	not-reproduced  the run shows the contrary
//	inconclusive    the facts don't decide; the verdict says what is missing
//
// Rates and latencies differ only if the Mann-Whitney test says so (statistics.Compare); no rule has a
// threshold for the machine. Connections, failures and repeated requests are counted, so they need no test.
package storyverdicts
