// Package fix applies the fixes of a lint report to the files, all of them together: in memory, then
// linted again, until no fix is left. It writes whole files with a backup, or prints a unified diff.
package fix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/lint"
)

// mostRounds bounds how often fixed files are linted again: a fix may reveal another fault.
const mostRounds = 12

// File is one file before and after the fixes. Name is as findings show it, Real behind all links.
type File struct {
	Name, Real string
	Old, New   []byte
}

// Result is what the fixes change, and the report on the changed files.
type Result struct {
	Before, After lint.Report
	Files         []File
	Fixed         int // findings
}

// Run applies fixes until none is left. check lints the configuration with the given contents in the
// place of files, by their real names.
func Run(check func(changed map[string][]byte) (lint.Report, error)) (*Result, error) {
	changed := map[string][]byte{}
	report, err := check(changed)
	if err != nil {
		return nil, err
	}
	out := &Result{Before: report}
	names := map[string]*File{}
	for range mostRounds {
		now, real := map[string][]byte{}, map[string]string{}
		for name, data := range report.Data {
			real[name] = nginxfile.RealName(cmp.Or(report.Real[name], name))
			now[real[name]] = data
			if names[real[name]] == nil {
				names[real[name]] = &File{Name: name, Real: real[name], Old: data}
			}
		}
		next, applied := apply(now, editsOf(report, real))
		if applied == 0 {
			out.After, out.Files = report, differing(names, changed)
			return out, nil
		}
		out.Fixed += applied
		maps.Copy(changed, next)
		if report, err = check(changed); err != nil {
			return nil, fmt.Errorf("lint: the fixed files can't be read, so nothing was changed: %w", err)
		}
	}
	return nil, errors.New("lint: the fixes contradict each other, so nothing was changed: apply them by hand, one by one")
}

// editsOf are the edits of each finding that has some, with real names.
func editsOf(r lint.Report, real map[string]string) (out [][]lint.Edit) {
	for _, f := range r.Findings {
		edits := slices.Clone(f.Edits)
		for i := range edits {
			edits[i].File = real[edits[i].File]
		}
		if len(edits) > 0 {
			out = append(out, edits)
		}
	}
	return out
}

func differing(names map[string]*File, changed map[string][]byte) []File {
	var out []File
	for real, data := range changed {
		if f := names[real]; f != nil && !bytes.Equal(f.Old, data) {
			f.New = data
			out = append(out, *f)
		}
	}
	slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Refusal is the reason why the files must not be written; nil when they may be.
func (r *Result) Refusal() error {
	home := nginxfile.RealName(r.Before.Root)
	for _, f := range r.Files {
		rel, err := filepath.Rel(home, f.Real)
		if err != nil || !filepath.IsLocal(rel) {
			return fmt.Errorf("lint: %s needs a change and lies outside of %s (%s), so nothing was changed: apply the fixes by "+
				"hand, or see them with --patch", f.Name, home, f.Real)
		}
	}
	for name, by := range r.Before.Generated {
		for _, f := range r.Before.Findings {
			if f.File == name && (f.Fix != "" || f.Found != "") {
				return fmt.Errorf("lint: %s is written by %s, which would overwrite a change, so nothing was changed: "+
					"see the findings without --fix for the place to change", name, texts.English.In(by))
			}
		}
	}
	return nil
}

// span is an edit with its final place and text.
type span struct {
	from, to int
	text     string
}

// apply returns the files that the findings' edits change, and how many findings were applied. A finding
// whose edits overlap an earlier one's is left for the next round, whole.
func apply(texts map[string][]byte, findings [][]lint.Edit) (out map[string][]byte, applied int) {
	spans, seen := map[string][]span{}, map[string]bool{}
	for _, edits := range findings {
		with, fits, some := maps.Clone(spans), true, false
		for _, e := range edits {
			data, known := texts[e.File]
			if fits = fits && known && 0 <= e.From && e.From <= e.To && e.To <= len(data); !fits {
				break
			}
			if !seen[e.Key] {
				seen[e.Key], some = true, true
				with[e.File], fits = inserted(with[e.File], place(data, e))
			}
		}
		if fits && some {
			spans = with
			applied++
		}
	}
	out = map[string][]byte{}
	for file, list := range spans {
		out[file] = rewrite(texts[file], list)
	}
	return out, applied
}

// inserted is the list, which is in order, with one more span, and whether that overlaps none. Texts added at one point
// don't.
func inserted(list []span, s span) ([]span, bool) {
	i, _ := slices.BinarySearchFunc(list, s, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), -1)
	})
	fits := (i == 0 || list[i-1].to <= s.from) && (i == len(list) || s.to <= list[i].from)
	return slices.Insert(slices.Clip(list), i, s), fits
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
