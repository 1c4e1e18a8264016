// Command backend is the last server of every topology. It serves TLS with HTTP/2 and HTTP/1.1,
// sets no limit on requests per connection, and keeps the ledger that the proxies' and the clients'
// counts are compared with.
//
// The backend measures and judges nothing: the verdict rules decide what a duplicate or a lost POST
// means.
//
// It has two listeners, so that reading the counters never changes them. The front (TLS) serves the
// requests; the other (plain HTTP) shows the ledger as JSON and in Prometheus text. The second
// listener accepts a loopback address only and refuses requests that a web page can send; the front
// listens on loopback by default.
package main
