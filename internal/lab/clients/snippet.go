package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"h2lab/internal/facts"
)

// The marks before and after a snippet, in a comment of the file's language.
const (
	snippetBegin = "snippet:"
	snippetEnd   = "snippet:end"
)

// languages are the names after Markdown's fences, by file extension.
var languages = map[string]string{
	".go": "go", ".java": "java", ".js": "js", ".mjs": "js", ".py": "python", ".rs": "rust", ".c": "c",
	".yaml": "yaml", ".yml": "yaml", ".conf": "nginx", ".sh": "sh", ".json": "json", ".toml": "toml",
}

// readSnippet reads the lines of FILE between the two marks, without their common indentation.
func readSnippet(dir, where string) (facts.Snippet, error) {
	file, mark, ok := strings.Cut(where, "#")
	if !ok || mark == "" || mark == "end" || !filepath.IsLocal(file) {
		return facts.Snippet{}, fmt.Errorf("snippet %q is not FILE#MARK", where)
	}
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return facts.Snippet{}, fmt.Errorf("its snippet: %w", err)
	}
	lines, err := between(strings.Split(string(b), "\n"), mark)
	if err != nil {
		return facts.Snippet{}, fmt.Errorf("%s: %w", file, err)
	}
	return facts.Snippet{
		File:     file,
		Language: languages[filepath.Ext(file)],
		Text:     strings.Join(dedent(lines), "\n"),
	}, nil
}

func between(lines []string, mark string) ([]string, error) {
	begin := -1
	for i, line := range lines {
		_, after, found := strings.Cut(line, snippetBegin)
		words := strings.Fields(after)
		switch {
		case begin < 0 && found && len(words) > 0 && words[0] == mark:
			begin = i + 1
		case begin >= 0 && strings.Contains(line, snippetEnd):
			if i == begin {
				return nil, fmt.Errorf("there is no line between %s%s and %s", snippetBegin, mark, snippetEnd)
			}
			return lines[begin:i], nil
		}
	}
	if begin < 0 {
		return nil, fmt.Errorf("no line has %s%s", snippetBegin, mark)
	}
	return nil, fmt.Errorf("no %s follows %s%s", snippetEnd, snippetBegin, mark)
}

func dedent(lines []string) []string {
	common := -1
	for _, line := range lines {
		if text := strings.TrimLeft(line, " \t"); text != "" {
			if n := len(line) - len(text); common < 0 || n < common {
				common = n
			}
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(line[min(max(common, 0), len(line)):], " \t\r")
	}
	return out
}
