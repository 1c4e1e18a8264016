package document

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/notes"
	"h2lab/internal/base/text"
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
	if v.MayHaveRun != "" {
		p.said("careful", v.MayHaveRun)
	}
	p.said("limit", v.Limit)
	if e.Ending != nil {
		p.fact("ending", p.ending(e.Ending, e.Protocol))
	}
	if e.Crossing != nil {
		p.crossing(*e.Crossing, len(e.Ending.Goaways) > 0)
	}
	p.lifetimes(e)
	p.fact("server", p.server(e))
	if len(e.Statuses) > 0 {
		p.fact("answers", p.statuses(e))
	}
	if len(e.Settings) > 0 {
		p.fact("settings", settingsText(e.Settings))
	}
	p.fact("tls", p.tls(e.TLS))
	p.fact("cost", p.cost(e))
	for _, w := range e.Warnings {
		p.said("note", notes.InEnglish(w))
	}
}

func (p *page) server(e facts.Endpoint) string {
	protocol := map[facts.Protocol]string{facts.H2: "HTTP/2", facts.H1: "HTTP/1.1"}[e.Protocol]
	text := p.listed(e.Address, p.say("%s over %s", protocol, e.TLS.Version),
		p.say("%s key", cmp.Or(e.TLS.Key, p.in.Say("unknown"))))
	if !e.TLS.Verified {
		text += p.in.Say(" (") + p.in.Say("not verified") + p.in.Say(")")
	}
	if e.Server != "" {
		text = p.listed(text, p.say("Server header %q", e.Server))
	}
	return text
}

func (p *page) ending(e *facts.Ending, protocol facts.Protocol) string {
	how := p.in.Say(endingWords(e, protocol))
	if len(e.Goaways) > 0 {
		g := e.Goaways[len(e.Goaways)-1]
		of := []string{fmt.Sprint(g.LastStreamID), g.Code}
		if text := said(e.Goaways); text != "" {
			of = append(of, strconv.Quote(text))
		}
		how += p.in.Say(" (") + p.listed(of...) + p.in.Say(")")
	}
	if e.GoawayFirst != nil && protocol == facts.H2 {
		when := map[bool]string{true: "before the last answer", false: "after the last answer"}
		how = p.listed(how, p.in.Say(when[*e.GoawayFirst]))
	}
	if closed := p.closed(e); closed != "" {
		how += p.in.Say("; ") + closed
	}
	return how
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

func endingWords(e *facts.Ending, protocol facts.Protocol) string {
	how := map[string]string{
		facts.EndedByGoaway:          "one GOAWAY with the last stream that is processed",
		facts.EndedByTwoStages:       "two GOAWAYs: the first announces the end, the second has the last stream",
		facts.EndedByFutureID:        "one GOAWAY with an id above all streams sent so far",
		facts.EndedByClose:           "closed without a GOAWAY",
		facts.EndedByReset:           "TCP reset without a GOAWAY",
		facts.EndedByConnectionClose: "Connection: close",
		facts.EndedByError:           "GOAWAY with an error",
	}
	if e.How == facts.EndedByTwoStages && len(e.Goaways) == 1 {
		return "one GOAWAY that only announces the end"
	}
	if protocol == facts.H1 {
		how[facts.EndedByClose], how[facts.EndedByReset] = "closed without Connection: close", "TCP reset without Connection: close"
	}
	return how[e.How]
}

func (p *page) closed(e *facts.Ending) string {
	what := map[string]string{"fin": "TCP FIN", "rst": "TCP RST"}[e.Closed]
	switch {
	case e.Closed == "" && e.TLSClosed:
		return p.in.Say("TLS close_notify, TCP stays open")
	case e.Closed == "" && (len(e.Goaways) > 0 || e.How == facts.EndedByConnectionClose):
		return p.in.Say("TCP stays open")
	case e.CloseMS != nil:
		return p.say("%s %s later", what, milliseconds(*e.CloseMS))
	}
	return what
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
	beyond := "in flight, above it"
	if !goaway {
		beyond = "in flight"
	}
	for _, f := range []struct {
		name, of string
		fates    facts.Fates
	}{
		{"in flight", "in flight, up to the GOAWAY's last-stream-id", x.Covered},
		{"", beyond, x.InFlight},
		{"after", "sent after the GOAWAY was read", x.After},
	} {
		if f.fates.Sent > 0 {
			p.fact(f.name, p.say("%d "+f.of, f.fates.Sent)+p.in.Say(": ")+p.fates(f.fates))
		}
	}
}

func (p *page) fates(f facts.Fates) string {
	var out []string
	for _, x := range []struct {
		n    int
		what string
	}{
		{f.Answered, "answered"},
		{f.Refused, "refused (REFUSED_STREAM)"},
		{f.Reset, "reset"},
		{f.Dropped, "never answered"},
	} {
		switch {
		case x.n == f.Sent:
			return p.in.Say("all " + x.what)
		case x.n > 0:
			out = append(out, p.say("%d "+x.what, x.n))
		}
	}
	return p.listed(out...)
}

func (p *page) lifetimes(e facts.Endpoint) {
	for _, l := range []struct {
		name string
		life *facts.Lifetime
	}{{"unused", e.Idle}, {"light use", e.Age}} {
		switch {
		case l.life == nil:
		case l.life.Seconds == nil:
			p.fact(l.name, p.say("still open after %gs", l.life.WatchedS))
		default:
			p.fact(l.name, p.say("ended after %.1fs", *l.life.Seconds)+p.in.Say(": ")+p.ending(l.life.Ending, e.Protocol))
		}
	}
}

// statuses are the answers by status, and the requests that were reset instead.
func (p *page) statuses(e facts.Endpoint) string {
	var out []string
	for _, s := range slices.Sorted(maps.Keys(e.Statuses)) {
		out = append(out, p.say("%d with status %s", e.Statuses[s], s))
	}
	refused, reset := 0, 0
	for _, a := range e.Asked {
		refused, reset = refused+a.Refused, reset+a.Reset
	}
	if refused > 0 {
		out = append(out, p.say("%d refused (REFUSED_STREAM)", refused))
	}
	if reset > 0 {
		out = append(out, p.say("%d reset", reset))
	}
	return p.listed(out...)
}

func settingsText(all []facts.Setting) string {
	var out []string
	for _, s := range all {
		out = append(out, fmt.Sprintf("%s %d", strings.TrimPrefix(s.Name, "SETTINGS_"), s.Value))
	}
	return strings.Join(out, ", ")
}

func (p *page) tls(t facts.EndpointTLS) string {
	var out []string
	if t.ConnectMS != nil {
		out = append(out, p.say("connect %s", milliseconds(*t.ConnectMS)))
	}
	for _, v := range t.Versions {
		text := v.Version
		if v.HandshakeMS != nil {
			text = p.say("%s handshake %s", v.Version, milliseconds(*v.HandshakeMS))
		}
		out = append(out, text)
		switch {
		case v.Resumes == nil:
		case *v.Resumes && v.ResumedMS != nil:
			out = append(out, p.say("resumed in %s", milliseconds(*v.ResumedMS)))
		case !*v.Resumes:
			out = append(out, p.in.Say("does not resume"))
		}
	}
	return p.listed(out...)
}

func (p *page) cost(e facts.Endpoint) string {
	content := p.say("%s on %s in %s",
		text.Plain(e.Requests, "request"), text.Plain(e.Connections, "connection"), milliseconds(e.ElapsedS*1000))
	if e.StreamsPerS != nil {
		content += p.in.Say("; ") + p.say("%.0f a second on one", *e.StreamsPerS)
	}
	return content
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
			p.said("price", "give --rps and --in-flight to see what renewals cost at your traffic")
		}
		return
	}
	s := of.Stampede
	text := fmt.Sprintf("At %s requests/s with %d in flight in one pool: %s renewals an hour. A client that "+
		"dials for each waiting request (Go's net/http) opens about %s connections at each renewal and %s a second; "+
		"their handshakes use %s of a core, and %s requests wait, up to %s ms. With one dial at each renewal it opens "+
		"%s a second, and handshakes use %s of a core.",
		digits(of.RateRPS), of.InFlight, digits(s.RenewalsPerHour), digits(1+s.WastedPerRenewal), digits(s.HandshakesPerS),
		percent(s.CPUCores),
		digits(s.WaitingPerRenewal), digits(s.WaitMS), digits(of.SingleDial.HandshakesPerS),
		percent(of.SingleDial.CPUCores))
	if s.FailuresPerS > 0 {
		text += fmt.Sprintf(" Of requests whose body can't be sent again, %s a second fail.", digits(s.FailuresPerS))
	}
	p.said("price", text)
}
