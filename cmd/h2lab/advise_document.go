package main

import (
	"fmt"

	"h2lab/internal/field/advise"
)

// adviceDocument is what advise answers, in JSON and, drawn from it, in words.
type adviceDocument struct {
	SchemaVersion int             `json:"schema_version"`
	Asked         adviceAsked     `json:"asked"`
	Handshake     measuredPrice   `json:"handshake"`
	Answer        advise.Answer   `json:"answer"`
	Limits        []advise.Answer `json:"limits"`
	Advice        adviceGiven     `json:"advice"`
	Warnings      []string        `json:"warnings"`
	Explained     []advise.Line   `json:"explained"` // null without --explain
	Next          string          `json:"next"`
}

// adviceAsked is the question, what was left open filled in.
type adviceAsked struct {
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

// adviceGiven is what to change, clients first.
type adviceGiven struct {
	Client *clientCure    `json:"client"` // null where the client has nothing to mend
	Limit  int            `json:"limit"`
	Change bool           `json:"change"` // false where the present limit is good enough
	Line   string         `json:"line"`
	Then   advise.Answer  `json:"then"` // with that limit and the client as it is
	Prices []advise.Price `json:"prices"`
	Envoy  string         `json:"envoy"`
}

// clientCure is one dial a renewal instead of one for each waiting request.
type clientCure struct {
	Line string        `json:"line"`
	Then advise.Answer `json:"then"` // at the present limit
	// Enough says that the handshakes are no cost any more with it, at the present limit.
	Enough bool `json:"enough"`
}

func advised(q advise.Question, price measuredPrice, explain bool) adviceDocument {
	u := q.Usual()
	limit := advise.Recommend(q)
	d := adviceDocument{
		SchemaVersion: 1, Handshake: price, Answer: advise.Predict(q), Limits: advise.Compare(q), Warnings: advise.Beyond(q),
		Asked: adviceAsked{RateRPS: u.RateRPS, InFlight: u.InFlight, LatencyMS: u.LatencyMS(), Pools: u.Pools, Limit: u.Limit, Client: string(u.Client),
			Key: u.Key, TLS: u.TLS, ResumedShare: u.ResumedShare, RequestMS: u.RequestMS, RTTMS: u.RTTMS, BackendMS: u.BackendMS, CPUs: u.CPUs, Backends: u.Backends},
		Advice: adviceGiven{Client: clientSide(q), Limit: limit, Change: limit != q.Limit, Line: fmt.Sprintf("keepalive_requests %d;", limit),
			Then: predictAt(q, limit), Prices: advise.Prices(q, limit), Envoy: envoyWords},
	}
	if d.Warnings == nil {
		d.Warnings = []string{}
	}
	if explain {
		d.Explained = advise.Explain(q)
	}
	d.Next = nextAdvice(d)
	return d
}

func predictAt(q advise.Question, limit int) advise.Answer {
	q.Limit = limit
	return advise.Predict(q)
}

// clientSide is what the client's side can do, where it stampedes at all: with a
// request or two in flight there is nobody to dial twice.
func clientSide(q advise.Question) *clientCure {
	before := advise.Predict(q)
	if q.Usual().Client != advise.Stampede || before.BurntPerRenewal < 1 {
		return nil
	}
	q.Client = advise.SingleDial
	then := advise.Predict(q)
	return &clientCure{Line: "http.Transport{ForceAttemptHTTP2: true, MaxConnsPerHost: 1}", Then: then, Enough: then.CPUShare <= 0.05}
}

// envoyWords are what Envoy has instead of a limit on requests. The jitter is
// in its API since 1.39.
const envoyWords = "Envoy has no limit unless max_requests_per_connection is set: leave it out and bound the age instead, " +
	"max_connection_duration: 3600s with max_connection_duration_jitter, so that connections don't end together. " +
	"It says GOAWAY in two stages and drops nothing in flight; a pool that stampedes still does."

func nextAdvice(d adviceDocument) string {
	if d.Advice.Change {
		return d.Advice.Line
	}
	if d.Advice.Client != nil {
		return d.Advice.Client.Line
	}
	return "h2lab probe https://YOUR-SERVER/    # is that limit the one in effect?"
}
