package nginxconf

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// at is a finding at a directive that the fix replaces: by its first line, with the others behind it. An
// empty fix deletes the directive.
func at(r lint.Rule, d *nginxfile.Directive, fix string, why ...facts.Text) lint.Finding {
	f := r.New(d.File, d.Line, why...)
	f.Column, f.Found, f.Fix = d.Column, d.Text(), fix
	first, rest, _ := strings.Cut(fix, "\n")
	edit := replaced(d, first)
	edit.Block = blockName(d.Parent)
	if fix == "" {
		edit.Kind = lint.Delete
	} else if sets(first) != d.Name {
		edit.Key = blockKey(d.Parent, d.File) + sets(first)
	}
	f.Edits = append([]lint.Edit{edit}, added(d, rest)...)
	return f
}

func replaced(d *nginxfile.Directive, line string) lint.Edit {
	return lint.Edit{Kind: lint.Replace, File: d.File, From: d.From, To: d.To, Text: line, Key: keyOf(d)}
}

// in is a finding at a directive that stays: the fix goes beside it, or inside it when it is a block.
func in(r lint.Rule, d *nginxfile.Directive, fix string, why ...facts.Text) lint.Finding {
	f := r.New(d.File, d.Line, why...)
	f.Column = d.Column
	if fix == "" {
		return f
	}
	indent := "\n"
	if d.HasBlock {
		indent = "\n    "
	}
	f.Found = d.Text()
	f.Fix = f.Found + indent + strings.ReplaceAll(fix, "\n", indent)
	f.Edits = added(d, fix)
	return f
}

// added are the edits that put lines beside a directive, or into it when it is a block.
func added(d *nginxfile.Directive, lines string) []lint.Edit {
	edit := lint.Edit{Kind: lint.After, File: d.File, From: d.From, To: d.To, Block: blockName(d.Parent)}
	block := blockKey(d.Parent, d.File)
	if d.HasBlock {
		edit.Kind, block, edit.Block = lint.Inside, blockKey(d, d.File), d.Name
	}
	var out []lint.Edit
	for line := range strings.Lines(lines) {
		edit.Text = strings.TrimRight(line, "\n")
		edit.Key = block + sets(edit.Text)
		out = append(out, edit)
	}
	return out
}

// sets is what a line sets: its directive, and of those that a block may have several times the first
// argument too.
func sets(line string) string {
	words := strings.Fields(strings.TrimSuffix(line, ";"))
	if len(words) > 1 && slices.Contains([]string{"proxy_set_header", "grpc_set_header", "listen", "upstream"}, words[0]) {
		return words[0] + " " + words[1]
	}
	return strings.Join(words[:min(len(words), 1)], "")
}

func blockName(block *nginxfile.Directive) string {
	if block == nil {
		return ""
	}
	return block.Name
}

func keyOf(d *nginxfile.Directive) string { return fmt.Sprintf("%s:%d", d.File, d.From) }

func blockKey(block *nginxfile.Directive, file string) string {
	if block == nil {
		return file + " "
	}
	return keyOf(block) + " "
}

// setter is the finding whose fix sets something, and the edit that does.
type setter struct {
	finding int
	edit    lint.Edit
}

// settle makes the findings fit together: of those that say the same, one stays and names the other
// places; and what one finding sets, no other sets again, so that all fixes can be applied at once.
func settle(found []lint.Finding) []lint.Finding {
	type same struct {
		rule, why, found, fix string
		severity              lint.Severity
	}
	var out []lint.Finding
	first := map[same]int{}
	setBy := map[string]setter{}
	for _, f := range found {
		k := same{f.Rule, f.Why.String(), f.Found, f.Fix, f.Severity}
		if i, again := first[k]; again {
			if f.Place() != out[i].Place() && !slices.Contains(out[i].Also, f.Place()) {
				out[i].Also = append(out[i].Also, f.Place())
				out[i].Edits = append(out[i].Edits, f.Edits...)
			}
			continue
		}
		first[k] = len(out)
		by, taken, enough := setElsewhere(f, setBy)
		if taken {
			if place := out[by].Place(); enough {
				f.Add(facts.T("nginx.mended-by", place.File, place.Line))
			} else {
				f.Add(facts.T("nginx.mend-first", place.File, place.Line))
			}
			f.Found, f.Fix, f.Edits = "", "", nil
		}
		for _, e := range f.Edits {
			if _, taken := setBy[e.Key]; !taken {
				setBy[e.Key] = setter{len(out), e}
			}
		}
		out = append(out, f)
	}
	return out
}

// setElsewhere reports whether an earlier finding's fix sets what one of f's edits sets. The earlier
// one is enough when it has all of f's lines.
func setElsewhere(f lint.Finding, setBy map[string]setter) (by int, taken, enough bool) {
	same := 0
	for _, e := range f.Edits {
		if s, is := setBy[e.Key]; is {
			by, taken = s.finding, true
			if s.edit == e {
				same++
			}
		}
	}
	return by, taken, same == len(f.Edits)
}
