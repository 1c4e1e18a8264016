// Package decode reads error texts, as pasted messages or whole logs. It normalises a text,
// extracts its HTTP/2 facts (ids, error codes, debug data), and finds the library and the meaning
// in a table of signatures. What follows for the request is from RFC 9113 (§6.8, §8.7). A text
// without a matching signature is unknown. The package measures nothing and uses no network.
package decode
