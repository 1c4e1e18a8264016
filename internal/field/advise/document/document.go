// Package document builds the answer of h2lab advise as text and as one JSON document: what a limit
// costs at the user's traffic, and what to change.
package document

import (
	"context"
	"fmt"
	"io"

	"h2lab/internal/field/advise"
	"h2lab/internal/field/cure"
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
