package decode

import (
	"bytes"
	"fmt"
	"testing"
)

// benchLog is a log of ordinary lines, as most of a log is, or of lines that all have an error.
func benchLog(found bool) []byte {
	var b bytes.Buffer
	for i := range 10000 {
		if found {
			fmt.Fprintf(&b, "2031-01-01T00:00:%02dZ level=error err=\"Get \\\"https://api.example.com/%d\\\": http2: "+
				"server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=\\\"\\\"\"\n",
				i%60, i)
		} else {
			fmt.Fprintf(&b, "192.0.2.%d - - [21/Nov/2026:07:00:%02d +0000] \"GET /api/v1/items/%d HTTP/2.0\" 200 612 "+
				"\"-\" \"Mozilla/5.0 (X11; Linux x86_64)\" rt=0.01\n", i%250, i%60, i)
		}
	}
	return b.Bytes()
}

func BenchmarkOrdinaryLines(b *testing.B) { benchRead(b, benchLog(false)) }
func BenchmarkFoundLines(b *testing.B)    { benchRead(b, benchLog(true)) }

func benchRead(b *testing.B, log []byte) {
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		var t Tally
		if err := Read(b.Context(), "log", bytes.NewReader(log), &t); err != nil {
			b.Fatal(err)
		}
	}
}
