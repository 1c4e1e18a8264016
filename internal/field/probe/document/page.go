package document

import (
	"fmt"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/field/output"
)

// page collects lines in the user's language.
type page struct {
	strings.Builder
	in output.Translate
}

// indent is the column where facts begin, width that of a line.
const indent, width = 13, 99

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

func (p *page) say(format string, args ...any) string { return p.in.Say(fmt.Sprintf(format, args...)) }

// said writes a label and sentences, fact a label and a text that is in the user's language.
func (p *page) said(label, english string) { p.fact(label, p.in.Say(english)) }

func (p *page) fact(label, content string) {
	first := "  " + text.Pad(p.in.Say(label), indent-3) + " "
	p.line(text.Hanging(first, strings.Repeat(" ", indent), content, width))
}

func (p *page) listed(parts ...string) string { return strings.Join(parts, p.in.Say(", ")) }
