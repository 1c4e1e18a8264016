// Package decode reads error texts, as pasted messages or whole logs, in this order:
//
//  1. Framing: which lines are one failure (message.go), and their text without escapes (normal.go).
//  2. What the text proves: who speaks, the event and its direction, the error code, the stream ids,
//     the debug data. Each statement has the words that prove it (prove.go and data/grammar.toml).
//  3. The library whose text it is: a signature adds versions, client-side changes, and what only
//     this library's semantics justify (match.go and data/*.toml). One that contradicts what the text
//     proves is dropped.
//  4. Whether the request was executed and may be sent again, from RFC 9113 §6.8 and §8.7 and from
//     where it failed (rules.go).
//  5. The changes that the code, the direction and the id allow (changes.go).
//
// The package measures nothing and uses no network.
package decode
