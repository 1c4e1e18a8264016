// Package runverdicts turns facts into verdicts. It reads only what results.json holds, uses no
// network, file or clock, and returns the same verdicts for the same run.
//
// Each rule is a pure function in a file of its own, rule_*.go, named after its question. It takes
// a run (and the repro that it is compared with) and returns a verdict. A verdict's title is a
// statement, and its status says whether the run shows it:
//
//	reproduced      the run shows what the title says
//	fixed           the run shows it without the cure and not with it
//	not-reproduced  the run doesn't show it; the verdict says why, as far as the facts tell
//	inconclusive    the facts don't decide; the verdict says what is missing
//	unsupported     a cell that the rule needs can't run on this machine
//
// Every threshold is in the file of its rule, with its reason. To add a rule, write its file and
// its table of facts, and add it to the list in rule.go.
package runverdicts
