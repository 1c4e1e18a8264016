package runreport

import (
	"strings"

	"h2lab/internal/facts"
)

func (p *page) cures() {
	p.heading("The three cures")
	p.prose("cures.md", map[string]any{"ServerDiff": p.serverDiff(p.in.Diff), "MaxStreams": facts.MaxConcurrentStreams})
}

// serverDiff shows the one line that cures, and the whole diff as evidence that nothing else
// changed.
func (p *page) serverDiff(diff string) string {
	if strings.TrimSpace(diff) == "" {
		return block("diff", "-        keepalive_requests 1000;\n+        keepalive_requests 100000;") +
			p.say("\nThe complete difference: `diff nginx/keepalive-1000.conf nginx/keepalive-100000.conf`.\n")
	}
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	var limit []string
	for i, l := range lines {
		// A file's modification time differs in every checkout; its name doesn't.
		if strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") {
			lines[i], _, _ = strings.Cut(l, "\t")
			continue
		}
		if changed(l) && strings.Contains(l, "# the limit") {
			limit = append(limit, l)
		}
	}
	whole := block("diff", strings.Join(lines, "\n"))
	if len(limit) == 0 {
		return whole
	}
	return block("diff", strings.Join(limit, "\n")) + "\n<details><summary>" +
		p.say("The complete difference of the two files: this line, names, ports and comments") + "</summary>\n\n" +
		whole + "\n</details>\n\n"
}

func changed(l string) bool { return strings.HasPrefix(l, "-") || strings.HasPrefix(l, "+") }
