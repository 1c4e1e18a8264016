package workshop

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

func TestEveryHintIsInChinese(t *testing.T) {
	figure := regexp.MustCompile(`\d+(?:\.\d+)?`)
	var inChinese strings.Builder
	for _, e := range Exercises() {
		for state, hints := range e.Hints() {
			for i, hint := range hints.En {
				zh := hints.Zh[i]
				inChinese.WriteString(zh + "\n")
				if zh == "" {
					t.Errorf("exercise %d, %s: text/hints.toml lacks %q", e.Number, state, hint)
					continue
				}
				got, err := e.ChineseHint(Finding{State: state}, i+1)
				if err != nil || !strings.HasPrefix(got, zh) || !strings.HasSuffix(got, "。") && !strings.HasSuffix(got, "？") {
					t.Errorf("exercise %d, %s, hint %d is %q, %v", e.Number, state, i+1, got, err)
				}
				want, have := figure.FindAllString(hint, -1), figure.FindAllString(zh, -1)
				slices.Sort(want)
				slices.Sort(have)
				// "chapter 3" is 第 3 章; a question mark stays one.
				if diff := cmp.Diff(want, have); diff != "" || strings.HasSuffix(hint, "?") != strings.HasSuffix(zh, "？") {
					t.Errorf("%q doesn't say the same as %q: %s", zh, hint, diff)
				}
				for _, word := range append(giveaways, solutionLines(t, e)...) {
					if strings.Contains(strings.ToLower(zh), word) {
						t.Errorf("%q gives %q away", zh, word)
					}
				}
			}
		}
	}
	if places := labtest.Misset(inChinese.String()); places != nil {
		t.Errorf("spaces or punctuation at %q", places)
	}
}

func TestAHintOfNothingLeftIsEnglishAndAWrongStrengthAnError(t *testing.T) {
	e := Exercises()[0]
	if _, err := e.ChineseHint(Finding{State: statesOpen}, 4); err == nil {
		t.Error("there is a hint 4")
	}
	if got, err := e.ChineseHint(Finding{State: Done}, 1); err != nil || got == "" {
		t.Errorf("%q, %v", got, err)
	}
}

// remark matches a line of a program or a list of answers that is only a remark.
var remark = regexp.MustCompile(`^(?:#[^!]|//\s*\S|<)`)

func TestEveryRemarkOfTheFirstFilesIsInChinese(t *testing.T) {
	words, used := pairs(startInChinese), map[string]bool{}
	root := labtest.Root(t)
	files, _ := filepath.Glob(filepath.Join(root, start, "*", "*"))
	if len(files) < 11 {
		t.Fatalf("only %d files in %s", len(files), start)
	}
	for _, file := range files {
		for line := range strings.Lines(labtest.Read(t, file)) {
			line = strings.TrimSpace(line)
			if words[line] != "" {
				used[line] = true
			} else if remark.MatchString(line) {
				t.Errorf("%s: text/start.zh.txt lacks %q", file, line)
			}
		}
	}
	for line := range words {
		if !used[line] {
			t.Errorf("text/start.zh.txt has %q, which is in no file", line)
		}
	}
	if places := labtest.Misset(startInChinese); places != nil {
		t.Errorf("spaces or punctuation at %q", places)
	}
}

// A translation changes remarks only: what a check reads and what a compiler reads stay.
func TestChineseFilesHaveTheSameLinesWithoutTheirRemarks(t *testing.T) {
	root := labtest.Root(t)
	files, _ := filepath.Glob(filepath.Join(root, start, "*", "*"))
	code := func(text string) (out []string) {
		for line := range strings.Lines(text) {
			if bare := strings.TrimSpace(line); !remark.MatchString(bare) || strings.HasPrefix(bare, "##") {
				out = append(out, line)
			}
		}
		return out
	}
	for _, file := range files {
		english := labtest.Read(t, file)
		chinese := string(translated([]byte(english), pairs(startInChinese)))
		if chinese == english {
			t.Errorf("%s has no Chinese remark", file)
		}
		if diff := cmp.Diff(code(english), code(chinese)); diff != "" {
			t.Errorf("%s (-English +Chinese):\n%s", file, diff)
		}
	}
}

// findingForms returns every format string of a finding: the constants that lacks, done and say get.
func findingForms(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	files, _ := filepath.Glob("*.go")
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		labtest.Check(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, _ := call.Fun.(*ast.Ident)
			if name == nil || !slices.Contains([]string{"lacks", "done", "say"}, name.Name) {
				return true
			}
			at := map[string]int{"lacks": 1}[name.Name]
			if form, ok := labtest.Constant(call.Args[at]); ok {
				out[form] = true
			}
			return true
		})
	}
	for _, p := range prices {
		out[p] = true
	}
	for _, plain := range []string{"", "%v", "%s", "%s: %s"} { // nothing to translate
		delete(out, plain)
	}
	if len(out) < 80 {
		t.Fatalf("only %d findings found: the search is broken", len(out))
	}
	return out
}

func TestEveryFindingIsInChinese(t *testing.T) {
	words := chineseFindings()
	forms := findingForms(t)
	for form := range forms {
		zh := words[form]
		if zh == "" {
			t.Errorf("text/findings.zh.txt lacks %q", form)
			continue
		}
		want, have := labtest.Verbs(form), labtest.Verbs(zh)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%q has other values than %q: %s", zh, form, diff)
		}
		if strings.HasSuffix(zh, "。") {
			t.Errorf("%q ends like a sentence, and the command adds the full stop", zh)
		}
		if places := labtest.Misset(labtest.Verb.ReplaceAllString(zh, "值")); places != nil {
			t.Errorf("spaces or punctuation at %q", places)
		}
	}
	for form := range words {
		if !forms[form] {
			t.Errorf("text/findings.zh.txt has %q, which no check says", form)
		}
	}
}

func TestAFindingWithinAFindingIsTranslatedToo(t *testing.T) {
	f := judgeStampede(counted{requests: 1000, accepted: 400, inFlight: 50}, 100)
	if want := "1000 个请求预期需要 10 条连接，服务器接受了 400 条"; f.InChinese() != want {
		t.Errorf("%q, want %q", f.InChinese(), want)
	}
	bad := &formatError{"workshop/09/answers.txt", 2, say("answers %s a second time", `"x"`)}
	if got, want := lacks(stateFormat, "%v", bad).InChinese(), `workshop/09/answers.txt 第 2 行第二次回答了 "x"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := lacks(tlsUpside, "%s is %.2g, which is the inverse of the right value", "x", 0.251); got.InChinese() != "x 为 0.25，正好是正确值的倒数" ||
		got.Says != "x is 0.25, which is the inverse of the right value" {
		t.Errorf("%q, %q", got.Says, got.InChinese())
	}
}
