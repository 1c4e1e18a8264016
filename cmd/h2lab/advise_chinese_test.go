package main

import (
	"io"
	"testing"

	"h2lab/internal/field/advise"
	"h2lab/internal/field/advise/document"
)

// Questions of which every sentence of advise is part of some answer.
func TestAdvicesOutputIsTranslated(t *testing.T) {
	missing := untranslated{}
	for _, q := range []advise.Question{
		{RateRPS: 9900, InFlight: 100, Limit: 1000},
		{RateRPS: 1, InFlight: 1, Limit: 1000},
		{RateRPS: 900, InFlight: 40, Limit: 10, Pools: 4, Client: advise.SingleDial},
		{RateRPS: 900, InFlight: 40, Limit: 300, Client: advise.HTTP1, Backends: 3},
		{RateRPS: 90000, InFlight: 900, Limit: 100, CPUs: 1, Backends: 8},
		{RateRPS: 30, InFlight: 200, Limit: 1000, RTTMS: 3000},
		{RateRPS: 30, InFlight: 200, Limit: 1000, BackendMS: 3000},
		{RateRPS: 10, InFlight: 100, Limit: 1000},
		{RateRPS: 900, InFlight: 100, Limit: 1000, RTTMS: 50, BackendMS: 20, Key: advise.ECDSA},
		{RateRPS: 9900, InFlight: 100, Limit: 100_000},
	} {
		q.HandshakeMS = 1.2
		d, err := document.New(t.Context(), q, true, nil)
		if err != nil {
			t.Errorf("%+v: %v", q, err)
			continue
		}
		for _, source := range []string{"given", "recorded", "measured"} {
			d.Handshake.Source, d.Handshake.Go = source, &document.GoHandshake{FullMS: 1, FullLoMS: 0.9, FullHiMS: 1.1}
			if err := d.WriteText(io.Discard, missing.say); err != nil {
				t.Fatal(err)
			}
		}
	}
	missing.report(t)
}
