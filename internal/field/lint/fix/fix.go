// Package fix applies the fixes of a lint report to the files, all of them together: in memory, then
// linted again, until no fix is left. It writes whole files with a backup, or prints a unified diff.
package fix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

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
		now := map[string][]byte{}
		for name, data := range report.Data {
			real := realName(report, name)
			now[real] = data
			if names[real] == nil {
				names[real] = &File{Name: name, Real: real, Old: data}
			}
		}
		next, applied := apply(now, editsOf(report))
		if applied == 0 {
			out.After = report
			out.Files = differing(names, changed)
			return out, nil
		}
		out.Fixed += applied
		for name, data := range next {
			changed[name] = data
		}
		if report, err = check(changed); err != nil {
			return nil, fmt.Errorf("lint: the fixed files can't be read, so nothing was changed: %w", err)
		}
	}
	return nil, errors.New("lint: the fixes contradict each other, so nothing was changed: apply them by hand, one by one")
}

func realName(r lint.Report, name string) string {
	if moved := r.Real[name]; moved != "" {
		name = moved
	}
	return nginxfile.RealName(name)
}

// editsOf are the edits of each finding that has some, with real names.
func editsOf(r lint.Report) [][]lint.Edit {
	var out [][]lint.Edit
	real := map[string]string{}
	for name := range r.Data {
		real[name] = realName(r, name)
	}
	for _, f := range r.Findings {
		var edits []lint.Edit
		for _, e := range f.Edits {
			e.File = real[e.File]
			edits = append(edits, e)
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
