package main

import (
	"fmt"

	"h2lab/internal/field/advise"
)

// sweepCell is one measurement of Go's net/http against a real nginx, with its results: means over
// its renewals.
type sweepCell struct {
	Key       string  `json:"key"`
	TLS       string  `json:"tls"`
	InFlight  int     `json:"in_flight"`
	Pools     int     `json:"pools"`
	Limit     int     `json:"limit"`
	BackendMS int     `json:"backend_ms"`
	RateRPS   float64 `json:"rate_rps"`
	Renewals  float64 `json:"renewals"`
	Dials     float64 `json:"dials"`
	Dropped   float64 `json:"dropped"`
}

// question is the model's input for a measured cell.
func (c sweepCell) question() advise.Question {
	return advise.Question{
		RateRPS:   c.RateRPS,
		InFlight:  c.InFlight,
		Pools:     c.Pools,
		Limit:     c.Limit,
		Key:       c.Key,
		TLS:       c.TLS,
		BackendMS: float64(c.BackendMS),
	}
}

// name describes the cell in text.
func (c sweepCell) name() string {
	text := fmt.Sprintf("%d in flight, limit %d, TLS %s, %s", c.InFlight, c.Limit, c.TLS, c.Key)
	if c.Pools > 1 {
		text += fmt.Sprintf(", %d pools", c.Pools)
	}
	if c.BackendMS > 0 {
		text += fmt.Sprintf(", backend %d ms", c.BackendMS)
	}
	return text
}

// sweepCells returns the cells of the sweep; the recorded runs cover only one limit and one number
// of requests in flight.
func sweepCells() []sweepCell {
	var out []sweepCell
	add := func(key, tls string, inFlight, pools, limit, backend int) {
		out = append(out, sweepCell{
			Key:       key,
			TLS:       tls,
			InFlight:  inFlight,
			Pools:     pools,
			Limit:     limit,
			BackendMS: backend,
		})
	}
	for _, tls := range []string{advise.TLS13, advise.TLS12} {
		for _, inFlight := range []int{10, 25, 50, 100, 200} {
			add(advise.RSA, tls, inFlight, 1, 1000, 0)
		}
		for _, limit := range []int{200, 500, 2000, 4000} {
			add(advise.RSA, tls, 100, 1, limit, 0)
		}
		add(advise.ECDSA, tls, 100, 1, 1000, 0)
		add(advise.RSA, tls, 100, 4, 1000, 0)
		add(advise.RSA, tls, 100, 1, 1000, 20)
		add(advise.RSA, tls, 100, 1, 4000, 20)
	}
	return out
}
