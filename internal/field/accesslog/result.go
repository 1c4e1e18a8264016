package accesslog

import (
	"slices"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
)

// Result is what a log shows about its connections. null means unknown.
type Result struct {
	SchemaVersion int            `json:"schema_version"`
	Files         []string       `json:"files"`
	Format        texts.Sentence `json:"format"`
	// Server is the program that wrote the log, as far as its format shows it.
	Server         string   `json:"server"`
	Lines          uint64   `json:"lines"`
	Malformed      uint64   `json:"malformed"`
	FirstMalformed *BadLine `json:"first_malformed"`

	From     *time.Time `json:"from"`
	To       *time.Time `json:"to"`
	Requests uint64     `json:"requests"`
	// Connections carried at least one request. BeganBefore of them have their first request before
	// the log; OpenAtEnd may have been open at its end.
	Connections uint64  `json:"connections"`
	BeganBefore *uint64 `json:"began_before"`
	OpenAtEnd   uint64  `json:"open_at_end"`

	PerConnection Distribution    `json:"per_connection"`
	Protocols     []ProtocolCount `json:"protocols"`
	Limit         *Limit          `json:"limit"`
	Age           *Age            `json:"age"`
	Idle          *Idle           `json:"idle"`
	Reloads       []Reload        `json:"reloads"`
	HealthChecks  []HealthCheck   `json:"health_checks"`
	Opened        *Opened         `json:"opened"`
	Minutes       *Minutes        `json:"minutes"`
	Errors        *Errors         `json:"errors"`
	Restarts      uint64          `json:"restarts"`
	// MixedServers says that lines of several servers can't be told apart: connections have the same number.
	MixedServers bool             `json:"mixed_servers"`
	Exactness    Exactness        `json:"exactness"`
	Verdict      Verdict          `json:"verdict"`
	Warnings     []texts.Sentence `json:"warnings"`

	checked uint64        // connections of health checks
	again   string        // the command that asks the same question
	silence time.Duration // how long a silent connection may be open, where none is known to have ended; else 0
	lacks   []facts.Text  // what the log lacks to see why connections end
}

// BadLine is a line that doesn't match the format.
type BadLine struct {
	File   string `json:"file"`
	Number uint64 `json:"number"`
	Text   string `json:"text"`
}

// Distribution is the distribution of requests per connection.
type Distribution struct {
	// Of is "ended" if it has only connections that ended, "all" if the log is too short for that.
	Of          string  `json:"of"`
	Connections uint64  `json:"connections"`
	Mean        float64 `json:"mean"`
	P50         uint32  `json:"p50"`
	P90         uint32  `json:"p90"`
	Max         uint32  `json:"max"`
	Histogram   []Bar   `json:"histogram"`
}

// Bar is how many connections had From to To requests.
type Bar struct {
	From        uint32 `json:"from"`
	To          uint32 `json:"to"`
	Connections uint64 `json:"connections"`
}

// ProtocolCount is the count for one protocol.
type ProtocolCount struct {
	Protocol    string `json:"protocol"`
	Requests    uint64 `json:"requests"`
	Connections uint64 `json:"connections"`
}

// Limit is the number of requests at which connections end.
type Limit struct {
	Requests uint32 `json:"requests"`
	// UpTo is the largest number that counts as ended there: Envoy's limit is approximate.
	UpTo uint32 `json:"up_to"`
	// How is "found" in the log or "given".
	How string `json:"how"`
	// EndedBy is "server", "clients" or "unknown".
	EndedBy string `json:"ended_by"`
	// AfterSilenceS is the shortest silence after which the clients came back, where an idle time may have ended their
	// connections as well.
	AfterSilenceS *float64 `json:"after_silence_s"`
	EndedExactly  uint64   `json:"ended_exactly"`
	// Beyond are connections that got more requests, for example from another server block with
	// another limit.
	Beyond            uint64   `json:"beyond"`
	RenewalsPerMinute *float64 `json:"renewals_per_minute"`
	// UsedUpP50S is the median time in seconds to reach the limit, UsedUpP10S that of the fastest
	// tenth; neither is below UsedUpResolutionS.
	UsedUpP50S        *float64 `json:"used_up_p50_s"`
	UsedUpP10S        *float64 `json:"used_up_p10_s"`
	UsedUpResolutionS float64  `json:"used_up_resolution_s"`
}

// Opened counts connections by their serials, including those without a request.
type Opened struct {
	// AtMost is how many serials were used; Exact is set if each was a client's.
	AtMost       uint64  `json:"at_most"`
	Exact        bool    `json:"exact"`
	EmptyAtMost  uint64  `json:"empty_at_most"`
	EmptyAtLeast uint64  `json:"empty_at_least"`
	EmptyShare   float64 `json:"empty_share_at_most"`
	// Steady says that the serials without a line grow with time and not with renewals, so that they are
	// not of a stampede.
	Steady bool `json:"steady"`
	// UpstreamAttempts is how many serials nginx itself may have used; null if not logged.
	UpstreamAttempts *uint64 `json:"upstream_attempts"`
}

// Errors are failed answers.
type Errors struct {
	Status499 uint64 `json:"status_499"`
	Status5xx uint64 `json:"status_5xx"`
}

// Exactness is what the limits of memory cost.
type Exactness struct {
	// ForgottenEarly left the full table too early; SeenAgain of them came back. Without numbered requests these are in the
	// distribution twice.
	ForgottenEarly uint64 `json:"forgotten_early"`
	SeenAgain      uint64 `json:"seen_again"`
	// WrittenTwice are connections with more lines than requests.
	WrittenTwice uint64 `json:"written_twice"`
	// NotLogged are requests without a line, on connections seen from their first request.
	NotLogged uint64 `json:"not_logged"`
	// NotExamined are connections outside of the sample whose times were examined.
	NotExamined uint64         `json:"not_examined"`
	Note        texts.Sentence `json:"note"`
}

// Verdict is what the result means.
type Verdict struct {
	ID   string           `json:"id"`
	Says []texts.Sentence `json:"says"`
	// WouldTell are facts that would decide what the log can't.
	WouldTell []texts.Sentence `json:"would_tell"`
	Changes   []cure.Change    `json:"changes"`
	// KeepaliveRequests is a limit that would be enough; null if the limit is not the cause.
	KeepaliveRequests *uint64          `json:"keepalive_requests"`
	Next              []texts.Sentence `json:"next"`
}

// fill computes the Result from the counts.
func (r *reading) fill() {
	c, o := r.count, &r.out
	o.SchemaVersion, o.Format, o.Restarts = 3, texts.Sentence(r.chosen.name), c.restarts
	o.Server, o.MixedServers, o.again = r.chosen.server, c.mixed(), r.opts.Again
	o.lacks = r.lacks()
	o.HealthChecks, o.checked = c.checks.found()
	o.Protocols = []ProtocolCount{}
	for p, requests := range c.requests {
		o.Requests += requests
		o.Connections += c.connections[p]
		if requests > 0 && !o.MixedServers {
			o.Protocols = append(o.Protocols, ProtocolCount{Protocol(p).String(), requests, c.connections[p]})
		}
	}
	if c.timed {
		o.From, o.To = moment(c.first), moment(c.last)
	}
	if c.ordinal {
		before := o.Connections - min(c.began, o.Connections)
		o.BeganBefore = &before
	}
	closed, open := c.closed, c.open
	o.OpenAtEnd = open.n
	all := merged(closed, open)
	o.Opened = c.opened()
	spans := c.lifespans()
	if spans != nil && len(spans.ended(1)) == 0 {
		o.silence = c.opts.Idle
	}
	limited := all
	switch byOrdinal := c.ordinals.ends(); {
	case c.ordinal && (o.MixedServers || c.seenAgain > 0): // a number has the lines of several connections, or parts of one
		closed, open, all, limited = newHistogram(), newHistogram(), byOrdinal, byOrdinal
		o.OpenAtEnd = 0
		if o.MixedServers {
			o.Connections = all.n
		}
	case o.MixedServers:
		limited = byOrdinal
	}
	o.Limit = r.limit(limited, spans)
	if o.Limit != nil {
		o.OpenAtEnd -= open.counts[o.Limit.Requests]
	}
	o.PerConnection = c.distribution(closed, open, all, o.Limit)
	o.causes(spans)
	if c.timed {
		o.Minutes = &Minutes{WithRequests: c.time.minutes, MostNew: c.time.busiest}
	}
	if c.has[fStatus] {
		o.Errors = &Errors{c.status499, c.status5xx}
	}
	o.Exactness = c.exactness()
	r.warn()
	o.Verdict = judge(o)
}

// lacks are the fields that would show more about why connections end.
func (r *reading) lacks() (out []facts.Text) {
	has := r.chosen.has
	if !has[fAddr] && !has[fPeer] {
		out = append(out, facts.T("logs.lacks-address"))
	}
	if !has[fAge] && !r.count.fine {
		out = append(out, facts.T("logs.lacks-fractions"))
	}
	return out
}

// causes fills in what ends connections beside a limit.
func (o *Result) causes(d *lifespans) {
	o.Reloads = []Reload{}
	if d == nil {
		return
	}
	limit := uint32(0)
	if o.Limit != nil && o.Limit.EndedExactly > 0 {
		limit = o.Limit.Requests
	}
	o.Reloads = d.reloads(limit)
	o.Age = d.age(limit, o.Reloads)
	if l := o.Limit; l != nil && l.EndedBy != byServer && float64(l.Beyond) >= fewBeyond*float64(l.EndedExactly) {
		limit = 0 // it ends no connection, so a silence may
	}
	o.Idle = d.idle(limit)
}

func moment(ms int64) *time.Time {
	t := time.UnixMilli(ms).UTC()
	return &t
}

// distribution excludes connections that may still be open, unless hardly any connection ends
// within the log.
func (c *counter) distribution(closed, open, all *histogram, limit *Limit) Distribution {
	h, of := all, "all"
	if c.timed && time.Duration(c.last-c.first)*time.Millisecond >= 10*c.opts.Idle && closed.n > 0 {
		h, of = closed, "ended"
		if limit != nil {
			h.add(limit.Requests, open.counts[limit.Requests]) // they have ended, since they reached the limit
		}
	}
	d := Distribution{
		Of:          of,
		Connections: h.n,
		P50:         h.quantile(.5),
		P90:         h.quantile(.9),
		Max:         h.max,
		Histogram:   h.bars(limit),
	}
	if h.n > 0 {
		d.Mean = float64(h.sum) / float64(h.n)
	}
	return d
}

// bars are powers of ten, with a separate bar for the limit.
func (h *histogram) bars(limit *Limit) []Bar {
	begin := []uint32{1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000}
	if limit != nil {
		begin = append(begin, limit.Requests, limit.Requests+1)
	}
	slices.Sort(begin)
	begin = slices.Compact(begin)
	out := make([]Bar, len(begin))
	for i, from := range begin {
		if out[i] = (Bar{From: from, To: mostOrdinal}); i > 0 {
			out[i-1].To = from - 1
		}
	}
	for v, n := range h.counts {
		at, exact := slices.BinarySearch(begin, v)
		if !exact {
			at--
		}
		out[max(0, at)].Connections += n
	}
	return slices.DeleteFunc(out, func(b Bar) bool { return b.Connections == 0 })
}

// opened counts serials. Serials without a line are empty connections or nginx's own connections to
// upstreams, which take serials too; the latter are at most as many as its upstream requests.
func (c *counter) opened() *Opened {
	var opens, gaps uint64
	if c.byAddress || c.mixed() {
		return nil
	}
	for _, s := range c.servers {
		opens, gaps = opens+s.opens, gaps+s.gaps
	}
	if opens == 0 {
		return nil
	}
	o := &Opened{
		Steady:      slices.ContainsFunc(c.servers, func(s server) bool { return s.growth.steady() }),
		AtMost:      opens,
		EmptyAtMost: gaps,
		Exact:       c.opts.NoUpstreams,
		EmptyShare:  float64(gaps) / float64(opens),
	}
	switch {
	case c.opts.NoUpstreams:
		o.EmptyAtLeast = gaps
	case c.has[fUpstream]:
		n := c.upstreams
		o.UpstreamAttempts = &n
		o.EmptyAtLeast = gaps - min(gaps, n)
	}
	return o
}

func (c *counter) exactness() Exactness {
	e := Exactness{ForgottenEarly: c.table.early, SeenAgain: c.seenAgain, WrittenTwice: c.twice, NotLogged: c.missing,
		NotExamined: c.lives.missing}
	note := facts.T("logs.exact")
	switch {
	case c.byAddress && !c.has[fID]:
		note = facts.T("logs.counted-by-address")
	case e.SeenAgain > 0 && !c.ordinal:
		note = facts.Join("join.semicolon", facts.T("logs.counted-by-id"), facts.T("logs.forgotten", text.Count(e.SeenAgain)))
	case !c.ordinal || c.byAddress:
		note = facts.T("logs.counted-by-id")
	}
	e.Note = texts.Sentence(note)
	return e
}
