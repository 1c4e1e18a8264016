// Command backend is the last server of every topology: it speaks TLS with
// HTTP/2 and HTTP/1.1, sets no limit on requests per connection, and keeps
// the ledger that the proxies' and the clients' counts are held against.
//
// It stands at the far end of the path, before verify and observe. It measures
// and holds no opinion: what a duplicate or a lost POST means is said in
// diagnose.
//
// Two listeners, so that reading the counters never moves them: the front (TLS)
// does the work, the other (plain HTTP) shows the ledger as JSON and in
// Prometheus text. The second takes a loopback address alone, the default of the
// first is one too, and the second refuses what a web page sends it.
package main
