// Package facts holds the nouns of the project: what a topology, a workload, a
// cell, a trial, an observation, a result and a verdict are.
//
// It stands at the door between the two wings. The measuring wing (plan,
// launch, load, observe, probe, conduct) fills these types; the judging wing
// (diagnose, report) reads them. Neither knows the other, so a results file
// recorded a year ago is judged and drawn by the same code as a fresh one.
//
// It imports nothing of ours. The JSON names here are the contract that
// docs/results.md describes and results.schema.json checks.
package facts
