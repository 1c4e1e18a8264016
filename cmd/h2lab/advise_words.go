package main

import (
	"fmt"
	"strings"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/textwrap"
	"h2lab/internal/field/advise"
)

// pageWidth is how wide a line of advice may be.
const pageWidth = 100

// digits is a figure with three digits that mean something; more would be a
// promise that the model doesn't keep.
func digits(v float64) string { return numfmt.Digits(v, 3) }

func percentOf(share float64) string { return digits(share*100) + " %" }

func someOf[N int | float64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%v %ss", n, thing)
}

// paragraph writes a paragraph, its first line behind a label and the others below it.
func paragraph(b *strings.Builder, label, text string) {
	b.WriteString(textwrap.Hanging(label, "    ", text, pageWidth) + "\n")
}

// question is what the document answers.
func (d adviceDocument) question() advise.Question {
	q := d.Asked
	return advise.Question{RateRPS: q.RateRPS, InFlight: q.InFlight, Pools: q.Pools, Limit: q.Limit, Client: advise.Client(q.Client), Key: q.Key, TLS: q.TLS,
		ResumedShare: q.ResumedShare, RequestMS: q.RequestMS, RTTMS: q.RTTMS, BackendMS: q.BackendMS, CPUs: q.CPUs, Backends: q.Backends,
		HandshakeMS: d.Handshake.FullMS, ResumedMS: d.Handshake.ResumedMS}
}
