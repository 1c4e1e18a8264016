// Package decode reads error texts: pasted messages and whole logs. A text is
// normalised, its HTTP/2 facts are taken out (ids, error codes, debug data),
// and a table of signatures says which library speaks and what it means; what
// follows for the request is RFC 9113's to say (§6.8, §8.7). It measures
// nothing and touches no network; cmd/h2lab hands it readers and prints what
// comes back. What matches no signature is unknown, never guessed at.
package decode
