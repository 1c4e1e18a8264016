package lint

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// width is the column at which sentences are wrapped.
const width = 96

// Text writes a report for a person: the settings in effect, the findings file by file, and the next
// step. name is what was linted.
func Text(w io.Writer, l texts.Language, name string, r Report) {
	p := &printer{w, l}
	p.say("%s", p.headline(name, r))
	for _, sentence := range r.Assumed {
		p.fold("  ", p.in(sentence))
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
	p.say("\n%s", l.In(facts.T("lint.next", next(name, r))))
}

type printer struct {
	w        io.Writer
	language texts.Language
}

// in is a sentence in the reader's language.
func (p *printer) in(s texts.Sentence) string { return p.language.In(facts.Text(s)) }

// text is a text of the catalogue in the reader's language.
func (p *printer) text(key string, args ...any) string { return p.language.In(facts.T(key, args...)) }

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
	return p.text("lint.headline", name, what, facts.T("lint.files", text.Count(len(r.Files))),
		facts.T("lint.listeners", text.Count(len(r.Listeners))), facts.T("lint.errors", text.Count(counts[Error])),
		facts.T("lint.warnings", text.Count(counts[Warning])), facts.T("lint.notes", text.Count(counts[Note])))
}

func (p *printer) listeners(list []Listener) {
	var b strings.Builder
	t := text.NewTable(&b)
	fmt.Fprintln(t, p.text("lint.columns"))
	for _, l := range joined(list) {
		address := l.Address
		if l.Default {
			address += " *"
		}
		row := []string{address, cmp.Or(l.Name, "-"), strings.Join(l.Protocols, "+"), p.language.In(l.Limit.text()),
			p.language.In(l.Idle.text()), p.language.In(l.Age.text()), p.language.In(l.Streams.text())}
		for i := range row {
			row[i] = strings.ReplaceAll(Plain(row[i]), "\t", " ")
		}
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	_ = t.Flush()
	p.say("%s", strings.TrimRight(b.String(), "\n"))
	if slices.ContainsFunc(list, func(l Listener) bool { return l.Default }) {
		p.say("%s", p.text("lint.default-server"))
	}
	p.sources(list)
	for _, l := range joined(list) {
		if !facts.Text(l.Upstream).IsZero() {
			p.fold("  ", p.text("lint.leads-to", cmp.Or(l.Name, "-"), l.Address, p.in(l.Upstream)))
		}
	}
}

// joined makes one row of the addresses of a server that have the same settings, such as its IPv4 and
// IPv6 sockets.
func joined(list []Listener) []Listener {
	var out []Listener
	for _, l := range list {
		if n := len(out) - 1; n >= 0 && l.Name != "" && out[n].shown() == l.shown() &&
			strings.Count(out[n].Address, ",") < mostPlaces {
			if !slices.Contains(strings.Split(out[n].Address, ", "), l.Address) {
				out[n].Address += ", " + l.Address
			}
			continue
		}
		out = append(out, l)
	}
	return out
}

// shown is what the table shows of a listener beside its address.
func (l Listener) shown() string {
	return fmt.Sprint(l.File, l.Name, l.Default, l.Upstream, l.Protocols, l.Limit, l.Limit.From, l.Streams, l.Streams.From,
		l.Idle, l.Idle.From, l.Age, l.Age.From)
}

// sources prints where the limits on requests come from, each source once.
func (p *printer) sources(list []Listener) {
	said := map[string]bool{}
	for _, l := range list {
		line := p.text("lint.limit-from", l.Limit.text(), p.in(l.Limit.From))
		if l.Limit.Requests != nil {
			line = p.text("lint.requests-from", l.Limit.text(), p.in(l.Limit.From))
		}
		if !facts.Text(l.Limit.From).IsZero() && !said[line] {
			said[line] = true
			p.fold("  ", line)
		}
	}
}

func (l Limit) String() string { return texts.English.In(l.text()) }

func (t Time) String() string { return texts.English.In(t.text()) }

// text is the limit as a table shows it.
func (l Limit) text() facts.Text {
	switch {
	case l.Requests != nil:
		return facts.Verbatim(fmt.Sprint(*l.Requests))
	case l.Unlimited:
		return facts.T("lint.no-limit")
	}
	return facts.Verbatim("?")
}

// text is the duration as a table shows it.
func (t Time) text() facts.Text {
	switch {
	case t.Seconds != nil && *t.Seconds >= 3600 && *t.Seconds == float64(int64(*t.Seconds/3600))*3600:
		return facts.Verbatim(strconv.FormatFloat(*t.Seconds/3600, 'f', -1, 64) + "h")
	case t.Seconds != nil:
		return facts.Verbatim(strconv.FormatFloat(*t.Seconds, 'f', -1, 64) + "s")
	case t.Never:
		return facts.T("lint.never")
	}
	return facts.Verbatim("?")
}

func (p *printer) finding(f Finding) {
	place := "-"
	if f.Line > 0 {
		place = fmt.Sprint(f.Line)
	}
	title := f.Title
	if p.language == texts.Chinese {
		title = f.Zh
	}
	p.say("%6s  %s (%s)", place, p.text("lint.named", severities[f.Severity], title), f.Rule)
	if len(f.Also) > 0 {
		p.fold("        ", p.text("lint.also-at", facts.Join("join.comma", places(f.File, f.Also)...)))
	}
	p.fold("        ", p.in(f.Why))
	p.change(f.Found, f.Fix)
	p.fold("        ", p.text("lint.source", f.Docs))
}

var severities = map[Severity]facts.Text{
	Error:   facts.T("lint.error"),
	Warning: facts.T("lint.warning"),
	Note:    facts.T("lint.note"),
}

// mostPlaces bounds the places that one finding lists.
const mostPlaces = 12

// places lists lines of a file, and lines of other files with their names.
func places(file string, list []Place) (out []facts.Text) {
	for i, at := range list {
		switch {
		case i == mostPlaces:
			return append(out, facts.T("lint.more", len(list)-i))
		case at.File == file:
			out = append(out, facts.T("lint.line", at.Line))
		default:
			out = append(out, facts.Verbatim(fmt.Sprintf("%s:%d", at.File, at.Line)))
		}
	}
	return out
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

// fold wraps a text at width and indents each line.
func (p *printer) fold(indent, content string) {
	p.say("%s", text.Hanging(indent, indent, Plain(content), width))
}

// next is the next step: change a line, or probe the server to see whether it behaves as the files say.
func next(name string, r Report) facts.Text {
	probe := "h2lab probe https://HOST/"
	if url := address(r); url != "" {
		probe = "h2lab probe " + url
	}
	worst := worst(r)
	if worst == nil && !r.Then.IsZero() {
		return r.Then
	}
	if worst == nil {
		return onTheWire(r, probe)
	}
	where := strings.Join(strings.Fields(Plain(worst.File)), " ") // one line, since it is pasted
	by, generated := r.Generated[worst.File]
	switch {
	case generated:
		return facts.T("lint.next-generated", probe, where, worst.Line, by)
	case worst.File == fromPipe:
		return facts.T("lint.next-line", probe, worst.Line)
	case r.Apply != "":
		probe = strings.ReplaceAll(r.Apply, "FILE", text.ShellWord(name)) + "; " + probe
	}
	return facts.T("lint.next-place", probe, where, worst.Line)
}

// fromPipe is the name of standard input, which no server reads again.
const fromPipe = "-"

// onTheWire is the probe with what it shows. It needs TLS.
func onTheWire(r Report, probe string) facts.Text {
	if len(r.Listeners) > 0 && !slices.ContainsFunc(r.Listeners, func(l Listener) bool { return l.TLS || l.Speaks("h2") }) {
		return facts.T("lint.next-in-front", probe)
	}
	return facts.T("lint.next-measures", probe)
}

// worst is the finding to fix first: errors before warnings, then those ahead, then in the order of the rules. A
// note requires no change.
func worst(r Report) *Finding {
	rank := func(f Finding) int {
		at := slices.Index(r.Order, f.Rule)
		switch {
		case f.Ahead:
			at = -1
		case at < 0:
			at = len(r.Order)
		}
		if f.Severity == Warning {
			at += len(r.Order) + 2
		}
		return at
	}
	var out *Finding
	for i, f := range r.Findings {
		if f.Severity != Note && (out == nil || rank(f) < rank(*out)) {
			out = &r.Findings[i]
		}
	}
	return out
}

// address is the URL of a listener that speaks HTTP/2 over TLS and has a host name that a client can ask
// for.
func address(r Report) string {
	for _, l := range r.Listeners {
		if !l.TLS || !l.Speaks("h2") || l.Host == "" || strings.ContainsAny(l.Host, "*~_$ /()\"'`\\;&|<>") {
			continue
		}
		if _, port, err := net.SplitHostPort(l.Address); err == nil && strings.Trim(port, "0123456789") == "" {
			return strings.TrimSuffix("https://"+Plain(l.Host)+":"+port, ":443") + "/"
		}
	}
	return ""
}
