package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"h2lab/internal/field/advise"
)

// pageWidth is how wide a line of advice may be.
const pageWidth = 100

// digits is a figure with three digits that mean something; more would be a
// promise that the model doesn't keep.
func digits(v float64) string {
	switch {
	case v == 0:
		return "0"
	case math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) < 0.001:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	places := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	text := strconv.FormatFloat(v, 'f', places, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

func percentOf(share float64) string { return digits(share*100) + " %" }

func someOf[N int | float64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%v %ss", n, thing)
}

// paragraph writes a paragraph, its first line behind a label and the others below it.
func paragraph(b *strings.Builder, label, text string) {
	width := len([]rune(label))
	b.WriteString(label)
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		if i > 0 && width+1+n > pageWidth {
			b.WriteString("\n    ")
			width = 4
		} else if i > 0 {
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += n
	}
	b.WriteString("\n")
}

// question is what the document answers.
func (d adviceDocument) question() advise.Question {
	q := d.Asked
	return advise.Question{RateRPS: q.RateRPS, InFlight: q.InFlight, Pools: q.Pools, Limit: q.Limit, Client: advise.Client(q.Client), Key: q.Key, TLS: q.TLS,
		ResumedShare: q.ResumedShare, RequestMS: q.RequestMS, RTTMS: q.RTTMS, BackendMS: q.BackendMS, CPUs: q.CPUs, Backends: q.Backends,
		HandshakeMS: d.Handshake.FullMS, ResumedMS: d.Handshake.ResumedMS}
}
