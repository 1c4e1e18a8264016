package accesslog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// traffic generates an access log as nginx writes it, with the true counts. It is an io.Reader, so
// that a log of any length needs no disk.
type traffic struct {
	lines   int
	limit   int // requests per connection
	alive   int // connections open at the same time
	empty   int // serials without a request, per new connection
	perSec  int // lines per second
	json    bool
	churn   float64 // share of requests that are the last of their connection
	shuffle bool    // requests end out of order, as streams of HTTP/2 do

	rng    *rand.Rand
	serial uint64
	open   []live
	made   int
	buf    bytes.Buffer
	time   []byte

	// The true counts.
	connections, ended uint64
	maxima             map[int]uint64
}

type live struct {
	serial uint64
	n      int
}

var start = time.Date(2026, 9, 22, 10, 0, 0, 0, time.UTC)

func (g *traffic) Read(p []byte) (int, error) {
	if g.rng == nil {
		g.rng, g.maxima = rand.New(rand.NewPCG(1, 2)), map[int]uint64{}
		g.perSec = max(g.perSec, 1)
	}
	for g.buf.Len() < len(p) && g.made < g.lines {
		g.line()
	}
	return g.buf.Read(p)
}

func (g *traffic) line() {
	if g.made%g.perSec == 0 {
		at := start.Add(time.Duration(g.made/g.perSec) * time.Second)
		g.time = at.AppendFormat(g.time[:0], "02/Jan/2006:15:04:05 -0700")
	}
	g.made++
	for len(g.open) < g.alive {
		g.serial += uint64(1 + g.empty)
		g.open = append(g.open, live{serial: g.serial})
	}
	i := g.rng.IntN(len(g.open))
	c := &g.open[i]
	c.n++
	if c.n == 1 {
		g.connections++
	}
	ordinal := g.ordinal(c)
	if ordinal == g.limit {
		g.ended++
	}
	g.write(c.serial, ordinal)
	if c.n >= g.limit || g.churn > 0 && g.rng.Float64() < g.churn {
		g.maxima[c.n]++
		g.open[i] = g.open[len(g.open)-1]
		g.open = g.open[:len(g.open)-1]
	}
}

// ordinal swaps each pair of requests if they end out of order.
func (g *traffic) ordinal(c *live) int {
	if !g.shuffle || c.n == g.limit && c.n%2 == 1 {
		return c.n
	}
	if c.n%2 == 1 {
		return c.n + 1
	}
	return c.n - 1
}

func (g *traffic) write(serial uint64, ordinal int) {
	if g.json {
		fmt.Fprintf(&g.buf,
			`{"time_local":"%s","remote_addr":"10.0.0.%d","connection":"%d","connection_requests":"%d",`+
				`"request":"GET /api/v1/items/%d `+
				`HTTP/2.0","status":"200","body_bytes_sent":"512","http_user_agent":"Mozilla/5.0 (X11; Linux x86_64) `+
				`AppleWebKit/537.36","server_protocol":"HTTP/2.0","request_time":"0.003"}`+"\n",
			g.time, ordinal%250, serial, ordinal, g.made)
		return
	}
	b := g.buf.AvailableBuffer()
	b = append(b, "10.0.0.7 - - ["...)
	b = append(b, g.time...)
	b = append(b, `] "GET /api/v1/items/`...)
	b = strconv.AppendInt(b, int64(g.made), 10)
	b = append(b, ` HTTP/2.0" 200 512 "https://example.org/page?x=1" "Mozilla/5.0 (X11; Linux x86_64) `+
		`AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36" conn=`...)
	b = strconv.AppendUint(b, serial, 10)
	b = append(b, " req="...)
	b = strconv.AppendInt(b, int64(ordinal), 10)
	b = append(b, ` upstream="-"`+"\n"...)
	g.buf.Write(b)
}
