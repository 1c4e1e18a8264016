package translations

import (
	"go/ast"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestEveryMessageOfTheLabIsTranslated(t *testing.T) {
	said := map[Phrase]bool{}
	_, files := parsed(t, "../../lab/runs")
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "message" {
				if form, ok := labtest.Constant(call.Args[0]); ok {
					said[Phrase(form)] = true
				}
			}
			return true
		})
	}
	if len(said) < 15 {
		t.Fatalf("only %d messages found: the search is broken", len(said))
	}
	for form := range said {
		if chineseMessages[form] == "" {
			t.Errorf("internal/lab/runs prints %q, which isn't translated", form)
		}
	}
	for form := range chineseMessages {
		if !said[form] {
			t.Errorf("a translation of %q, which nobody prints", form)
		}
	}
}

func TestMessagesAreTranslatedLineByLine(t *testing.T) {
	const english = "h2lab: up in the native runtime (auto, since Docker isn't usable)\nunknown words\n" +
		"h2lab: repro in the docker runtime (as asked); 1 cell × 3 trials, seed 7\n"
	for l, want := range map[Language]string{
		English: english,
		Chinese: "h2lab: 已开始以 native 方式启动（自动选择：Docker isn't usable）\nunknown words\n" +
			"h2lab: 以 docker 方式运行 repro（按指定）；1 个单元 × 3 次试验，种子 7\n",
	} {
		var out strings.Builder
		if n, err := l.Messages(&out).Write([]byte(english)); n != len(english) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		if out.String() != want {
			t.Errorf("%s: %q, want %q", l, out.String(), want)
		}
	}
}
