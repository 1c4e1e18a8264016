package translations

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Recorded translates sentences of a results.json, which were finished in English when the run was
// measured.
func (l Language) Recorded(sentences []string) []string {
	out := make([]string, len(sentences))
	for i, s := range sentences {
		out[i] = l.RecordedOne(s)
	}
	return out
}

// RecordedOne translates one sentence. A summary consists of clauses, each with a form of its own.
// A sentence with a clause of unknown form is shown as it was recorded, with a remark.
func (l Language) RecordedOne(s string) string {
	if l != Chinese || s == "" {
		return s
	}
	if zh, ok := known(s); ok {
		return zh
	}
	body, ended := strings.CutSuffix(s, ".")
	clauses := strings.Split(body, "; ")
	for i, c := range clauses {
		zh, ok := known(c)
		if !ok {
			return "（原文）" + s
		}
		clauses[i] = zh
	}
	out := strings.Join(clauses, "；")
	if ended {
		out += "。"
	}
	return out
}

// Worded translates a recorded name or description, such as a client's. One that has no translation stays as it is,
// without the remark of Recorded.
func (l Language) Worded(s string) string {
	if l == Chinese {
		if zh, ok := known(s); ok {
			return zh
		}
	}
	return s
}

// known translates a sentence whose form is in the tables of recorded texts.
func known(s string) (string, bool) { return matched(s, forms()) }

// matched translates a sentence whose form is among these.
func matched(s string, forms []form) (string, bool) {
	for _, f := range forms {
		m := f.english.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		args := make([]any, len(m)-1)
		for i, v := range m[1:] {
			if zh, ok := matched(v, forms); ok { // a warning may quote another
				v = zh
			}
			args[i] = v
		}
		return chineseLists(fmt.Sprintf(string(f.chinese), args...)), true
	}
	return "", false
}

// form is an English format string as a pattern, and its translation with %s for every verb, since
// the formatted values are copied.
type form struct {
	english *regexp.Regexp
	chinese Phrase
}

// recordedTables contains the forms of recorded texts.
var recordedTables = []map[Phrase]string{chineseRecorded, chineseStoryRecorded, chineseClientsRecorded, chineseTools,
	chinesePrices, chineseTitles}

// forms are compiled when a recorded text is translated, not at the start of every command.
var forms = sync.OnceValue(func() []form { return compiled(merged(recordedTables)) })

var formVerb = regexp.MustCompile(`%[.\d]*(\[\d+\])?[a-z]`)

// compiled sorts longer forms first, so that the most specific one matches.
func compiled(table map[Phrase]string) []form {
	keys := slices.SortedFunc(maps.Keys(table), func(a, b Phrase) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
	var out []form
	for _, k := range keys {
		out = append(out, form{regexp.MustCompile("^" + pattern(string(k)) + "$"),
			Phrase(formVerb.ReplaceAllString(table[k], "%${1}s"))})
	}
	return out
}

// pattern matches what a format string can produce.
func pattern(format string) string {
	var b strings.Builder
	from := 0
	for _, at := range formVerb.FindAllStringIndex(format, -1) {
		b.WriteString(literally(format[from:at[0]]))
		switch format[at[1]-1] {
		case 'd':
			b.WriteString(`(-?\d+)`)
		case 'f':
			b.WriteString(`(-?[\d.]+)`)
		case 'g':
			b.WriteString("(" + numbers + ")")
		default:
			b.WriteString(`(.+?)`)
		}
		from = at[1]
	}
	return b.String() + literally(format[from:])
}

func literally(part string) string { return regexp.QuoteMeta(strings.ReplaceAll(part, "%%", "%")) }

// numbers are one number or several, with units or without: "7", "1,000", "4 to 6, 9 and 12", "4 s to 1m30s".
const numbers = number + `(?:(?:, | and | to )` + number + ")*"

const number = `-?(?:\d[\d.,]*(?: ?(?:µs|ms|min|s|m|h|%))?)+`
