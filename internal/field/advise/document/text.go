package document

import (
	"fmt"
	"io"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/output"
)

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
