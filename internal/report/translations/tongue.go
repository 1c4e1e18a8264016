package translations

import (
	"fmt"
	"maps"
	"regexp"
	"strings"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Language is a report's language, as a value of HTML's lang attribute. The zero value is English.
type Language string

// The languages of a report.
const (
	English Language = "en"
	Chinese Language = "zh-CN"
)

// Phrase is an English format string.
type Phrase string

// key is a key of the catalogue (internal/base/texts), which a phrase may be too.
var key = regexp.MustCompile(`^[a-z0-9]+\.[a-z0-9-]+$`)

// Say formats a phrase in a language. A phrase without arguments isn't formatted, so it may contain
// per cent signs.
func (l Language) Say(p Phrase, args ...any) string {
	if key.MatchString(string(p)) {
		return texts.Language(l).In(facts.T(string(p), args...))
	}
	words := string(p)
	if l == Chinese {
		if zh, ok := chinese[p]; ok {
			words = zh
		}
	}
	if len(args) == 0 {
		return words
	}
	return fmt.Sprintf(words, args...)
}

// List joins names or clauses: "a, b, c".
func (l Language) List(items []string) string { return strings.Join(items, l.Say("join.list")) }

// chinese contains every translation; the tables are in one file per topic.
var (
	tables = []map[Phrase]string{chineseVerdicts, chineseRules, chineseCures, chineseReport, chineseColumns,
		chineseStory, chineseStoryPage, chineseSweep, chineseSweepPage, chineseClients, chineseOpen, chineseMatters, chineseCharts}
	chinese = merged(tables)
)

func merged(tables []map[Phrase]string) map[Phrase]string {
	out := map[Phrase]string{}
	for _, t := range tables {
		maps.Copy(out, t)
	}
	return out
}
