// Package document builds the answer of h2lab advise as text and as one JSON document: what a limit
// costs at the user's traffic, and what to change.
package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
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
	// OffBy is how far off such answers are at measured places, by figure.
	OffBy     map[string]advise.Factors `json:"off_by"`
	Answer    advise.Answer             `json:"answer"`
	Limits    []advise.Answer           `json:"limits"`
	Advice    Advice                    `json:"advice"`
	Warnings  []texts.Sentence          `json:"warnings"`
	Explained []advise.Line             `json:"explained"` // null without --explain
	Next      string                    `json:"next"`
}

// Asked is the question with its defaults filled in.
type Asked struct {
	advise.Question
	LatencyMS float64 `json:"latency_ms"`
}

// Advice is what to change, clients first.
type Advice struct {
	Client  *ClientChange  `json:"client"` // null if no change to the client helps
	Limit   int            `json:"limit"`
	Change  bool           `json:"change"` // false if the present limit is good enough
	Changes []cure.Change  `json:"changes"`
	Then    advise.Answer  `json:"then"` // with that limit and the client unchanged
	Prices  []advise.Price `json:"prices"`
	Envoy   texts.Sentence `json:"envoy"`
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
func New(ctx context.Context, q advise.Question, explain bool, notice func(...facts.Text)) (Document, error) {
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
	u, limit := q.Usual(), advise.Recommend(q)
	d := Document{
		SchemaVersion: 3, Asked: Asked{u, u.LatencyMS()}, Handshake: price, OffBy: advise.OffBy, Answer: advise.Predict(q),
		Limits: advise.Compare(q), Warnings: advise.Beyond(q), Next: cure.Show(cure.Nginx),
		Advice: Advice{Client: clientChange(q), Limit: limit, Change: limit != q.Limit, Changes: []cure.Change{},
			Then: q.At(limit), Prices: advise.Prices(q, limit), Envoy: texts.Sentence(facts.T("advise.envoy"))},
	}
	if d.Advice.Client != nil {
		d.Advice.Changes = append(d.Advice.Changes, cure.OneDial())
	}
	if d.Advice.Change {
		d.Advice.Changes = append(d.Advice.Changes, cure.RequestLimit(cure.Nginx, q.Limit, u.Client == advise.HTTP1)...)
	}
	if explain {
		d.Explained = advise.Explain(q)
	}
	return d
}

// clientChange is nil if the client doesn't stampede: with one or two requests in flight, no more
// than one dials.
func clientChange(q advise.Question) *ClientChange {
	if q.Usual().Client != advise.Stampede || advise.Predict(q).WastedPerRenewal < 1 {
		return nil
	}
	q.Client = advise.SingleDial
	then := advise.Predict(q)
	return &ClientChange{Then: then, Enough: then.CPUShare <= advise.FewCPU}
}

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
func priceOfHandshake(ctx context.Context, q *advise.Question, notice func(...facts.Text)) (HandshakePrice, error) {
	p := HandshakePrice{Source: "given"}
	if q.HandshakeMS == 0 {
		costs, err := handshake.Measure(ctx, measuringFor, handshake.Kind{Key: q.Key, TLS: q.TLS},
			handshake.Kind{Key: q.Key, TLS: q.TLS, Resumed: true})
		switch {
		case errors.Is(err, context.Canceled):
			return p, err
		case err != nil:
			p.Source = "recorded"
			notice(facts.T("advise.no-handshake", err.Error()))
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

func (p HandshakePrice) text() facts.Text {
	ms := func(v float64) string { return fmt.Sprintf("%.2f", v) }
	switch p.Source {
	case "given":
		return facts.T("advise.price-given", ms(p.FullMS))
	case "recorded":
		return facts.T("advise.price-recorded", ms(p.FullMS))
	}
	return facts.T("advise.price-measured", ms(p.FullMS), fmt.Sprintf("%.1f", p.FullMS/p.Go.FullMS), ms(p.Go.FullMS), ms(p.Go.FullLoMS),
		ms(p.Go.FullHiMS))
}

var digits, percent = output.Digits, output.Percent

// pageWidth is the maximum width of a line of text.
const pageWidth = 100

// page collects the text in the user's language.
type page struct {
	strings.Builder
	texts.Language
}

// WriteText writes the document as text: facts, what they mean, what to change, and the line to
// paste.
func (d Document) WriteText(w io.Writer, l texts.Language) error {
	b := &page{Language: l}
	b.facts(d)
	b.meaning(d)
	b.limits(d.Limits)
	b.change(d)
	if d.Explained != nil {
		b.WriteString("\n" + b.In(facts.T("advise.every-number")) + "\n")
		for _, l := range d.Explained {
			b.folded("  ", fmt.Sprintf("%s = %s = %s", l.Name, b.In(facts.Text(l.Formula)), digits(l.Value)))
		}
	}
	b.WriteString(b.In(facts.T("advise.next", d.Next)) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (b *page) facts(d Document) {
	q, a := d.Asked, d.Answer
	cores, pools := facts.T("advise.cores", fmt.Sprint(q.CPUs)), facts.T("advise.pools", fmt.Sprint(q.Pools))
	usual := math.Max(1, d.OffBy[advise.Goodput].Typical)
	for _, row := range [][2]facts.Text{
		{facts.T("advise.asked"), facts.T("advise.question", digits(q.RateRPS), q.InFlight, pools, q.Limit, string(q.Client),
			q.TLS, q.Key, cores)},
		{facts.T("advise.latency"), facts.T("advise.latency-of", digits(q.LatencyMS), digits(q.RTTMS), digits(q.BackendMS))},
		{facts.T("advise.handshake"), d.Handshake.text()},
		{},
		{facts.T("advise.renewals"), facts.T("advise.an-hour-lasts", digits(a.RenewalsPerHour), digits(a.ConnectionLifeS))},
		{facts.T("advise.connections"), facts.T("advise.used-wasted", digits(a.ConnectionsPerS), digits(a.UsedPerS),
			digits(a.WastedPerS), digits(a.WastedPerRenewal))},
		{facts.T("advise.handshakes"), facts.T("advise.cores-of", digits(a.HandshakesPerS), digits(a.CPUCores),
			percent(a.CPUShare), cores)},
		{facts.T("advise.capacity"), facts.T("advise.capacity-of", digits(a.CapacityRPS), digits(a.UnlimitedRPS),
			digits(q.RequestMS))},
		{facts.T("advise.waiting"), facts.T("advise.waiting-of", digits(a.WaitingPerRenewal), percent(a.WaitingShare),
			digits(a.WaitMS))},
		{facts.T("advise.dropped"), facts.T("advise.dropped-of", digits(a.DroppedPerRenewal))},
		{facts.T("advise.goodput"), facts.T("advise.goodput-of", digits(a.GoodputRPS/usual),
			digits(math.Min(q.RateRPS, a.GoodputRPS*usual)), digits(q.RateRPS))},
	} {
		b.WriteString(strings.TrimRight(text.Pad(b.In(row[0]), 12)+b.In(row[1]), " ") + "\n")
	}
	b.WriteString("\n")
}

// meaning says what the facts mean, and how far off such answers are.
func (b *page) meaning(d Document) {
	a := d.Answer
	p99 := facts.T("advise.p99-same", percent(a.WaitingShare))
	if a.AddedP99MS > 0 {
		p99 = facts.T("advise.p99-added", percent(a.WaitingShare), digits(a.AddedP99MS))
	}
	b.paragraph(facts.Text{}, p99)
	if a.DroppedPerRenewal > 0 {
		b.paragraph(facts.Text{}, facts.T("advise.bodies-fail", digits(a.FailuresPerS)))
	}
	if a.AgeRules {
		b.paragraph(facts.Text{}, facts.T("advise.never-reached"))
	}
	var off []any
	for _, figure := range []string{advise.Dials, advise.Goodput, advise.AddedP99} {
		off = append(off, digits(d.OffBy[figure].Typical), digits(d.OffBy[figure].Worst))
	}
	says := []facts.Text{facts.T("advise.estimates", off...)}
	for _, warning := range d.Warnings {
		says = append(says, facts.Text(warning))
	}
	b.paragraph(facts.T("advise.note"), facts.Join("join.sentences", says...))
	b.WriteString("\n")
}

func (b *page) limits(all []advise.Answer) {
	t := text.RightTable(b)
	fmt.Fprintln(t, b.In(facts.T("advise.columns")))
	for _, a := range all {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", a.Limit, digits(a.RenewalsPerHour),
			digits(a.ConnectionsPerS), digits(a.CPUCores),
			digits(a.CapacityRPS), digits(a.WaitingShare*100), digits(a.AddedP99MS), digits(a.FailuresPerS))
	}
	_ = t.Flush() // into memory
	b.WriteString(b.In(facts.T("advise.of-requests")) + "\n\n")
}

// change says what to change, the client's side first.
func (b *page) change(d Document) {
	a := d.Advice
	if c := a.Client; c != nil {
		says := []facts.Text{facts.T("advise.one-dial", digits(c.Then.HandshakesPerS), digits(d.Answer.HandshakesPerS),
			advise.MaxStreams)}
		if c.Enough {
			says = append(says, facts.T("advise.then-enough"))
		}
		b.paragraph(facts.T("advise.client-first"), facts.Join("join.sentences", says...))
	}
	if d.Answer.DroppedPerRenewal > 0 {
		b.paragraph(facts.T("advise.bodies"), facts.T("advise.replayable"))
	}
	server := facts.T("advise.keep", a.Limit)
	if a.Change {
		server = facts.T("advise.leaves", a.Limit, digits(a.Then.RenewalsPerHour), digits(a.Then.CPUCores), percent(a.Then.WaitingShare))
	}
	b.paragraph(facts.T("advise.server"), server)
	for _, p := range a.Prices {
		b.paragraph(facts.T("advise.price"), facts.Text(p.Text))
	}
	b.paragraph(facts.T("advise.for-envoy"), facts.Text(a.Envoy))
	b.WriteString("\n")
	for _, c := range a.Changes {
		b.folded(b.In(facts.T("advise.change")), b.In(c.Title()))
		fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(b.In(facts.Text(c.Line)), "\n", "\n    "))
	}
}

// paragraph writes a paragraph with a label before its first line; the other lines are indented.
func (b *page) paragraph(label, says facts.Text) { b.folded(b.In(label), b.In(says)) }

func (b *page) folded(label, content string) {
	b.WriteString(text.Hanging(label, "    ", content, pageWidth) + "\n")
}
