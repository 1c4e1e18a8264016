// Package k6 holds the load scripts; its Go part is their tests alone.
//
// The scripts stand where clients/ stands on the path of a fact: internal/lab/load
// runs them between the doors of its gate, and anyone may run them by hand.
package k6
