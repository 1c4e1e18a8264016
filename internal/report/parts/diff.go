package parts

import "strings"

// ServerDiff shows the one line that cures, and the whole diff as evidence that nothing else
// changed.
func (p *Page) ServerDiff(diff string) string {
	if strings.TrimSpace(diff) == "" {
		return Block("diff", "-        keepalive_requests 1000;\n+        keepalive_requests 100000;") +
			p.Say("page.complete-difference-diff")
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
	whole := Block("diff", strings.Join(lines, "\n"))
	if len(limit) == 0 {
		return whole
	}
	return Block("diff", strings.Join(limit, "\n")) + "\n<details><summary>" +
		p.Say("page.complete-difference-two") + "</summary>\n\n" +
		whole + "\n</details>\n\n"
}

func changed(l string) bool { return strings.HasPrefix(l, "-") || strings.HasPrefix(l, "+") }
