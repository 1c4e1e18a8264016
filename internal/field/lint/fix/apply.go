package fix

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"h2lab/internal/field/lint"
)

// span is an edit with its final place and text, and the finding that it belongs to.
type span struct {
	from, to int
	text     string
	finding  int
}

// apply returns the files that the findings' edits change, and how many findings were applied. A finding
// whose edits overlap an earlier one's is left for the next round, whole.
func apply(texts map[string][]byte, findings [][]lint.Edit) (map[string][]byte, int) {
	left := map[int]bool{}
	for {
		spans := placed(texts, findings, left)
		before := len(left)
		for _, list := range spans {
			overlapping(list, left)
		}
		if len(left) > before {
			continue
		}
		out := map[string][]byte{}
		applied := map[int]bool{}
		for file, list := range spans {
			out[file] = rewrite(texts[file], list)
			for _, s := range list {
				applied[s.finding] = true
			}
		}
		return out, len(applied)
	}
}

// placed are the spans of each file, in its order, without those of findings that are left out.
func placed(texts map[string][]byte, findings [][]lint.Edit, left map[int]bool) map[string][]span {
	out := map[string][]span{}
	seen := map[string]bool{}
	for i, edits := range findings {
		for _, e := range edits {
			data, known := texts[e.File]
			if !known || e.From < 0 || e.To < e.From || e.To > len(data) {
				left[i] = true
			}
			if left[i] || seen[e.Key] {
				continue
			}
			seen[e.Key] = true
			s := place(data, e)
			s.finding = i
			out[e.File] = append(out[e.File], s)
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	}
	return out
}

// overlapping leaves out the later finding of two whose spans overlap. Texts added at one point don't.
func overlapping(list []span, left map[int]bool) {
	var last span
	for i, s := range list {
		if i > 0 && s.from < last.to {
			left[max(s.finding, last.finding)] = true
		}
		if s.to >= last.to {
			last = s
		}
	}
}

// rewrite puts the spans, which are in order, into the text.
func rewrite(data []byte, list []span) []byte {
	var out bytes.Buffer
	at := 0
	for _, s := range list {
		out.Write(data[at:s.from])
		out.WriteString(s.text)
		at = s.to
	}
	out.Write(data[at:])
	return out.Bytes()
}

// place turns an edit into the bytes to replace and their text, with the layout of the lines around it.
func place(data []byte, e lint.Edit) span {
	l := around(data, e.From, e.To)
	switch e.Kind {
	case lint.Delete:
		if l.alone && l.blankBehind {
			return span{from: l.start, to: l.next}
		}
		return span{from: e.From, to: e.To}
	case lint.Before:
		if l.alone {
			return span{from: l.start, to: l.start, text: l.indent + e.Text + l.newline}
		}
		return span{from: e.From, to: e.From, text: e.Text + " "}
	case lint.After:
		return span{from: l.behind, to: l.behind, text: l.newline + l.indent + e.Text}
	case lint.Inside:
		return span{from: l.behind, to: l.behind, text: l.newline + l.inner() + e.Text}
	}
	return span{from: e.From, to: e.To, text: e.Text}
}

// layout is the lines around some bytes of a file.
type layout struct {
	data        []byte
	start, next int    // where the first line begins, and the line behind the last
	behind      int    // where text may be added: the end of the line, when nothing but a comment follows
	indent      string // white space before the first word of the line
	newline     string
	alone       bool // nothing stands before the bytes in their line
	blankBehind bool // nothing stands behind them
}

// widest bounds the part of a line that decides the layout: a file may be one line of megabytes.
const widest = 4096

func around(data []byte, from, to int) layout {
	back, ahead := max(0, from-widest), min(len(data), to+widest)
	l := layout{data: data, start: back + bytes.LastIndexByte(data[back:from], '\n') + 1, newline: "\n", next: ahead}
	end := ahead
	if i := bytes.IndexByte(data[to:ahead], '\n'); i >= 0 {
		end = to + i
		l.next = end + 1
		if end > 0 && data[end-1] == '\r' {
			l.newline = "\r\n"
		}
	}
	line := data[l.start:from]
	trimmed := bytes.TrimLeft(line, " \t")
	l.indent, l.alone = string(line[:len(line)-len(trimmed)]), len(trimmed) == 0
	rest := strings.TrimRight(string(data[to:end]), " \t\r")
	comment := strings.HasPrefix(strings.TrimLeft(rest, " \t"), "#")
	l.blankBehind = strings.TrimSpace(rest) == ""
	l.behind = to
	if l.blankBehind || comment {
		l.behind = to + len(rest)
	}
	return l
}

// inner is the white space before the directives of a block: that of the line behind it, when that is deeper.
func (l layout) inner() string {
	for line := range strings.Lines(string(l.data[l.next:min(len(l.data), l.next+4096)])) {
		text := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if indent := line[:len(line)-len(text)]; len(indent) > len(l.indent) && strings.HasPrefix(indent, l.indent) {
			return indent
		}
		break
	}
	return l.indent + "    "
}
