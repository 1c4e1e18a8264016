package docs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

// cells returns the rows of the tables that begin with a header, without header and rule.
func cells(page, header string) [][]string {
	var out [][]string
	_, table, _ := strings.Cut(page, header+"\n")
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if strings.HasPrefix(line, "|--") {
			continue
		}
		row := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		out = append(out, row)
	}
	return out
}

func column(rows [][]string, n int) []string {
	var out []string
	for _, row := range rows {
		out = append(out, row[n])
	}
	return out
}

const chineseTerms = "| 术语 | 英文 | 含义 |"

func TestTheGlossaryHasEveryTermInChinese(t *testing.T) {
	english := cells(labtest.Read(t, "workshop/glossary.md"), "| term | meaning |")
	chinese := cells(labtest.Read(t, "workshop/zh/glossary.md"), chineseTerms)
	if len(english) == 0 {
		t.Fatal("workshop/glossary.md has no table of terms")
	}
	if diff := cmp.Diff(column(english, 0), column(chinese, 1)); diff != "" {
		t.Errorf("terms differ (-glossary.md +zh/glossary.md):\n%s", diff)
	}
}

// One English term has one Chinese term, in the glossary of the workshop and in that of README.zh.md.
func TestBothChineseGlossariesHaveTheSameTerms(t *testing.T) {
	known := map[string]string{}
	for page, header := range map[string]string{"../README.zh.md": "| 术语 | 英文 | 在本项目中的含义 |",
		"workshop/zh/glossary.md": chineseTerms} {
		rows := cells(labtest.Read(t, page), header)
		if len(rows) == 0 {
			t.Fatalf("%s has no table of terms", page)
		}
		for _, row := range rows {
			english, chinese := strings.Split(row[1], ", "), strings.Split(row[0], "、")
			if len(english) != len(chinese) {
				continue // two English terms for one thing
			}
			for i := range english {
				if before, ok := known[english[i]]; ok && before != chinese[i] {
					t.Errorf("%s: %q is %q, elsewhere %q", page, english[i], chinese[i], before)
				}
				known[english[i]] = chinese[i]
			}
		}
	}
}

// otherwise maps expressions that a Chinese engineer reads as something else, or that name a thing which has another
// name here, to those that the glossary has.
var otherwise = map[string]string{
	"前端":   "入口代理: 前端 is the browser's side of an application",
	"在线上":  "实际通信中, or 连接上: 线上 is production",
	"答复":   "响应",
	"惊群":   "连接风暴",
	"粗心":   "实现不当",
	"安然无恙": "正常",
}

func TestChineseTextsUseTheTermsOfTheGlossary(t *testing.T) {
	texts := chinesePages(t)
	for _, pattern := range []string{"*.zh.md", "../internal/report/parts/recorded.toml", "../internal/base/texts/data/*.toml",
		"../internal/report/*/text/zh/*.md", "../testdata/recorded/*/*.zh.md"} {
		found, _ := filepath.Glob(pattern)
		if len(found) == 0 {
			t.Errorf("nothing matches %s", pattern)
		}
		texts = append(texts, found...)
	}
	for _, name := range texts {
		text := labtest.Read(t, name)
		for expression, instead := range otherwise {
			if strings.Contains(text, expression) {
				t.Errorf("%s has %s; write %s", name, expression, instead)
			}
		}
	}
}
