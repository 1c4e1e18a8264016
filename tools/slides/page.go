package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// language is a language of the slides.
type language struct {
	tag, text, file, title string
	// start and over are the texts of the exercises' countdown.
	start, over string
}

var languages = []language{
	{tag: "en", text: "slides.md", file: "slides.html", title: "Who used up my connection?",
		start: "min · T starts", over: "time is up"},
	{tag: "zh-CN", text: "zh/slides.md", file: "slides.zh.html", title: "谁用完了我的连接？",
		start: "分钟 · 按 T 开始", over: "时间到"},
}

//go:embed page.html
var pageHTML string

//go:embed deck.css
var deckCSS string

//go:embed deck.js
var deckJS string

// revealDir has reveal.js's built files after `npm ci`.
const revealDir = "tools/slides/node_modules/reveal.js/dist"

// page returns the slides of a language as one file.
func (l language) page(root string) ([]byte, error) {
	slides, err := parse(filepath.Join(root, workshopDir, l.text))
	if err != nil {
		return nil, err
	}
	data := map[string]any{"Lang": l.tag, "Title": l.title, "Start": l.start, "Over": l.over, "Slides": slides,
		"CSS": deckCSS, "Script": deckJS}
	total := 0
	for _, s := range slides {
		total += s.Seconds
	}
	data["Seconds"] = total
	for key, file := range map[string]string{"RevealCSS": "reveal.css", "Reveal": "reveal.js", "Notes": "plugin/notes.js"} {
		b, err := os.ReadFile(filepath.Join(root, revealDir, file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reveal.js isn't here: %w; next: make slides", err)
		}
		if err != nil {
			return nil, err
		}
		data[key] = inScript(string(b))
	}
	var out bytes.Buffer
	// text/template: every part is the project's own text or code, and html/template rejects scripts inside scripts.
	if err := template.Must(template.New("page").Parse(pageHTML)).Execute(&out, data); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// inScript makes a program's text safe inside an element: the plugin has the speaker's page, with its
// scripts, as a string, and </script> in it would end the element (HTML, 4.12.1.3).
func inScript(code string) string {
	return strings.NewReplacer("</script", `<\/script`, "<!--", `\x3C!--`, "</style", `<\/style`).Replace(code)
}
