// Package family says from a server's behaviour which family of servers
// behaves so, how sure that is, what it means for clients, and what to change.
//
// It stands in the judging wing: it reads a lab.Endpoint, which the probe
// measured, and touches no network. What it goes by are clues (clue.go), one
// file a family (nginx.go, golang.go, …): each is a fact that can be seen from
// outside, how much it weighs, and who says so. The Server header is weighed
// least, since anybody can write anything there; where it contradicts the
// behaviour, that is said.
//
// Every clue that was measured names the recording in testdata that shows it,
// and a test holds the two together.
package family
