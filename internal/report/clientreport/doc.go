// Package clientreport writes the page of the client matrix: clients.md for people, clients.json
// for tools, and the chart of the field. It uses no network, clock or file, and writes the same
// bytes for the same input.
//
// Every section is a file of its own, called by guide.go in the order of the page. Package
// clientverdicts decides the verdicts; this package judges nothing.
package clientreport
