package workshop

import (
	_ "embed"
	"strings"
	"sync"
)

// These files have a text and, on the line below it, its translation; an empty line separates two texts.
var (
	//go:embed text/hints.zh.txt
	hintsInChinese string
	//go:embed text/start.zh.txt
	startInChinese string

	chineseHints = sync.OnceValue(func() map[string]string { return pairs(hintsInChinese) })
)

func pairs(text string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		english, chinese, _ := strings.Cut(pair, "\n")
		out[english] = strings.TrimSpace(chinese)
	}
	return out
}

// ChineseHint is Hint in Chinese. A hint without a translation stays English.
func (e Exercise) ChineseHint(f Finding, strength int) (string, error) {
	english, err := e.Hint(f, strength)
	if err != nil || f.State == Done {
		return english, err
	}
	chinese, ok := chineseHints()[e.Hints[f.State][strength-1]]
	switch {
	case !ok:
		return english, nil
	case strings.HasSuffix(chinese, "？"):
		return chinese, nil
	}
	return chinese + "。", nil
}

// LayOutChinese is LayOut with the remarks of the files in Chinese. Names and headings that the checks read stay.
func LayOutChinese(root string) (made, kept []string, err error) {
	return layOut(root, pairs(startInChinese))
}

// translated replaces the lines that have a translation, and keeps their indentation.
func translated(text []byte, words map[string]string) []byte {
	if words == nil {
		return text
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		if zh, ok := words[bare]; ok && bare != "" {
			lines[i] = strings.Replace(line, bare, zh, 1)
		}
	}
	return []byte(strings.Join(lines, "\n"))
}
