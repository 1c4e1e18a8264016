// Package facts has the types of the project: topology, workload, cell, trial, observation, result
// and verdict.
//
// The packages below internal/lab measure and fill these types; those below internal/judge and
// internal/report read them. Neither side imports the other, so the same code judges and draws a
// new results file and one recorded a year ago.
//
// The JSON names of the types are a contract: docs/results.md describes them and results.schema.json
// checks them. The package imports no other package of the module.
package facts
