// Package mattersreport writes the page of SWEEP=matters: from where on a limit stops mattering, maps on
// which readers find their own place, and every number of them. It uses no network, clock or file, and
// writes the same bytes for the same input.
//
// Package limitmap makes the comparisons and the sentences; this package arranges them.
package mattersreport
