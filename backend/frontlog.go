package main

import (
	"bytes"
	"log"
)

// quiet lists the prefixes of the lines that net/http logs for a connection that ends before its
// first request. A stampede causes a thousand such lines a second; the backend counts them instead
// of writing them.
var quiet = [][]byte{
	[]byte("http: TLS handshake error"),
	[]byte("http2: server: error reading preface"),
}

// frontLog passes on net/http's log of the front, without the quiet lines.
type frontLog struct {
	ledger *ledger
	logs   *log.Logger
}

// Write receives one line of a log.Logger.
func (f *frontLog) Write(line []byte) (int, error) {
	for _, q := range quiet {
		if bytes.HasPrefix(line, q) {
			f.ledger.handshakeErrors.Add(1)
			return len(line), nil
		}
	}
	f.logs.Print(string(line))
	return len(line), nil
}
