package lint

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/textwrap"
	"h2lab/internal/field/output"
)

// width is the column at which sentences are wrapped.
const width = 96

// Text writes a report for a person: the settings in effect, the findings file by file, and the next
// step. name is what was linted.
func Text(w io.Writer, in output.Translate, name string, r Report) {
	p := &printer{w, in}
	p.say("%s", p.headline(name, r))
	for _, sentence := range r.Assumed {
		p.fold("  ", sentence)
	}
	if len(r.Listeners) > 0 {
		p.say("")
		p.listeners(r.Listeners)
	}
	file := ""
	for i, f := range r.Findings {
		if i == 0 || f.File != file {
			file = f.File
			p.say("\n%s", file)
		}
		p.finding(f)
	}
	p.say("\n%s%s", in.Say("next: "), p.in.Command(Next(name, r)))
}

// next translates a next step: a remark behind a command, or what to do before one.
type printer struct {
	w  io.Writer
	in output.Translate
}

// say writes a line. Plain replaces control characters, so that text of the linted files can't move a
// terminal's cursor.
func (p *printer) say(format string, args ...any) {
	fmt.Fprintln(p.w, Plain(fmt.Sprintf(format, args...)))
}

// Plain replaces everything in s that isn't printable text; tabs and new lines stay.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(s, "?"))
}

func (p *printer) headline(name string, r Report) string {
	what := r.Kind
	if r.Version != "" {
		what += " " + r.Version
	}
	counts := map[Severity]int{}
	for _, f := range r.Findings {
		counts[f.Severity]++
	}
	parts := []string{what, numfmt.Things(len(r.Files), "file"), numfmt.Things(len(r.Listeners), "listener"),
		numfmt.Things(counts[Error], "error"), numfmt.Things(counts[Warning], "warning"),
		numfmt.Things(counts[Note], "note")}
	for i := 1; i < len(parts); i++ {
		parts[i] = p.in.Say(parts[i])
	}
	return name + p.in.Say(": ") + strings.Join(parts, p.in.Say(", "))
}

func (p *printer) listeners(list []Listener) {
	var b strings.Builder
	t := textwrap.NewTable(&b)
	fmt.Fprintln(t, p.in.Say("LISTENER\tNAME\tSPEAKS\tREQUESTS\tIDLE\tAGE\tIN FLIGHT"))
	for _, l := range joined(list) {
		address := l.Address
		if l.Default {
			address += " *"
		}
		row := []string{address, dash(l.Name), strings.Join(l.Protocols, "+"), p.in.Say(l.Limit.String()),
			p.in.Say(l.Idle.String()), p.in.Say(l.Age.String()), p.in.Say(l.Streams.String())}
		for i := range row {
			row[i] = strings.ReplaceAll(Plain(row[i]), "\t", " ")
		}
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	_ = t.Flush()
	p.say("%s", strings.TrimRight(b.String(), "\n"))
	if slices.ContainsFunc(list, func(l Listener) bool { return l.Default }) {
		p.say("%s", p.in.Say("* takes clients that name no server"))
	}
	p.sources(list)
	for _, l := range joined(list) {
		if l.Upstream != "" {
			p.fold("  ", dash(l.Name)+" ("+l.Address+") leads to "+l.Upstream)
		}
	}
}

// joined makes one row of the addresses of a server that have the same settings, such as its IPv4 and
// IPv6 sockets.
func joined(list []Listener) []Listener {
	var out []Listener
	for _, l := range list {
		if n := len(out) - 1; n >= 0 && alike(out[n], l) && strings.Count(out[n].Address, ",") < mostPlaces {
			if !slices.Contains(strings.Split(out[n].Address, ", "), l.Address) {
				out[n].Address += ", " + l.Address
			}
			continue
		}
		out = append(out, l)
	}
	return out
}

func alike(a, b Listener) bool {
	return a.File == b.File && a.Name == b.Name && a.Name != "" && a.Default == b.Default && a.Upstream == b.Upstream &&
		slices.Equal(a.Protocols, b.Protocols) && a.Limit.same(b.Limit) && a.Streams.same(b.Streams) &&
		a.Idle.same(b.Idle) && a.Age.same(b.Age)
}

func (l Limit) same(o Limit) bool { return l.String() == o.String() && l.From == o.From }

func (t Time) same(o Time) bool { return t.String() == o.String() && t.From == o.From }

// sources prints where the limits on requests come from, each source once.
func (p *printer) sources(list []Listener) {
	said := map[string]bool{}
	for _, l := range list {
		line := l.Limit.String() + " requests: " + l.Limit.From
		switch {
		case l.Limit.Requests == nil:
			line = l.Limit.String() + ": " + l.Limit.From
		case *l.Limit.Requests == 1:
			line = "1 request: " + l.Limit.From
		}
		if l.Limit.From != "" && !said[line] {
			said[line] = true
			p.fold("  ", line)
		}
	}
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// String is the limit as a table shows it.
func (l Limit) String() string {
	switch {
	case l.Requests != nil:
		return fmt.Sprint(*l.Requests)
	case l.Unlimited:
		return "no limit"
	}
	return "?"
}

// String is the duration as a table shows it.
func (t Time) String() string {
	switch {
	case t.Seconds != nil && *t.Seconds >= 3600 && *t.Seconds == float64(int64(*t.Seconds/3600))*3600:
		return strconv.FormatFloat(*t.Seconds/3600, 'f', -1, 64) + "h"
	case t.Seconds != nil:
		return strconv.FormatFloat(*t.Seconds, 'f', -1, 64) + "s"
	case t.Never:
		return "never"
	}
	return "?"
}

func (p *printer) finding(f Finding) {
	place := "-"
	if f.Line > 0 {
		place = fmt.Sprint(f.Line)
	}
	p.say("%6s  %s%s%s (%s)", place, p.in.Say(string(f.Severity)), p.in.Say(": "), p.in.Say(f.Title), f.Rule)
	if len(f.Also) > 0 {
		p.folded("        ", p.in.Say("also at "+p.places(f.File, f.Also)))
	}
	p.fold("        ", f.Why)
	p.change(f.Found, f.Fix)
	p.folded("        ", p.in.Say("source: ")+p.in.Say(f.Docs))
}

// mostPlaces bounds the places that one finding lists.
const mostPlaces = 12

// places lists lines of a file, and lines of other files with their names.
func (p *printer) places(file string, list []Place) string {
	var out []string
	for i, at := range list {
		if i == mostPlaces {
			out = append(out, p.in.Say(fmt.Sprintf("%d more", len(list)-i)))
			break
		}
		if at.File == file {
			out = append(out, p.in.Say(fmt.Sprintf("line %d", at.Line)))
			continue
		}
		out = append(out, fmt.Sprintf("%s:%d", at.File, at.Line))
	}
	return strings.Join(out, p.in.Say(", "))
}

// change prints found and fix as a small diff; a line that both begin with is context.
func (p *printer) change(found, fix string) {
	rest, same := strings.CutPrefix(fix, found+"\n")
	switch {
	case found == "":
		rest = fix
	case same:
		p.lines(" ", found)
	default:
		p.lines("-", found)
		rest = fix
	}
	p.lines("+", rest)
}

func (p *printer) lines(sign, text string) {
	for line := range strings.Lines(text) {
		p.say("        %s %s", sign, strings.TrimRight(line, "\n"))
	}
}

// fold wraps a sentence at width and indents each line.
func (p *printer) fold(indent, sentence string) {
	p.folded(indent, p.in.Say(Plain(sentence)))
}

func (p *printer) folded(indent, text string) {
	p.say("%s", textwrap.Hanging(indent, indent, Plain(text), width))
}
