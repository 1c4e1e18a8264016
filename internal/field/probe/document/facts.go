package document

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/family"
	"h2lab/internal/field/output"
)

// facts are the facts of an Endpoint as text. Requests that may have run come first: to send
// them again may be wrong.
func (p *page) facts(e facts.Endpoint, v family.Verdict) {
	p.line(e.URL)
	if careful := facts.Text(v.MayHaveRun); !careful.IsZero() {
		p.fact(facts.T("probe.careful"), careful)
	}
	p.fact(facts.T("probe.limit"), facts.Text(v.Limit))
	if e.Ending != nil {
		p.fact(facts.T("probe.ending"), endingText(e.Ending, e.Protocol))
	}
	if e.Crossing != nil {
		p.crossing(*e.Crossing, len(e.Ending.Goaways) > 0)
	}
	p.lifetime(facts.T("probe.unused"), e.Idle, e.Protocol)
	p.lifetime(facts.T("probe.light-use"), e.Age, e.Protocol)
	p.fact(facts.T("probe.server"), serverText(e))
	if len(e.Statuses) > 0 {
		p.fact(facts.T("probe.answers"), statuses(e))
	}
	if len(e.Settings) > 0 {
		p.fact(facts.T("probe.settings"), settingsText(e.Settings))
	}
	p.fact(facts.T("probe.tls"), tlsText(e.TLS))
	p.fact(facts.T("probe.cost"), cost(e))
	for _, w := range e.Warnings {
		p.fact(facts.T("probe.note"), facts.Text(w))
	}
}

func serverText(e facts.Endpoint) facts.Text {
	protocol := facts.T("probe.http2", e.TLS.Version)
	if e.Protocol == facts.H1 {
		protocol = facts.T("probe.http1", e.TLS.Version)
	}
	key := facts.Verbatim(e.TLS.Key)
	if e.TLS.Key == "" {
		key = facts.T("probe.unknown-key")
	}
	key = facts.T("probe.key", key)
	if !e.TLS.Verified {
		key = inBrackets(key, facts.T("probe.not-verified"))
	}
	said := listed(facts.Verbatim(e.Address), protocol, key)
	if e.Server != "" {
		said = listed(said, facts.T("probe.server-header", strconv.Quote(e.Server)))
	}
	return said
}

func endingText(e *facts.Ending, protocol facts.Protocol) facts.Text {
	how := endingWords(e, protocol)
	if len(e.Goaways) > 0 {
		g := e.Goaways[len(e.Goaways)-1]
		of := []facts.Text{facts.Verbatim(fmt.Sprint(g.LastStreamID)), facts.Verbatim(g.Code)}
		if debug := said(e.Goaways); debug != "" {
			of = append(of, facts.Verbatim(strconv.Quote(debug)))
		}
		how = inBrackets(how, listed(of...))
	}
	if e.GoawayFirst != nil && protocol == facts.H2 {
		when := facts.T("probe.after-answer")
		if *e.GoawayFirst {
			when = facts.T("probe.before-answer")
		}
		how = listed(how, when)
	}
	return facts.Join("join.semicolon", how, closed(e))
}

// said is the newest text of the GOAWAYs: gRPC's servers and Armeria may say only in the first one why they end a connection.
func said(goaways []facts.GoawayFrame) string {
	for _, g := range slices.Backward(goaways) {
		if g.Debug != "" {
			return g.Debug
		}
	}
	return ""
}

func endingWords(e *facts.Ending, protocol facts.Protocol) facts.Text {
	how := map[string]facts.Text{
		facts.EndedByGoaway:          facts.T("probe.ended-goaway"),
		facts.EndedByTwoStages:       facts.T("probe.ended-two-stages"),
		facts.EndedByFutureID:        facts.T("probe.ended-future-id"),
		facts.EndedByClose:           facts.T("probe.ended-close"),
		facts.EndedByReset:           facts.T("probe.ended-reset"),
		facts.EndedByConnectionClose: facts.Verbatim("Connection: close"),
		facts.EndedByError:           facts.T("probe.ended-error"),
	}
	if e.How == facts.EndedByTwoStages && len(e.Goaways) == 1 {
		return facts.T("probe.ended-announced")
	}
	if protocol == facts.H1 {
		how[facts.EndedByClose], how[facts.EndedByReset] = facts.T("probe.ended-close-h1"), facts.T("probe.ended-reset-h1")
	}
	return how[e.How]
}

func closed(e *facts.Ending) facts.Text {
	later, at := facts.T("probe.fin-later"), facts.T("probe.fin")
	if e.Closed == "rst" {
		later, at = facts.T("probe.rst-later"), facts.T("probe.rst")
	}
	switch {
	case e.Closed == "" && e.TLSClosed:
		return facts.T("probe.tls-closed")
	case e.Closed == "" && (len(e.Goaways) > 0 || e.How == facts.EndedByConnectionClose):
		return facts.T("probe.stays-open")
	case e.Closed == "":
		return facts.Text{}
	case e.CloseMS != nil:
		later.Args = []any{milliseconds(*e.CloseMS)}
		return later
	}
	return at
}

func milliseconds(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// crossing describes what happened to the streams in flight at the end of the connection.
func (p *page) crossing(x facts.Crossing, goaway bool) {
	p.fates(facts.T("probe.in-flight"), "probe.flying-covered", x.Covered)
	if goaway {
		p.fates(facts.Text{}, "probe.flying-above", x.InFlight)
	} else {
		p.fates(facts.Text{}, "probe.flying", x.InFlight)
	}
	p.fates(facts.T("probe.after"), "probe.sent-after", x.After)
}

// fates are what became of some streams, one text where all had the same.
func (p *page) fates(label facts.Text, of string, f facts.Fates) {
	if f.Sent == 0 {
		return
	}
	var out []facts.Text
	for _, x := range []struct{ all, some facts.Text }{
		{facts.T("probe.all-answered"), facts.T("probe.some-answered", f.Answered)},
		{facts.T("probe.all-refused"), facts.T("probe.some-refused", f.Refused)},
		{facts.T("probe.all-reset"), facts.T("probe.some-reset", f.Reset)},
		{facts.T("probe.all-unanswered"), facts.T("probe.some-unanswered", f.Dropped)},
	} {
		switch x.some.Args[0] {
		case 0:
		case f.Sent:
			out = append(out, x.all)
		default:
			out = append(out, x.some)
		}
	}
	p.fact(label, facts.Join("join.colon", facts.T(of, f.Sent), listed(out...)))
}

func (p *page) lifetime(label facts.Text, life *facts.Lifetime, protocol facts.Protocol) {
	switch {
	case life == nil:
	case life.Seconds == nil:
		p.fact(label, facts.T("probe.still-open", fmt.Sprintf("%gs", life.WatchedS)))
	default:
		p.fact(label, facts.Join("join.colon", facts.T("probe.ended-after", fmt.Sprintf("%.1fs", *life.Seconds)),
			endingText(life.Ending, protocol)))
	}
}

// statuses are the answers by status, and the requests that were reset instead.
func statuses(e facts.Endpoint) facts.Text {
	var out []facts.Text
	for _, s := range slices.Sorted(maps.Keys(e.Statuses)) {
		out = append(out, facts.T("probe.with-status", e.Statuses[s], s))
	}
	refused, reset := 0, 0
	for _, a := range e.Asked {
		refused, reset = refused+a.Refused, reset+a.Reset
	}
	if refused > 0 {
		out = append(out, facts.T("probe.some-refused", refused))
	}
	if reset > 0 {
		out = append(out, facts.T("probe.some-reset", reset))
	}
	return listed(out...)
}

func settingsText(all []facts.Setting) facts.Text {
	var out []string
	for _, s := range all {
		out = append(out, fmt.Sprintf("%s %d", strings.TrimPrefix(s.Name, "SETTINGS_"), s.Value))
	}
	return facts.Verbatim(strings.Join(out, ", "))
}

func tlsText(t facts.EndpointTLS) facts.Text {
	var out []facts.Text
	timed := func(key string, ms *float64, before ...any) {
		if ms != nil {
			out = append(out, facts.T(key, append(before, milliseconds(*ms))...))
		}
	}
	timed("probe.connect", t.ConnectMS)
	for _, v := range t.Versions {
		if v.HandshakeMS == nil {
			out = append(out, facts.Verbatim(v.Version))
		}
		timed("probe.handshake", v.HandshakeMS, v.Version)
		if v.Resumes != nil && !*v.Resumes {
			out = append(out, facts.T("probe.no-resumption"))
		}
		timed("probe.resumed", v.ResumedMS)
	}
	return listed(out...)
}

func cost(e facts.Endpoint) facts.Text {
	spent := facts.T("probe.spent", facts.T("family.requests", e.Requests), facts.T("family.connections", e.Connections),
		milliseconds(e.ElapsedS*1000))
	if e.StreamsPerS == nil {
		return spent
	}
	return facts.Join("join.semicolon", spent, facts.T("probe.a-second", fmt.Sprintf("%.0f", *e.StreamsPerS)))
}

var digits, percent = output.Digits, output.Percent

// Traffic is the user's traffic: requests per second, and how many are in flight at a time. Zero
// means not given.
type Traffic struct {
	RPS      float64
	InFlight int
}

// Price is what the measured limit costs at the user's traffic, for a client that dials once per
// waiting request and for one that dials once.
type Price struct {
	RateRPS    float64       `json:"rate_rps"`
	InFlight   int           `json:"in_flight"`
	TLS        string        `json:"tls"`
	Key        string        `json:"key"`
	RTTMS      float64       `json:"rtt_ms"`
	Stampede   advise.Answer `json:"stampede"`
	SingleDial advise.Answer `json:"single_dial"`
}

// price is nil if there is no limit or no traffic was given.
func (t Traffic) price(e facts.Endpoint, c cause.Cause) (*Price, error) {
	if t.RPS == 0 || c.Kind != cause.Count || e.Protocol != facts.H2 {
		return nil, nil
	}
	q := advise.Question{RateRPS: t.RPS, InFlight: t.InFlight, Limit: *c.Requests, Client: advise.Stampede,
		Key: advise.RSA, TLS: advise.TLS13}
	if strings.HasPrefix(e.TLS.Key, "ECDSA") {
		q.Key = advise.ECDSA
	}
	if e.TLS.Version == "TLS 1.2" {
		q.TLS = advise.TLS12
	}
	if e.TLS.ConnectMS != nil {
		q.RTTMS = *e.TLS.ConnectMS // opening a TCP connection takes one round trip
	}
	if q.LatencyMS() < q.RTTMS {
		return nil, fmt.Errorf("%d requests in flight at %s a second are under way for %s ms each, less than the round "+
			"trip to the server, %s ms: check --rps and --in-flight", t.InFlight, digits(t.RPS), digits(q.LatencyMS()),
			digits(q.RTTMS))
	}
	if err := advise.Check(q); err != nil {
		return nil, err
	}
	p := &Price{RateRPS: t.RPS, InFlight: t.InFlight, TLS: q.TLS, Key: q.Key, RTTMS: q.RTTMS,
		Stampede: advise.Predict(q)}
	q.Client = advise.SingleDial
	p.SingleDial = advise.Predict(q)
	if e.Crossing != nil && e.Crossing.InFlight.Dropped+e.Crossing.InFlight.Refused == 0 {
		// The server answered what was in flight, so no body is lost.
		for _, a := range []*advise.Answer{&p.Stampede, &p.SingleDial} {
			a.DroppedPerRenewal, a.FailuresPerS = 0, 0
		}
	}
	return p, nil
}

// Check rejects implausible numbers, before anything is sent.
func (t Traffic) Check() error {
	if t.RPS == 0 && t.InFlight == 0 {
		return nil
	}
	if t.RPS == 0 || t.InFlight == 0 {
		return fmt.Errorf("--rps and --in-flight go together: your requests a second, and how many are under way at " +
			"a time")
	}
	err := advise.Check(advise.Question{RateRPS: t.RPS, InFlight: t.InFlight, Limit: 1})
	if err != nil { // advise's flags have other names
		return fmt.Errorf("%s", strings.ReplaceAll(err.Error(), "--rate", "--rps"))
	}
	return nil
}

// price describes what a renewal costs, or which flags to add.
func (p *page) price(of *Price, e facts.Endpoint, c cause.Cause) {
	if of == nil {
		if c.Kind == cause.Count && !c.Unanswered && e.Protocol == facts.H2 {
			p.fact(facts.T("probe.price"), facts.T("probe.give-traffic"))
		}
		return
	}
	s := of.Stampede
	said := []facts.Text{
		facts.T("probe.renewals", digits(of.RateRPS), of.InFlight, digits(s.RenewalsPerHour)),
		facts.T("probe.stampede", digits(1+s.WastedPerRenewal), digits(s.HandshakesPerS), percent(s.CPUCores),
			digits(s.WaitingPerRenewal), digits(s.WaitMS)),
		facts.T("probe.one-dial", digits(of.SingleDial.HandshakesPerS), percent(of.SingleDial.CPUCores))}
	if s.FailuresPerS > 0 {
		said = append(said, facts.T("probe.bodies-fail", digits(s.FailuresPerS)))
	}
	p.fact(facts.T("probe.price"), facts.Join("join.sentences", said...))
}
