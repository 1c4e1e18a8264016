// Package document builds the answer of h2lab advise as text and as one JSON document: what a limit
// costs at the user's traffic, and what to change.
package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/handshake"
	"h2lab/internal/field/output"
)

// Document is the answer of h2lab advise; the text is generated from it.
type Document struct {
	SchemaVersion int            `json:"schema_version"`
	Asked         Asked          `json:"asked"`
	Handshake     HandshakePrice `json:"handshake"`
	// Map is what the measured map makes of the question.
	Map       advise.Correction `json:"map"`
	Answer    advise.Answer     `json:"answer"`
	Limits    []advise.Answer   `json:"limits"`
	Advice    Advice            `json:"advice"`
	Warnings  []string          `json:"warnings"`
	Explained []advise.Line     `json:"explained"` // null without --explain
	Next      string            `json:"next"`
}

// Asked is the question with its defaults filled in.
type Asked struct {
	RateRPS      float64 `json:"rate_rps"`
	InFlight     int     `json:"in_flight"`
	LatencyMS    float64 `json:"latency_ms"`
	Pools        int     `json:"pools"`
	Limit        int     `json:"limit"`
	Client       string  `json:"client"`
	Key          string  `json:"key"`
	TLS          string  `json:"tls"`
	ResumedShare float64 `json:"resumed_share"`
	RequestMS    float64 `json:"request_ms"`
	RTTMS        float64 `json:"rtt_ms"`
	BackendMS    float64 `json:"backend_ms"`
	CPUs         float64 `json:"cpus"`
	Backends     int     `json:"backends"`
}

// Advice is what to change, clients first.
type Advice struct {
	Client  *ClientChange  `json:"client"` // null if no change to the client helps
	Limit   int            `json:"limit"`
	Change  bool           `json:"change"` // false if the present limit is good enough
	Changes []cure.Change  `json:"changes"`
	Then    advise.Answer  `json:"then"` // with that limit and the client unchanged
	Prices  []advise.Price `json:"prices"`
	Envoy   string         `json:"envoy"`
}

// ClientChange makes the client dial once per renewal instead of once per waiting request.
type ClientChange struct {
	Then advise.Answer `json:"then"` // at the present limit
	// Enough is set when this change alone makes the cost of handshakes negligible at the present
	// limit.
	Enough bool `json:"enough"`
}

// New answers a question, with every formula if explain is set. If the question has no handshake
// cost, New measures one here; it calls notice if that fails.
func New(ctx context.Context, q advise.Question, explain bool, notice func(string, ...any)) (Document, error) {
	price, err := priceOfHandshake(ctx, &q, notice)
	if err != nil {
		return Document{}, err
	}
	if err := advise.Check(q); err != nil {
		return Document{}, fmt.Errorf("with what was measured (%s): %w", price.Source, err)
	}
	return answer(q, price, explain), nil
}

// WriteJSON writes one JSON document.
func (d Document) WriteJSON(w io.Writer) error { return output.JSON(w, d) }

func answer(q advise.Question, price HandshakePrice, explain bool) Document {
	u := q.Usual()
	limit := advise.Recommend(q)
	d := Document{
		SchemaVersion: 2, Handshake: price, Answer: advise.Predict(q), Limits: advise.Compare(q),
		Warnings: advise.Beyond(q), Map: advise.Correct(q),
		Asked: Asked{RateRPS: u.RateRPS, InFlight: u.InFlight, LatencyMS: u.LatencyMS(), Pools: u.Pools,
			Limit: u.Limit, Client: string(u.Client),
			Key: u.Key, TLS: u.TLS, ResumedShare: u.ResumedShare, RequestMS: u.RequestMS, RTTMS: u.RTTMS,
			BackendMS: u.BackendMS, CPUs: u.CPUs, Backends: u.Backends},
		Advice: Advice{Client: clientChange(q), Limit: limit, Change: limit != q.Limit,
			Changes: []cure.Change{}, Then: predictAt(q, limit), Prices: advise.Prices(q, limit), Envoy: envoyText},
	}
	if d.Advice.Client != nil {
		d.Advice.Changes = append(d.Advice.Changes, cure.OneDial())
	}
	if d.Advice.Change {
		d.Advice.Changes = append(d.Advice.Changes, cure.RequestLimit(cure.Nginx, q.Limit, u.Client == advise.HTTP1)...)
	}
	if d.Warnings == nil {
		d.Warnings = []string{}
	}
	if explain {
		d.Explained = advise.Explain(q)
	}
	d.Next = cure.Show(cure.Nginx)
	return d
}

func predictAt(q advise.Question, limit int) advise.Answer {
	q.Limit = limit
	return advise.Predict(q)
}

// clientChange is nil if the client doesn't stampede: with one or two requests in flight, no more
// than one dials.
func clientChange(q advise.Question) *ClientChange {
	before := advise.Predict(q)
	if q.Usual().Client != advise.Stampede || before.WastedPerRenewal < 1 {
		return nil
	}
	q.Client = advise.SingleDial
	then := advise.Predict(q)
	return &ClientChange{Then: then, Enough: then.CPUShare <= 0.05}
}

// envoyText names Envoy's alternative to a request limit. Envoy's API has the jitter since 1.39.
const envoyText = "Envoy has no limit unless max_requests_per_connection is set: leave it out and bound the age " +
	"instead, " +
	"max_connection_duration: 3600s with max_connection_duration_jitter, so that connections don't end together. " +
	"It sends GOAWAY in two stages and drops nothing in flight; a pool that stampedes still stampedes."

// measuringFor is the duration of the handshake measurement.
const measuringFor = 1500 * time.Millisecond

// HandshakePrice is what a handshake costs the server, and the source of that number.
type HandshakePrice struct {
	Source    string       `json:"source"` // given, measured or recorded
	FullMS    float64      `json:"full_ms"`
	ResumedMS float64      `json:"resumed_ms"`
	Go        *GoHandshake `json:"measured"` // null if nothing was measured
}

// GoHandshake is the measurement on this machine with Go's crypto/tls.
type GoHandshake struct {
	FullMS          float64 `json:"full_ms"`
	FullLoMS        float64 `json:"full_lo_ms"`
	FullHiMS        float64 `json:"full_hi_ms"`
	FullClientMS    float64 `json:"full_client_ms"`
	Count           int     `json:"count"`
	ResumedMS       float64 `json:"resumed_ms"`
	ResumedLoMS     float64 `json:"resumed_lo_ms"`
	ResumedHiMS     float64 `json:"resumed_hi_ms"`
	ResumedClientMS float64 `json:"resumed_client_ms"`
	ResumedCount    int     `json:"resumed_count"`
}

// priceOfHandshake fills in the handshake costs that the question doesn't give.
func priceOfHandshake(ctx context.Context, q *advise.Question, notice func(string, ...any)) (HandshakePrice, error) {
	p := HandshakePrice{Source: "given"}
	if q.HandshakeMS == 0 {
		costs, err := handshake.Measure(ctx, measuringFor, handshake.Kind{Key: q.Key, TLS: q.TLS},
			handshake.Kind{Key: q.Key, TLS: q.TLS, Resumed: true})
		switch {
		case errors.Is(err, context.Canceled):
			return p, err
		case err != nil:
			p.Source = "recorded"
			notice("h2lab: no handshake could be measured here, so the time of the recorded runs is used: %v", err)
		default:
			p.Source, p.Go = "measured", inGo(costs[0], costs[1])
			q.HandshakeMS = costs[0].Server.MedianMS * advise.OfGo(q.Key, false)
			q.ResumedMS = costs[1].Server.MedianMS * advise.OfGo(q.Key, true)
		}
	}
	usual := q.Usual()
	p.FullMS, p.ResumedMS = usual.HandshakeMS, usual.ResumedMS
	return p, nil
}

func inGo(full, resumed handshake.Cost) *GoHandshake {
	return &GoHandshake{
		FullMS: full.Server.MedianMS, FullLoMS: full.Server.LoMS, FullHiMS: full.Server.HiMS,
		FullClientMS: full.Client.MedianMS, Count: full.Count,
		ResumedMS: resumed.Server.MedianMS, ResumedLoMS: resumed.Server.LoMS, ResumedHiMS: resumed.Server.HiMS,
		ResumedClientMS: resumed.Client.MedianMS, ResumedCount: resumed.Count,
	}
}

func (p HandshakePrice) text() string {
	switch p.Source {
	case "given":
		return fmt.Sprintf("%.2f ms of the server's processor (given)", p.FullMS)
	case "recorded":
		return fmt.Sprintf("%.2f ms of the server's processor (nginx in the recorded runs)", p.FullMS)
	}
	return fmt.Sprintf("%.2f ms of the server's processor: %.1f × Go's TLS here, %.2f ms (%.2f to %.2f)", p.FullMS,
		p.FullMS/p.Go.FullMS, p.Go.FullMS, p.Go.FullLoMS, p.Go.FullHiMS)
}

var digits, percent = output.Digits, output.Percent

// pageWidth is the maximum width of a line of text.
const pageWidth = 100

// page collects the text in the user's language.
type page struct {
	strings.Builder
	in output.Translate
}

// WriteText writes the document as text: facts, what they mean, what to change, and the line to
// paste.
func (d Document) WriteText(w io.Writer, in output.Translate) error {
	b := &page{in: in}
	writeFacts(b, d)
	writeMeaning(b, d)
	writeLimits(b, d)
	writeChange(b, d)
	for _, warning := range d.Warnings {
		b.paragraph("note: ", warning)
	}
	if d.Explained != nil {
		writeFormulas(b, d.Explained)
	}
	b.WriteString(in.Say("next: ") + d.Next + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// fact writes a line with a label.
func (b *page) fact(label, format string, args ...any) {
	b.WriteString(text.Pad(b.in.Say(label), 12) + b.in.Say(fmt.Sprintf(format, args...)) + "\n")
}

func writeFacts(b *page, d Document) {
	q, a := d.Asked, d.Answer
	cores := text.Plain(q.CPUs, "core")
	b.fact("asked", "%s requests/s, %d in flight in %s, limit %d, %s, TLS %s, %s, %s",
		digits(q.RateRPS), q.InFlight, text.Plain(q.Pools, "pool"), q.Limit, q.Client, q.TLS, q.Key, cores)
	b.fact("latency", "%s ms (in-flight / rate), of it %s on the network and %s at the backend",
		digits(q.LatencyMS), digits(q.RTTMS), digits(q.BackendMS))
	b.fact("handshake", "%s", d.Handshake.text())
	b.WriteString("\n")
	b.fact("renewals", "%s an hour; a connection lasts %s s", digits(a.RenewalsPerHour), digits(a.ConnectionLifeS))
	b.fact("connections", "%s/s: %s used, %s wasted (%s at each renewal)", digits(a.ConnectionsPerS),
		digits(a.UsedPerS), digits(a.WastedPerS), digits(a.WastedPerRenewal))
	b.fact("handshakes", "%s/s: %s cores, %s of the %s",
		digits(a.HandshakesPerS), digits(a.CPUCores), percent(a.CPUShare), cores)
	b.fact("capacity", "%s requests/s with these renewals, %s without (at %s ms of processor a request)",
		digits(a.CapacityRPS), digits(a.UnlimitedRPS), digits(q.RequestMS))
	b.fact("waiting", "%s requests at each renewal, %s of all, up to %s ms",
		digits(a.WaitingPerRenewal), percent(a.WaitingShare), digits(a.WaitMS))
	b.fact("dropped", "%s streams at each renewal", digits(a.DroppedPerRenewal))
	b.fact("goodput", "%s of the %s requests/s, where clients wait for answers before they send more",
		digits(a.GoodputRPS), digits(q.RateRPS))
	b.WriteString("\n")
}

// writeMeaning writes what the facts mean.
func writeMeaning(b *page, d Document) {
	a := d.Answer
	p99 := fmt.Sprintf("Renewals don't show in the 99th percentile: %s of requests wait for one.",
		percent(a.WaitingShare))
	if a.AddedP99MS > 0 {
		p99 = fmt.Sprintf("%s of requests wait for a renewal, which adds about %s ms to the 99th percentile.",
			percent(a.WaitingShare), digits(a.AddedP99MS))
	}
	b.paragraph("", p99)
	if a.DroppedPerRenewal > 0 {
		b.paragraph("", fmt.Sprintf("A client sends dropped streams again if it can. If their bodies can't be "+
			"sent again, %s requests a second fail.", digits(a.FailuresPerS)))
	}
	b.paragraph("", certainty(d.Map))
	if a.AgeRules {
		b.paragraph("", "No connection reaches the limit within an hour: keepalive_time (1h) ends it first.")
	}
	b.WriteString("\n")
}

// certainty says what the numbers rest on, and how far off such answers are.
func certainty(m advise.Correction) string {
	if !m.Applied {
		return fmt.Sprintf("These are estimates by arithmetic alone: %s. In recorded runs such estimates of dials and goodput "+
			"were typically within a factor of 1.3, at worst 3.3; of added p99 1.7 and 7 (docs/advise.md).", m.Why)
	}
	var off []string
	for _, f := range advise.Figures {
		if x, ok := m.OffBy[f]; ok {
			off = append(off, fmt.Sprintf("%s typically %s, at worst %s", f, digits(x.Typical), digits(x.Worst)))
		}
	}
	return fmt.Sprintf("The measured map (docs/when-it-matters.md) corrects the arithmetic: dials × %s, requests lost × %s, "+
		"added p99 × %s. At the map's cells that gave no correction, such answers are off by these factors: %s.",
		digits(m.Dials), digits(m.Lost), digits(m.AddedP99), strings.Join(off, "; "))
}

func writeLimits(b *page, d Document) {
	t := text.RightTable(b)
	fmt.Fprintln(t, b.in.Say("limit\trenewals/h\tconnections/s\tcores\tcapacity/s\twaiting %\tadded p99 ms\tfailures/s*\t"))
	for _, a := range d.Limits {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", a.Limit, digits(a.RenewalsPerHour),
			digits(a.ConnectionsPerS), digits(a.CPUCores),
			digits(a.CapacityRPS), digits(a.WaitingShare*100), digits(a.AddedP99MS), digits(a.FailuresPerS))
	}
	_ = t.Flush() // into memory
	b.WriteString(b.in.Say("* of requests whose body can't be sent again") + "\n\n")
}

// writeChange writes what to change, the client's side first.
func writeChange(b *page, d Document) {
	a := d.Advice
	if c := a.Client; c != nil {
		text := fmt.Sprintf("with one dial for each renewal the server does %s handshakes a second instead of %s, at the "+
			"same limit.", digits(c.Then.HandshakesPerS), digits(d.Answer.HandshakesPerS))
		if c.Enough {
			text += " Handshakes then cost almost nothing; waiting and dropped streams remain."
		}
		b.paragraph("client first: ", text+fmt.Sprintf(" This holds for up to %d requests in flight in each pool.",
			advise.MaxStreams))
	}
	if d.Answer.DroppedPerRenewal > 0 {
		b.paragraph("bodies: ",
			"make them replayable (Go: Request.GetBody, which NewRequest sets for bytes and strings). No limit "+
				"prevents all failures.")
	}
	if a.Change {
		b.paragraph("server: ", fmt.Sprintf("keepalive_requests %d leaves %s renewals an hour, %s cores and %s of requests "+
			"waiting.", a.Limit, digits(a.Then.RenewalsPerHour), digits(a.Then.CPUCores), percent(a.Then.WaitingShare)))
	} else {
		b.paragraph("server: ", fmt.Sprintf("keep keepalive_requests %d: its renewals cost almost nothing.", a.Limit))
	}
	for _, p := range a.Prices {
		b.paragraph("  price, "+p.ID+": ", p.Text)
	}
	b.paragraph("  Envoy: ", a.Envoy)
	b.WriteString("\n")
	for _, c := range a.Changes {
		b.folded(b.in.Say("change: "), c.TitleIn(b.in))
		fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(c.Line, "\n", "\n    "))
	}
}

func writeFormulas(b *page, lines []advise.Line) {
	b.WriteString(b.in.Say("every number:") + "\n")
	for _, l := range lines {
		b.folded("  ", fmt.Sprintf("%s = %s = %s = %s", l.Name, b.in.Say(l.Formula), b.in.Say(l.With), digits(l.Value)))
	}
	b.WriteString("\n")
}

// paragraph writes a paragraph with a label before its first line; the other lines are indented.
func (b *page) paragraph(label, text string) { b.folded(b.in.Say(label), b.in.Say(text)) }

func (b *page) folded(label, content string) {
	b.WriteString(text.Hanging(label, "    ", content, pageWidth) + "\n")
}
