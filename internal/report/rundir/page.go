package rundir

import (
	"fmt"
	"strings"

	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/page"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/runreport"
	"h2lab/internal/report/translations"
)

// writeReportPage writes a report's text as one HTML file as well, with its charts and the raw data
// behind its numbers.
func writeReportPage(dir string, in runreport.Input, files map[string][]byte) error {
	var numbers []page.Table
	for _, s := range runreport.Numbers(in) {
		numbers = append(numbers, pointed(s))
	}
	p := page.Input{Title: in.Result.Run.Command + " " + in.Result.Run.ID, Lang: string(in.Language), Numbers: numbers}
	if in.Language == translations.Chinese {
		p.Words = &chinesePage
	}
	return writePage(dir, p, runreport.Name(in.Language), files, []string{results.File, results.VerdictsFile})
}

var chinesePage = page.Words{Dark: "深色", Light: "浅色", Raw: "原始数据", Trial: "试验", Value: "值", Evidence: "依据",
	Close: "关闭", File: "完整文件"}

// pointed maps each number to the document of the trials behind it.
func pointed(s parts.Sources) page.Table {
	t := page.Table{Heads: s.Heads}
	for _, row := range s.Cells {
		line := make([]string, len(row))
		for i, pointer := range row {
			if pointer != "" {
				line[i] = results.File + "#" + pointer
			}
		}
		t.Cells = append(t.Cells, line)
	}
	return t
}

// writeClientsPage does the same for a client matrix. It embeds clients.json, because the
// results.json of a hundred programs is too large for a page.
func writeClientsPage(dir string, l translations.Language, files map[string][]byte) error {
	in := page.Input{Title: "Which clients survive", Lang: string(l)}
	if l == translations.Chinese {
		in.Title, in.Words = "哪些客户端不受影响", &chinesePage
	}
	return writePage(dir, in, clientreport.Name(l), files, []string{"clients.json"})
}

func writePage(dir string, in page.Input, markdown string, files map[string][]byte, raw []string) error {
	in.Markdown = files[markdown]
	in.Read = func(name string) ([]byte, error) {
		if b, ok := files[name]; ok {
			return b, nil
		}
		return nil, fmt.Errorf("%s shows %s, which was not drawn", markdown, name)
	}
	for _, name := range raw {
		b, err := rawData(dir, name, files)
		if err != nil {
			return err
		}
		in.Raw = append(in.Raw, page.Raw{Name: name, JSON: b})
	}
	html, err := page.Build(in)
	if err != nil {
		return fmt.Errorf("drawing %s as a page: %w", markdown, err)
	}
	return results.WriteFile(dir, strings.TrimSuffix(markdown, ".md")+".html", html)
}

// rawData returns a document as just drawn, or as stored in the run's directory.
func rawData(dir, name string, files map[string][]byte) ([]byte, error) {
	if b, ok := files[name]; ok {
		return b, nil
	}
	return results.ReadFile(dir, name)
}
