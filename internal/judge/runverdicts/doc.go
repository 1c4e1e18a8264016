// Package runverdicts turns facts into verdicts. It stands right of the door: it
// reads what results.json holds, touches no network, no file and no clock, and
// gives the same answer to the same run for ever.
//
// One rule is one file, rule_*.go, named by its question: a pure function from
// a run (and the repro it is set beside) to a verdict. A verdict's title is a
// statement, and its status says what became of it:
//
//	reproduced      what the title says was seen in this run
//	fixed           it is seen without the cure and gone with it
//	not-reproduced  it was looked for and not seen; the verdict says why, as far as that shows
//	inconclusive    it can't be told; the verdict says what is missing
//	unsupported     a cell that it needs declared that it can't run here
//
// Every threshold stands in the file of its rule, with its reason. To add a
// rule, write its file and its table of facts, and add it to the list in rule.go.
package runverdicts
