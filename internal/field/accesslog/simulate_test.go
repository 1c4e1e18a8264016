package accesslog

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// world is a simulated server with its rules for ending connections, and the clients that use it.
type world struct {
	seed    uint64
	length  time.Duration
	limit   int             // keepalive_requests; 0 means none
	slack   int             // up to so many requests more than the limit, as with Envoy
	age     time.Duration   // keepalive_time: the first request after it is the last
	cut     time.Duration   // a balancer cuts connections at this age
	idle    time.Duration   // keepalive_timeout; 0 means none
	reloads []time.Duration // nginx -s reload
	host    string
	serial  uint64 // of the last connection before the log
	crowds  []crowd
}

// crowd is a number of clients that are alike.
type crowd struct {
	n           int
	addr        string // "" gives each client an address of its own
	agent, path string
	conns       int           // connections in each client's pool
	every       time.Duration // mean time between a client's requests
	spread      float64       // rates differ by up to this factor between the clients
	regular     bool          // exactly every so often, instead of at random
	visit       int           // the client closes its connection after so many requests
	around      bool          // after about so many
	pause       time.Duration // mean time until it comes again
	dials       int           // connections opened at each renewal, of which one is used
	ownIdle     time.Duration // the client drops a connection that is silent for so long
	on, off     time.Duration // it is active for so long, then silent for so long
	h1          bool
	elsewhere   bool          // its requests are in another log, or there are none
	from, until time.Duration // when it is active at all
}

// request is one line of the simulated log.
type request struct {
	at              time.Time
	serial          uint64
	ordinal         int
	age             time.Duration
	addr            string
	port            int
	agent, path     string
	proto, instance string
}

type simConn struct {
	serial      uint64
	port        int
	n, most     int
	start, last time.Duration
}

type simClient struct {
	crowd
	addr  string
	every time.Duration
	pool  []*simConn
	left  int // requests of this visit
	next  time.Duration
}

type schedule []*simClient

func (s schedule) Len() int           { return len(s) }
func (s schedule) Less(i, j int) bool { return s[i].next < s[j].next }
func (s schedule) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *schedule) Push(x any)        { *s = append(*s, x.(*simClient)) }
func (s *schedule) Pop() any {
	old := *s
	c := old[len(old)-1]
	*s = old[:len(old)-1]
	return c
}

// simulation is a running world.
type simulation struct {
	world
	rng    *rand.Rand
	serial uint64
	ports  int
	out    []request
}

// run returns the log's lines in order of time.
func (w world) run() []request {
	s := &simulation{world: w, rng: rand.New(rand.NewPCG(w.seed, 7)), serial: w.serial, ports: 20_000}
	var all schedule
	for k, c := range w.crowds {
		for i := range c.n {
			cl := &simClient{crowd: c, addr: c.addr, every: c.every, pool: make([]*simConn, max(1, c.conns))}
			if cl.addr == "" {
				cl.addr = fmt.Sprintf("10.%d.%d.%d", k, i/250, i%250+1)
			}
			if c.spread > 1 {
				cl.every = time.Duration(float64(c.every) * (1 + (c.spread-1)*float64(i)/float64(max(1, c.n-1))))
			}
			cl.left = s.visitOf(c)
			cl.next = c.from + time.Duration(s.rng.Int64N(int64(cl.every+c.pause)+1))
			all = append(all, cl)
		}
	}
	heap.Init(&all)
	for len(all) > 0 {
		c := all[0]
		if c.next > w.length || c.until > 0 && c.next > c.until {
			heap.Pop(&all)
			continue
		}
		s.serve(c)
		heap.Fix(&all, 0)
	}
	slices.SortStableFunc(s.out, func(a, b request) int { return a.at.Compare(b.at) })
	return s.out
}

func (s *simulation) visitOf(c crowd) int {
	if c.visit == 0 {
		return 1 << 30
	}
	if c.around {
		return 1 + s.rng.IntN(2*c.visit)
	}
	return c.visit
}

// serve answers one request of the client and sets the time of its next.
func (s *simulation) serve(c *simClient) {
	i := s.rng.IntN(len(c.pool))
	conn := c.pool[i]
	if conn == nil || s.closed(c, conn, c.next) {
		conn = s.dial(c)
		c.pool[i] = conn
	}
	conn.n++
	conn.last = c.next
	proto := "HTTP/2.0"
	if c.h1 {
		proto = "HTTP/1.1"
	}
	took := time.Millisecond * time.Duration(1+s.rng.IntN(20))
	if line := (request{at: start.Add(c.next + took), serial: conn.serial, ordinal: conn.n,
		age: c.next + took - conn.start, addr: c.addr, port: conn.port, agent: c.agent, path: cmp.Or(c.path, "/"),
		proto: proto, instance: s.host}); !c.elsewhere {
		s.out = append(s.out, line)
	}
	if conn.n == conn.most || s.age > 0 && c.next-conn.start > s.age {
		c.pool[i] = nil
	}
	c.left--
	if c.left == 0 {
		c.left = s.visitOf(c.crowd)
		clear(c.pool)
		if c.pause > 0 {
			c.next += s.wait(c.pause, c.regular)
			return
		}
	}
	c.next += s.wait(c.every, c.regular)
	if c.on > 0 {
		if into := (c.next - c.from) % (c.on + c.off); into >= c.on {
			c.next += c.on + c.off - into + s.wait(c.every, c.regular)
		}
	}
}

func (s *simulation) wait(mean time.Duration, regular bool) time.Duration {
	if regular {
		return mean
	}
	return max(time.Millisecond, time.Duration(s.rng.ExpFloat64()*float64(mean)))
}

func (s *simulation) closed(c *simClient, conn *simConn, at time.Duration) bool {
	for _, r := range s.reloads {
		if conn.start < r && r <= at {
			return true
		}
	}
	silent := at - conn.last
	return s.idle > 0 && silent > s.idle || c.ownIdle > 0 && silent > c.ownIdle ||
		s.cut > 0 && at-conn.start >= s.cut
}

func (s *simulation) dial(c *simClient) *simConn {
	s.serial += uint64(max(1, c.dials))
	s.ports = 20_000 + (s.ports-20_000+max(1, c.dials))%40_000
	most := 1 << 30
	if s.limit > 0 {
		most = s.limit
		if s.slack > 0 {
			most += s.rng.IntN(s.slack + 1)
		}
	}
	return &simConn{serial: s.serial, port: s.ports, start: c.next, most: most}
}

// The formats of simulated logs.
func asCombined(r request) string {
	return fmt.Sprintf(`%s - - [%s] "GET %s %s" 200 512 "-" "%s" conn=%d req=%d`, r.addr,
		r.at.Format("02/Jan/2006:15:04:05 -0700"), r.path, r.proto, r.agent, r.serial, r.ordinal)
}

func asOffered(r request) string { return asCombined(r) + ` upstream="-"` }

func asJSON(r request) string {
	return fmt.Sprintf(`{"time":"%d.%03d","remote_addr":"%s","connection":"%d","connection_requests":"%d",`+
		`"request":"GET %s %s","status":"200","http_user_agent":"%s"}`, r.at.Unix(), r.at.UnixMilli()%1000, r.addr,
		r.serial, r.ordinal, r.path, r.proto, r.agent)
}

func asEnvoy(r request) string {
	return fmt.Sprintf(`[%s] "GET %s HTTP/2" 200 - 0 5 1 1 "%s" "%s" "id" "host" "10.0.0.1:80" conn=%d`,
		r.at.UTC().Format("2006-01-02T15:04:05.000Z"), r.path, r.addr, r.agent, r.serial)
}

// textOf renders the lines, each with its newline.
func textOf(lines []request, as func(request) string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(as(l))
		b.WriteByte('\n')
	}
	return b.String()
}

// interleaved merges the logs of several servers in order of time.
func interleaved(worlds ...world) []request {
	var out []request
	for _, w := range worlds {
		out = append(out, w.run()...)
	}
	slices.SortStableFunc(out, func(a, b request) int { return a.at.Compare(b.at) })
	return out
}

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
