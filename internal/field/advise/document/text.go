package document

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/output"
)

var digits, percent = output.Digits, output.Percent

// pageWidth is the maximum width of a line of text.
const pageWidth = 100

// WriteText writes the document as text: facts, what they mean, what to change, and the line to
// paste.
func (d Document) WriteText(w io.Writer) error {
	var b strings.Builder
	writeFacts(&b, d)
	writeMeaning(&b, d)
	writeLimits(&b, d)
	writeChange(&b, d)
	for _, warning := range d.Warnings {
		paragraph(&b, "note: ", warning)
	}
	if d.Explained != nil {
		writeFormulas(&b, d.Explained)
	}
	fmt.Fprintf(&b, "next: %s\n", d.Next)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeFacts(b *strings.Builder, d Document) {
	q, a := d.Asked, d.Answer
	fmt.Fprintf(b, "asked       %s requests/s, %d in flight in %s, limit %d, %s, TLS %s, %s, %s\n",
		digits(q.RateRPS), q.InFlight, numfmt.Plain(q.Pools, "pool"),
		q.Limit, q.Client, q.TLS, q.Key, numfmt.Plain(q.CPUs, "core"))
	fmt.Fprintf(b, "latency     %s ms (in-flight / rate), of it %s on the network and %s at the backend\n",
		digits(q.LatencyMS), digits(q.RTTMS), digits(q.BackendMS))
	fmt.Fprintf(b, "handshake   %s\n\n", d.Handshake.text())
	fmt.Fprintf(b, "renewals    %s an hour; a connection lasts %s s\n", digits(a.RenewalsPerHour),
		digits(a.ConnectionLifeS))
	fmt.Fprintf(b, "connections %s/s: %s used, %s wasted (%s at each renewal)\n", digits(a.ConnectionsPerS),
		digits(a.UsedPerS), digits(a.WastedPerS), digits(a.WastedPerRenewal))
	fmt.Fprintf(b, "handshakes  %s/s: %s cores, %s of the %s\n",
		digits(a.HandshakesPerS), digits(a.CPUCores), percent(a.CPUShare), numfmt.Plain(q.CPUs, "core"))
	fmt.Fprintf(b, "capacity    %s requests/s with these renewals, %s without (at %s ms of processor a request)\n",
		digits(a.CapacityRPS), digits(a.UnlimitedRPS), digits(q.RequestMS))
	fmt.Fprintf(b, "waiting     %s requests at each renewal, %s of all, up to %s ms\n",
		digits(a.WaitingPerRenewal), percent(a.WaitingShare), digits(a.WaitMS))
	fmt.Fprintf(b, "dropped     %s streams at each renewal\n", digits(a.DroppedPerRenewal))
	fmt.Fprintf(b, "goodput     %s of the %s requests/s, where clients wait for answers before they send more\n\n",
		digits(a.GoodputRPS), digits(q.RateRPS))
}

// writeMeaning writes what the facts mean.
func writeMeaning(b *strings.Builder, d Document) {
	a := d.Answer
	p99 := fmt.Sprintf("Renewals don't show in the 99th percentile: %s of requests wait for one.",
		percent(a.WaitingShare))
	if a.AddedP99MS > 0 {
		p99 = fmt.Sprintf("%s of requests wait for a renewal, which adds about %s ms to the 99th percentile.",
			percent(a.WaitingShare), digits(a.AddedP99MS))
	}
	paragraph(b, "", p99)
	if a.DroppedPerRenewal > 0 {
		paragraph(b, "", fmt.Sprintf("A client sends dropped streams again if it can. If their bodies can't be "+
			"sent again, %s requests a second fail.", digits(a.FailuresPerS)))
	}
	paragraph(b, "", certainty(d.Map))
	if a.AgeRules {
		paragraph(b, "", "No connection reaches the limit within an hour: keepalive_time (1h) ends it first.")
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

func writeLimits(b *strings.Builder, d Document) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "limit\trenewals/h\tconnections/s\tcores\tcapacity/s\twaiting %\tadded p99 ms\tfailures/s*\t")
	for _, a := range d.Limits {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", a.Limit, digits(a.RenewalsPerHour),
			digits(a.ConnectionsPerS), digits(a.CPUCores),
			digits(a.CapacityRPS), digits(a.WaitingShare*100), digits(a.AddedP99MS), digits(a.FailuresPerS))
	}
	_ = t.Flush() // into memory
	b.WriteString("* of requests whose body can't be sent again\n\n")
}

// writeChange writes what to change, the client's side first.
func writeChange(b *strings.Builder, d Document) {
	a := d.Advice
	if c := a.Client; c != nil {
		text := fmt.Sprintf("with one dial for each renewal the server does %s handshakes a second instead of %s, at the "+
			"same limit.", digits(c.Then.HandshakesPerS), digits(d.Answer.HandshakesPerS))
		if c.Enough {
			text += " Handshakes then cost almost nothing; waiting and dropped streams remain."
		}
		paragraph(b, "client first: ", text+fmt.Sprintf(" This holds for up to %d requests in flight in each pool.",
			advise.MaxStreams))
	}
	if d.Answer.DroppedPerRenewal > 0 {
		paragraph(b, "bodies: ",
			"make them replayable (Go: Request.GetBody, which NewRequest sets for bytes and strings). No limit "+
				"prevents all failures.")
	}
	if a.Change {
		paragraph(b, "server: ", fmt.Sprintf("keepalive_requests %d leaves %s renewals an hour, %s cores and %s of requests "+
			"waiting.", a.Limit, digits(a.Then.RenewalsPerHour), digits(a.Then.CPUCores), percent(a.Then.WaitingShare)))
	} else {
		paragraph(b, "server: ", fmt.Sprintf("keep keepalive_requests %d: its renewals cost almost nothing.", a.Limit))
	}
	for _, p := range a.Prices {
		paragraph(b, "  price, "+p.ID+": ", p.Text)
	}
	paragraph(b, "  Envoy: ", a.Envoy)
	b.WriteString("\n")
	for _, c := range a.Changes {
		paragraph(b, "change: ", c.Title())
		fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(c.Line, "\n", "\n    "))
	}
}

func writeFormulas(b *strings.Builder, lines []advise.Line) {
	b.WriteString("every number:\n")
	for _, l := range lines {
		paragraph(b, "  ", fmt.Sprintf("%s = %s = %s = %s", l.Name, l.Formula, l.With, digits(l.Value)))
	}
	b.WriteString("\n")
}

// paragraph writes a paragraph with a label before its first line; the other lines are indented.
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
