package parts

import (
	"embed"
	"fmt"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

//go:embed text/*.md text/zh/*.md
var written embed.FS

// Wire writes the section of the traced renewals.
func (p *Page) Wire() {
	p.Heading("page.what-happened-wire")
	p.Renewals()
}

// Renewals writes the frames of the traced renewals.
func (p *Page) Renewals() {
	traces := p.Result.Renewals
	if len(traces) == 0 {
		p.Print("page.run-traced-no-renewal")
		return
	}
	for i, t := range traces {
		where := p.Say("page.connection-reaches-limit", Code(t.Topology))
		if i == 0 {
			p.Printf("%s%s%s\n\n%s\n", where, p.Say("join.sentences"), Escape(p.In(facts.Text(t.Summary))), Block("", p.trace(t)))
			if saysGoaway(t) {
				p.Prose(written, "wire_notes.md", nil)
			}
			continue
		}
		p.Printf("\n<details><summary>%s</summary>\n\n%s%s%s\n\n%s\n</details>\n", Escape(p.Say("page.same",
			t.Topology)), where, p.Say("join.sentences"), Escape(p.In(facts.Text(t.Summary))), Block("", p.trace(t)))
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
func (p *Page) trace(t facts.Renewal) string {
	keep := shown(t.Frames)
	var b strings.Builder
	skipped := 0
	flush := func() {
		if skipped > 0 {
			fmt.Fprintf(&b, "%9s  … %s\n", "", p.Plural(skipped, "page.frames"))
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
		if !f.Note.IsZero() {
			for _, l := range text.Wrap(strings.Join(strings.Fields(p.In(facts.Text(f.Note))), " "), 78) {
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
		if !frames[i].Note.IsZero() {
			for j := max(0, i-1); j <= min(len(frames)-1, i+1); j++ {
				keep[j] = true
			}
		}
	}
	return keep
}

func line(f facts.Frame) string {
	if f.Type == facts.FrameGap {
		return fmt.Sprintf("%9s  … %s\n", "", f.Detail)
	}
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
