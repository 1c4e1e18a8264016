package translations

import (
	"fmt"
	"strings"
)

// Language is one that a report is written in, as HTML's lang attribute has
// it. The zero value is English.
type Language string

// The languages of a report.
const (
	English Language = "en"
	Chinese Language = "zh-CN"
)

// Phrase is an English format string.
type Phrase string

// Say formats a phrase in a language. A phrase without arguments is taken as it
// stands, its per cent signs with it.
func (l Language) Say(p Phrase, args ...any) string {
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
func (l Language) List(items []string) string { return strings.Join(items, l.Say(", ")) }

// chinese is every translation; the tables stand in files of their own, one for
// each room that speaks.
var (
	tables  = []map[Phrase]string{chineseVerdicts, chineseRules, chineseCures, chineseReport, chineseColumns}
	chinese = merged(tables)
)

func merged(tables []map[Phrase]string) map[Phrase]string {
	out := map[Phrase]string{}
	for _, t := range tables {
		for k, v := range t {
			out[k] = v
		}
	}
	return out
}
