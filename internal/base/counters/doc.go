// Package counters reads what servers count about themselves, one file a
// source: nginx's stub_status and used log, Envoy's admin, the backend's ledger.
//
// It stands in the measuring wing, around the load: the conductor observes
// every server before and after, settled (settle.go), the front also several
// times a second in between (sampler.go), and processor time with them (cpu.go).
//
// Reading a counter moves it. Each source keeps one HTTP connection and takes
// its own connections and reads off the numbers it gives, so that they stand
// still when nothing else happens. Raw numbers keep the names that the server
// gave them, and are as the server gave them.
//
// It holds no opinion: differences and judgements are made elsewhere.
package counters
