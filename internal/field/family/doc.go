// Package family infers the server's family (nginx, Envoy, …) from its behaviour, and says how sure
// that is, what it means for clients and what to change.
//
// It reads a facts.Endpoint that the probe measured and uses no network. It judges by clues
// (clue.go), in one file per family (nginx.go, golang.go, …). A clue is a fact that can be observed
// from outside, with a weight and a source. The Server header has the least weight, since an
// operator can set it to anything; the verdict warns if it contradicts the behaviour.
//
// Every measured clue names its recording in testdata, and a test checks it against that recording.
package family
