package lint_test

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/check"
)

// The corpus is public configurations, read where they are: corpus.jsonl has references, what a person
// found in each, and what lint found. tools/lint-corpus.sh records it again from the files.
const (
	corpusFile = "testdata/corpus.jsonl"
	scorePage  = "../../../docs/lint.md"
)

var (
	trees  = flag.String("trees", "", "lint the corpus in this directory, KIND/ID, and record what is found")
	labels = flag.String("labels", "", "take the labels from this file")
	half   = flag.String("half", "open", "the part of the corpus that -labels holds, one of parts")
	update = flag.Bool("update", false, "write the table of docs/lint.md anew")
)

// tree is one line of corpus.jsonl.
type tree struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Half   string `json:"half"` // one of parts
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	Root   string `json:"root"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`

	Version  string   `json:"version"`  // what --version gets
	Labels   []string `json:"labels"`   // the rules that must be found
	MustNot  []string `json:"must_not"` // rules that would be wrong
	Optional []string `json:"optional"` // rules that are not judged
	Either   []string `json:"either,omitempty"`
	Expect   string   `json:"expect"` // refused: not a configuration that lint reads

	Refused bool     `json:"refused"`
	Found   []string `json:"found"`
	// First is what was found before anybody had seen what lint does with a tree of the later sets.
	First *sight `json:"first,omitempty"`
}

// sight is what lint did with a tree.
type sight struct {
	Refused bool     `json:"refused"`
	Found   []string `json:"found"`
}

// parts are the parts of the corpus. The open ones were read while the rules were written; the findings
// in those aside were not, and are scored alone.
var parts = []string{"open", "aside", "second open", "second aside", "third open", "third aside", "fourth", "fifth open",
	"fifth aside"}

// rows are the parts of the table: before the parts of the later sets is what the first run found in them.
var rows = []string{"open", "aside", "second" + firstRun, "second open", "second aside", "third" + firstRun, "third open",
	"third aside", "fourth" + firstRun, "fourth", "fifth" + firstRun, "fifth open", "fifth aside"}

const firstRun = ", first run"

func readTrees(t *testing.T, name string) []tree {
	t.Helper()
	data, err := os.ReadFile(name)
	labtest.Check(t, err)
	var out []tree
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one tree
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, one)
	}
	return out
}

func TestTheScoresOfTheDocsAreThoseOfTheCorpus(t *testing.T) {
	if *trees != "" {
		record(t)
	}
	known := map[string]bool{}
	for _, r := range check.Rules() {
		known[r.ID] = true
	}
	all := readTrees(t, corpusFile)
	for _, one := range all {
		for _, rule := range slices.Concat(one.Labels, one.Found) {
			if !known[rule] {
				t.Errorf("%s names %s, which is no rule", one.ID, rule)
			}
		}
	}
	page, err := os.ReadFile(scorePage)
	labtest.Check(t, err)
	const begin, end = "<!-- scores -->\n", "<!-- end of scores -->\n"
	before, rest, there := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !there || !closed {
		t.Fatalf("%s has no place for the scores", scorePage)
	}
	want := before + begin + table(all) + end + after
	if *update {
		labtest.Check(t, os.WriteFile(scorePage, []byte(want), 0o644))
	} else if string(page) != want {
		t.Errorf("%s has other scores than the corpus: go test ./internal/field/lint -update writes\n%s", scorePage, table(all))
	}
}

// score counts one kind's trees and findings.
type score struct{ trees, found, missed, wrong, refused, refusable int }

func (s *score) add(one tree) {
	s.trees++
	found := one.Found
	slices.Sort(found)
	for _, rule := range slices.Compact(found) {
		switch {
		case slices.Contains(one.Labels, rule):
			s.found++
		case slices.Contains(one.MustNot, rule) || !slices.Contains(one.Optional, rule):
			s.wrong++
		}
	}
	for _, rule := range one.Labels {
		if !slices.Contains(found, rule) {
			s.missed++
		}
	}
	if one.Expect == "refused" {
		s.refusable++
		if one.Refused {
			s.refused++
		}
	}
}

func table(all []tree) string {
	var b strings.Builder
	b.WriteString("| half | kind | trees | findings labelled | found | missed | wrong | precision | recall | refused as they should be |\n" +
		"|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, h := range rows {
		set, first := strings.CutSuffix(h, firstRun)
		for _, kind := range append(slices.Clone(lint.Kinds), "other", "all") {
			var s score
			for _, one := range all {
				if first && one.First != nil && strings.HasPrefix(one.Half, set) {
					one.Half, one.Refused, one.Found = h, one.First.Refused, one.First.Found
				}
				if one.Half == h && (one.Kind == kind || kind == "all") {
					s.add(one)
				}
			}
			if s.trees > 0 {
				fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %s | %s | %d of %d |\n", h, kind, s.trees, s.found+s.missed,
					s.found, s.missed, s.wrong, percent(s.found, s.wrong), percent(s.found, s.missed), s.refused, s.refusable)
			}
		}
	}
	return b.String()
}

// percent is a ÷ (a + b), unknown when there is nothing to divide.
func percent(a, b int) string {
	if a+b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(a)/float64(a+b))
}

// record lints the trees of one half and writes what it finds to corpus.jsonl.
func record(t *testing.T) {
	t.Helper()
	dir, err := filepath.Abs(*trees)
	labtest.Check(t, err)
	if !slices.Contains(parts, *half) {
		t.Fatalf("-half %q is none of %q", *half, parts)
	}
	var now []tree
	if *labels != "" {
		now = readTrees(t, *labels)
		for i := range now {
			now[i].Half, now[i].Optional, now[i].Either = *half, append(now[i].Optional, now[i].Either...), nil
		}
	} else {
		now = slices.DeleteFunc(readTrees(t, corpusFile), func(one tree) bool { return one.Half != *half })
	}
	again := map[string]bool{}
	for i := range now {
		again[now[i].ID+now[i].Half] = true
		now[i].lint(t, filepath.Join(dir, now[i].Kind, now[i].ID))
	}
	for _, old := range readTrees(t, corpusFile) {
		if !again[old.ID+old.Half] {
			now = append(now, old)
		}
	}
	slices.SortFunc(now, func(a, b tree) int {
		return cmp.Or(cmp.Compare(b.Half, a.Half), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	var b bytes.Buffer
	for _, one := range now {
		line, err := json.Marshal(one)
		labtest.Check(t, err)
		b.Write(append(line, '\n'))
	}
	labtest.Check(t, os.WriteFile(corpusFile, b.Bytes(), 0o644))
}

func (one *tree) lint(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, one.Path)); err != nil {
		dir = filepath.Join(dir, one.Root) // a tree may be stored with the directories above its root
	}
	data, err := os.ReadFile(filepath.Join(dir, one.Path))
	labtest.Check(t, err)
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != one.SHA256 {
		t.Errorf("%s is not the file of %s", one.ID, one.Commit)
	}
	home, err := os.Getwd()
	labtest.Check(t, err)
	t.Chdir(dir) // findings and errors name the file as its own directory has it
	defer t.Chdir(home)
	one.Found, one.Refused = []string{}, false
	r, err := check.Run(t.Context(), []string{one.Path}, "", lint.Options{Version: one.Version})
	if err != nil {
		one.Refused = true
		return
	}
	for _, f := range r.Report.Findings {
		one.Found = append(one.Found, f.Rule)
	}
	slices.Sort(one.Found)
	one.Found = slices.Compact(one.Found)
}
