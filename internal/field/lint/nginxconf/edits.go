package nginxconf

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

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

// settle makes one finding of those that say the same: it names the other places.
func settle(found []lint.Finding) []lint.Finding {
	type same struct {
		rule, why, found, fix string
		severity              lint.Severity
	}
	out := []lint.Finding{}
	first := map[same]int{}
	for _, f := range found {
		k := same{f.Rule, f.Why.String(), f.Found, f.Fix, f.Severity}
		if i, again := first[k]; !again {
			first[k] = len(out)
			out = append(out, f)
		} else if f.Place() != out[i].Place() && !slices.Contains(out[i].Also, f.Place()) {
			out[i].Also = append(out[i].Also, f.Place())
			out[i].Edits = append(out[i].Edits, f.Edits...)
		}
	}
	return out
}

//go:embed generators.toml
var generatorsFile string

// generator is an entry of generators.toml, which says what its fields mean.
type generator struct {
	Name, Mark, Where, Line string
	Within                  int
	Keys, Lines             map[string]string
	mark                    *regexp.Regexp
}

var generators = sync.OnceValue(func() []*generator {
	var file struct{ Generator []*generator }
	if _, err := toml.Decode(generatorsFile, &file); err != nil {
		panic(err) // the file is embedded, and tests read it
	}
	for _, g := range file.Generator {
		g.mark, g.Within = regexp.MustCompile(g.Mark), cmp.Or(g.Within, 64<<10)
	}
	return file.Generator
})

// inWords is a text of the catalogue, or the name of a program.
func inWords(s string) facts.Text {
	if strings.HasPrefix(s, "nginx.") {
		return facts.T(s)
	}
	return facts.Verbatim(s)
}

// generated moves the fixes of generated files to where the program takes them from.
func generated(report *lint.Report, l *nginxfile.Tree) {
	report.Generated = map[string]facts.Text{}
	by, files := map[string]*generator{}, map[*generator][]string{}
	for _, name := range l.Files {
		for _, g := range generators() {
			if data := l.Data[name]; by[name] == nil && g.mark.Match(data[:min(len(data), g.Within)]) {
				by[name], files[g], report.Generated[name] = g, append(files[g], name), inWords(g.Name)
			}
		}
	}
	for _, g := range generators() {
		if len(files[g]) > 0 {
			report.Assume(facts.T("nginx.generated", enumerated(files[g]), inWords(g.Where), inWords(g.Name)))
		}
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		g := by[f.File]
		if g == nil || len(f.Edits) == 0 {
			continue
		}
		f.Add(facts.T("nginx.change-in", inWords(g.Where), inWords(g.Name)))
		if g.Line != "" {
			f.Found, f.Fix = "", g.fix(f.Edits)
		}
		f.Edits = nil
	}
}

// fix is the text for the generator's own settings.
func (g *generator) fix(edits []lint.Edit) string {
	var out []string
	for _, e := range edits {
		name, value, _ := strings.Cut(strings.TrimSuffix(e.Text, ";"), " ")
		key := g.Keys[name]
		if e.Block == "upstream" {
			key = g.Keys["upstream/"+name]
		}
		if key != "" {
			out = append(out, fmt.Sprintf("%s: %q", key, strings.TrimSuffix(value, "s")))
		} else if name != "" {
			out = append(out, fmt.Sprintf(cmp.Or(g.Lines[name], g.Line), name, value))
		}
	}
	return strings.Join(out, "\n")
}
