// Package systems holds the probe to real servers: testdata/systems.yaml lists them with the truth
// that their configurations state, the integration test starts each one, asks it with h2lab probe
// and compares the answer with the truth. docs/systems.md shows the result.
//
// It has tests only. One system by hand, until the time is over:
//
//	go test -tags integration ./internal/field/systems -run 'TestSystems/all/^nginx-time-5s$' -hold 9m -v
package systems
