package runreport

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
)

func (p *page) wire() {
	p.heading("What happened on the wire")
	traces := p.in.Result.Renewals
	if len(traces) == 0 {
		p.printPhrase("This run traced no renewal.\n")
		return
	}
	for i, t := range traces {
		where := p.say("One connection to %s that reaches its limit, traced in this run, times in milliseconds.",
			code(t.Topology))
		if i == 0 {
			p.printf("%s%s%s\n\n%s\n", where, p.say(" "), escape(p.in.Language.Notes(t.Summary)), block("", p.trace(t)))
			if saysGoaway(t) {
				p.prose("wire_notes.md", nil)
			}
			continue
		}
		p.printf("\n<details><summary>%s</summary>\n\n%s%s%s\n\n%s\n</details>\n", escape(p.say("The same on %s",
			t.Topology)), where, p.say(" "), escape(p.in.Language.Notes(t.Summary)), block("", p.trace(t)))
	}
}

// saysGoaway reports whether the notes are those of a one-stage GOAWAY after which streams were
// dropped.
func saysGoaway(t facts.Renewal) bool {
	for _, f := range t.Frames {
		if f.Type == "GOAWAY" {
			return len(t.Dropped) > 0
		}
	}
	return false
}

// trace writes the relevant frames, their neighbours, and how many frames are left out between
// them.
func (p *page) trace(t facts.Renewal) string {
	keep := shown(t.Frames)
	var b strings.Builder
	skipped := 0
	flush := func() {
		if skipped > 0 {
			fmt.Fprintf(&b, "%9s  … %s\n", "", p.plural(skipped, framesBetween))
		}
		skipped = 0
	}
	for i, f := range t.Frames {
		if !keep[i] {
			skipped++
			continue
		}
		flush()
		b.WriteString(line(f))
		if f.Note != "" {
			for _, l := range wrap(strings.Join(strings.Fields(p.in.Language.Note(f.Note)), " "), 78) {
				fmt.Fprintf(&b, "%9s  │   %s\n", "", l)
			}
		}
	}
	flush()
	return b.String()
}

// shown keeps every frame of a short trace; of a long one it keeps the frames with a note, their
// neighbours, and both ends.
func shown(frames []facts.Frame) []bool {
	keep := make([]bool, len(frames))
	for i := range frames {
		if len(frames) <= 16 || i == 0 || i == len(frames)-1 {
			keep[i] = true
		}
		if frames[i].Note != "" {
			for j := max(0, i-1); j <= min(len(frames)-1, i+1); j++ {
				keep[j] = true
			}
		}
	}
	return keep
}

func line(f facts.Frame) string {
	who := "◀ server"
	if f.Sent {
		who = "client ▶"
	}
	words := []string{fmt.Sprintf("%9.2f  %s %-13s", f.TMS, who, f.Type)}
	if f.StreamID > 0 {
		words = append(words, fmt.Sprintf("stream %-6d", f.StreamID))
	}
	for _, w := range []string{f.Flags, f.Detail} {
		if w = strings.Join(strings.Fields(w), " "); w != "" {
			words = append(words, w)
		}
	}
	return strings.TrimRight(strings.Join(words, " "), " ") + "\n"
}
