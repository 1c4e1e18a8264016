package main

import (
	"bytes"
	"log"
)

// quiet begins the lines that net/http logs for a connection that ends before
// its first request. In a stampede that is nearly all of them, a thousand
// lines a second: they are counted, not written.
var quiet = [][]byte{
	[]byte("http: TLS handshake error"),
	[]byte("http2: server: error reading preface"),
}

// frontLog passes on what net/http says about the front, but for the quiet lines.
type frontLog struct {
	ledger *ledger
	logs   *log.Logger
}

// Write takes one line of a log.Logger.
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
