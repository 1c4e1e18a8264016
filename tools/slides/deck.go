package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// slide is one slide of a deck.
type slide struct {
	HTML, Notes string
	Seconds     int
	// Exercise is the number of minutes that a countdown on the slide begins with, or 0.
	Exercise int
}

var (
	comment = regexp.MustCompile(`(?s)<!--\s*(.*?)\s*-->\n?`)
	minutes = regexp.MustCompile(`^(minutes|exercise): (\d+)$`)
	image   = regexp.MustCompile(`(src|srcset)="([^"]+)"`)
	title   = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// parse reads a deck. A line of three dashes ends a slide. Of its comments, `minutes: 3` is the slide's
// time, `exercise: 8` is that of a slide with a countdown, `recorded: …` names the source of a number
// and is for tests; all others are the speaker's notes.
func parse(name string) ([]slide, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []slide
	for i, part := range strings.Split(string(text), "\n---\n") {
		if i == 0 { // the file's own comment
			part = part[max(0, strings.Index(part, "\n# ")):]
		}
		s, err := parseSlide(part, filepath.Dir(name))
		if err != nil {
			heading := "without a title"
			if m := title.FindStringSubmatch(part); m != nil {
				heading = strconv.Quote(m[1])
			}
			return nil, fmt.Errorf("%s: slide %d, %s: %w", name, i+1, heading, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func parseSlide(part, dir string) (s slide, err error) {
	var notes []string
	for _, m := range comment.FindAllStringSubmatch(part, -1) {
		n := minutes.FindStringSubmatch(m[1])
		switch {
		case n != nil:
			s.Seconds, err = strconv.Atoi(n[2])
			if err != nil {
				return s, err
			}
			if n[1] == "exercise" {
				s.Exercise = s.Seconds
			}
			s.Seconds *= 60
		case !strings.HasPrefix(m[1], "recorded: "):
			notes = append(notes, m[1])
		}
	}
	if s.Seconds == 0 || len(notes) == 0 {
		return s, fmt.Errorf("it needs a time, <!-- minutes: 2 -->, and a note for the speaker, <!-- … -->")
	}
	if s.HTML, err = convert(comment.ReplaceAllString(part, "")); err != nil {
		return s, err
	}
	if s.Notes, err = convert(strings.Join(notes, "\n\n")); err != nil {
		return s, err
	}
	s.HTML, err = inline(s.HTML, dir)
	return s, err
}

func convert(markdown string) (string, error) {
	var out bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.Table), // WithUnsafe: the text is the project's own
		goldmark.WithRendererOptions(html.WithUnsafe(), html.WithHardWraps()))
	err := md.Convert([]byte(markdown), &out)
	return out.String(), err
}

// inline puts the pictures into the page.
func inline(page, dir string) (string, error) {
	var failed error
	page = image.ReplaceAllStringFunc(page, func(attribute string) string {
		m := image.FindStringSubmatch(attribute)
		if filepath.Ext(m[2]) != ".svg" {
			failed = fmt.Errorf("the picture %s isn't an SVG file", m[2])
			return attribute
		}
		b, err := os.ReadFile(filepath.Join(dir, m[2]))
		if err != nil {
			failed = err
			return attribute
		}
		return m[1] + `="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString(b) + `"`
	})
	return page, failed
}
