package storyverdicts

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/facts"
)

// The callers of a story, as services/spring/client.json names them.
const (
	OkHttp3        facts.Client = "resttemplate-okhttp3"
	OkHttp3Pool100 facts.Client = "resttemplate-okhttp3-pool100"
	OkHttp3NoRetry facts.Client = "resttemplate-okhttp3-no-retry"
	OkHttp3H1      facts.Client = "resttemplate-okhttp3-h1"
	OkHttp3Renew   facts.Client = "resttemplate-okhttp3-renew"
	OkHttp4        facts.Client = "resttemplate-okhttp4"
)

// Chain has the names of a story's topologies.
type Chain struct {
	Gateway string // the API gateway alone: envoy or scg
	Low     string // nginx with the low limit before the gateway
	High    string // nginx with keepalive_requests 100000 before the gateway
	Other   string // Envoy without a limit before the gateway
}

// ChainOf reads the gateway from the cells of a run.
func ChainOf(run *facts.Result) Chain {
	gateway := "envoy"
	spring := func(topology string) bool { return topology == "scg" || strings.HasSuffix(topology, "-scg") }
	planned := slices.ContainsFunc(run.Run.Planned, func(id string) bool {
		topology, _, _ := strings.Cut(id, ".")
		return spring(topology)
	})
	if planned || slices.ContainsFunc(run.Cells, func(c facts.Cell) bool { return spring(c.Topology) }) {
		gateway = "scg"
	}
	return Chain{Gateway: gateway, Low: fmt.Sprintf("nginx-%d-%s", run.Run.Limit, gateway),
		High: "nginx-100000-" + gateway, Other: "envoy-" + gateway}
}

// Place is where a story measures: one cell.
type Place struct {
	Topology string
	Protocol facts.Protocol
	Caller   facts.Client
}

// ID is the place's cell, as messages name it.
func (p Place) ID() string {
	return (&facts.Cell{Topology: p.Topology, Protocol: p.Protocol, Client: p.Caller}).ID()
}

// Incident is the cell that the story begins with.
func (c Chain) Incident() Place { return Place{c.Low, facts.H2, OkHttp3} }

// Pool is the incident with a pool of 100 connections.
func (c Chain) Pool() Place { return Place{c.Low, facts.H2, OkHttp3Pool100} }

// NoRetry is the incident with the client's retry switched off.
func (c Chain) NoRetry() Place { return Place{c.Low, facts.H2, OkHttp3NoRetry} }

// Cut is the same service with the gateway alone, without the reverse proxy.
func (c Chain) Cut() Place { return Place{c.Gateway, facts.H2, OkHttp3} }

// Cure is one change that should end the incident.
type Cure struct {
	Name          string // the end of its rule's id
	Before, After Place
}

// Cures lists the cures in the order of the story.
func (c Chain) Cures() []Cure {
	return []Cure{
		{"keepalive-requests", c.Incident(), Place{c.High, facts.H2, OkHttp3}},
		{"other-proxy", c.Incident(), Place{c.Other, facts.H2, OkHttp3}},
		{"http1", c.Incident(), Place{c.Low, facts.H1, OkHttp3H1}},
		{"newer-okhttp", c.Incident(), Place{c.Low, facts.H2, OkHttp4}},
		{"one-dial", c.Incident(), Place{c.Low, facts.H2, OkHttp3Renew}},
		{"keepalive-requests-no-retry", c.NoRetry(), Place{c.High, facts.H2, OkHttp3NoRetry}},
	}
}
