package workshop

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
)

// remark matches a line of a program or a list of answers that is only a remark.
var remark = regexp.MustCompile(`^(?:#[^!]|//\s*\S|<)`)

func startFiles(t *testing.T) []string {
	files, _ := filepath.Glob(filepath.Join(labtest.Root(t), start, "*", "*"))
	if len(files) < 11 {
		t.Fatalf("only %d files in %s", len(files), start)
	}
	return files
}

func TestEveryRemarkOfTheFirstFilesIsInChinese(t *testing.T) {
	words, used := pairs(startInChinese), map[string]bool{}
	for _, file := range startFiles(t) {
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
	code := func(text string) (out []string) {
		for line := range strings.Lines(text) {
			if bare := strings.TrimSpace(line); !remark.MatchString(bare) || strings.HasPrefix(bare, "##") {
				out = append(out, line)
			}
		}
		return out
	}
	for _, file := range startFiles(t) {
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

func TestHintsAreThereInChineseToo(t *testing.T) {
	figure := regexp.MustCompile(`\d+(?:\.\d+)?`)
	for _, e := range Exercises {
		for state, hints := range e.Hints() {
			for i, hint := range hints.En {
				zh := hints.Zh[i]
				want, have := figure.FindAllString(hint, -1), figure.FindAllString(zh, -1)
				slices.Sort(want)
				slices.Sort(have)
				// "chapter 3" is 第 3 章; a question mark stays one.
				if diff := cmp.Diff(want, have); zh == "" || diff != "" || strings.HasSuffix(hint, "?") != strings.HasSuffix(zh, "？") {
					t.Errorf("exercise %d, %s: %q doesn't say the same as %q: %s", e.Number, state, zh, hint, diff)
				}
				if places := labtest.Misset(zh); places != nil {
					t.Errorf("spaces or punctuation at %q", places)
				}
			}
		}
	}
}

func TestAFindingWithinAFindingIsTranslatedToo(t *testing.T) {
	f := judgeStampede(counted{requests: 1000, accepted: 400, inFlight: 50}, 100)
	if got, want := texts.Chinese.In(f.Says), "1000 个请求预期需要 10 条连接，服务器接受了 400 条"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
