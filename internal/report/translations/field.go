package translations

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Field translates what a field tool prints: a label, a sentence or some sentences, finished in English. What has no
// translation stays English.
func (l Language) Field(english string) string {
	if l != Chinese {
		return english
	}
	return fieldBook().text(english)
}

// fieldTables are the texts of the field tools; internal/report/translations/zh_field_*.go have them.
var fieldTables = []map[Phrase]string{chineseFieldLabels, chineseCure,
	chineseFamilies, chineseClues, chineseDefaults, chineseEndings, chineseLimits, chineseMeanings, chineseProbe, chineseStops,
	chineseTrace, chineseMachine}

var fieldBook = sync.OnceValue(func() *phrasebook { return newPhrasebook(fieldTexts()) })

// phrasebook has the translations of finished texts: those without arguments by their words, the others by patterns.
type phrasebook struct {
	exact map[string]string
	forms []*lateForm
}

// lateForm is a form whose pattern is compiled when a text can match it: a text has most of the longest part between
// two arguments of one form alone.
type lateForm struct {
	format    Phrase
	chinese   Phrase
	literal   string
	sentences int
	prefix    bool // the last argument may have some sentences
	english   func() *regexp.Regexp
}

func newPhrasebook(table map[Phrase]string) *phrasebook {
	p := &phrasebook{exact: map[string]string{}}
	keys := slices.SortedFunc(maps.Keys(table), func(a, b Phrase) int { return byLength(string(a), string(b)) })
	for _, k := range keys {
		if !formVerb.MatchString(string(k)) {
			p.exact[string(k)] = table[k]
			continue
		}
		literals := formVerb.Split(strings.ReplaceAll(string(k), "%%", "%"), -1)
		p.forms = append(p.forms, &lateForm{
			format:    k,
			chinese:   Phrase(formVerb.ReplaceAllString(table[k], "%${1}s")),
			literal:   slices.MinFunc(literals, byLength),
			sentences: len(sentences(string(k))),
			prefix:    strings.HasSuffix(string(k), ": %s") && !strings.HasPrefix(string(k), "%"),
			english: sync.OnceValue(func() *regexp.Regexp {
				return regexp.MustCompile("^" + pattern(string(k)) + "$")
			}),
		})
	}
	return p
}

// text translates the longest runs of sentences that are known, else clauses between semicolons.
func (p *phrasebook) text(s string) string {
	if zh, ok := p.exact[s]; ok { // a separator may begin or end with a space
		return zh
	}
	core := strings.TrimSpace(listed(s))
	if core == "" {
		return s
	}
	at := len(s) - len(strings.TrimLeft(s, " \n\t"))
	return s[:at] + p.sentences(core) + s[len(strings.TrimRight(s, " \n\t")):]
}

func (p *phrasebook) sentences(s string) string {
	all := sentences(s)
	var out strings.Builder
	for i := 0; i < len(all); {
		zh, n := p.run(all, i, " ")
		if n == 0 {
			zh, n = p.clauses(all[i]), 1
		}
		if i > 0 && !strings.HasSuffix(out.String(), "。") {
			out.WriteByte(' ')
		}
		out.WriteString(zh)
		i += n
	}
	return out.String()
}

// clauses translates the parts of a sentence. A part that is unknown stays as it is.
func (p *phrasebook) clauses(s string) string {
	body, ended := strings.CutSuffix(s, ".")
	all := split(body, "; ")
	var out []string
	known := false
	for i := 0; i < len(all); {
		zh, n := p.run(all, i, "; ")
		known = known || n > 0
		if n == 0 {
			var list bool
			if zh, list = p.list(all[i]); list {
				known = true
			}
			n = 1
		}
		out = append(out, zh)
		i += n
	}
	if !known {
		return s
	}
	zh := strings.Join(out, "；")
	if ended {
		zh += "。"
	}
	return zh
}

// list translates a list, if all of its parts are known; else it stays as it is.
func (p *phrasebook) list(s string) (zh string, ok bool) {
	parts := split(s, ", ")
	for i, part := range parts {
		if parts[i], ok = p.known(part); !ok {
			return s, false
		}
	}
	return strings.Join(parts, "，"), len(parts) > 1
}

// mostParts is how many sentences or clauses a text of the tables has at most.
const mostParts = 8

// run translates the longest run from part i on, and says of how many parts. Only a whole text may have more of them,
// behind a form that ends in any text.
func (p *phrasebook) run(parts []string, i int, separator string) (zh string, n int) {
	for n := len(parts) - i; n > 0; n-- {
		if i > 0 || n < len(parts) {
			n = min(n, mostParts)
		}
		if zh, ok := p.known(strings.Join(parts[i:i+n], separator)); ok {
			return zh, n
		}
	}
	return "", 0
}

// known translates one text as a whole. An argument may be a text of its own.
func (p *phrasebook) known(s string) (string, bool) {
	if zh, ok := p.exact[s]; ok {
		return zh, true
	}
	count := len(sentences(s))
	for _, f := range p.forms {
		if f.sentences != count && !f.prefix || !strings.Contains(s, f.literal) {
			continue
		}
		m := f.english().FindStringSubmatch(s)
		if m == nil || f.swallows(m[1:]) {
			continue
		}
		args := make([]string, len(m)-1)
		for i, v := range m[1:] {
			args[i] = p.text(v)
		}
		return chineseLists(filled(f.chinese, args)), true
	}
	return "", false
}

// swallows reports whether an argument other than a last one has clauses: those of a list are texts of their own.
func (f *lateForm) swallows(args []string) bool {
	if strings.HasSuffix(strings.TrimRight(string(f.format), ")."), "%s") {
		args = args[:len(args)-1]
	}
	return slices.ContainsFunc(args, func(a string) bool { return len(split(a, "; ")) > 1 })
}

// byLength sorts longer texts first.
func byLength(a, b string) int {
	if d := len(b) - len(a); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// quoted is text that was quoted: it has no ends of sentences.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// masked is a text of the same length without what it quotes.
func masked(s string) string {
	return quoted.ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat("q", len(q)) })
}

// split is strings.Split outside of quotes.
func split(s, separator string) (out []string) {
	for part := range strings.SplitSeq(masked(s), separator) {
		out = append(out, s[:len(part)])
		s = strings.TrimPrefix(s[len(part):], separator)
	}
	return out
}

// sentences splits a text after each full stop or question mark that a space follows.
func sentences(s string) (out []string) {
	whole := s
	s = masked(s)
	from := 0
	for i := 0; i+1 < len(s); i++ {
		if (s[i] == '.' || s[i] == '?') && s[i+1] == ' ' {
			out = append(out, whole[from:i+1])
			from = i + 2
		}
	}
	return append(out, whole[from:])
}

// fieldTexts are all texts of the field tools, with the notes of connections.
func fieldTexts() map[Phrase]string {
	return merged(append([]map[Phrase]string{noteForms()}, fieldTables...))
}

// filled puts arguments into a Chinese format, and spaces as Chinese typography has them at the borders of each: one
// between a Chinese character and a letter or a digit, and none between two Chinese characters.
func filled(format Phrase, args []string) string {
	var out strings.Builder
	write := func(part string) {
		left, _ := utf8.DecodeLastRuneInString(out.String())
		right, _ := utf8.DecodeRuneInString(part)
		switch {
		case left == ' ' && (chineseRune(right) || right == ' '):
			trimmed := strings.TrimRight(out.String(), " ")
			if before, _ := utf8.DecodeLastRuneInString(trimmed); chineseRune(before) {
				out.Reset()
				out.WriteString(trimmed)
			}
		case right == ' ' && chineseRune(left):
			if rest := strings.TrimLeft(part, " "); chineseRune(firstRune(rest)) {
				part = rest
			}
		case unicode.Is(unicode.Han, left) && latin(right), latin(left) && unicode.Is(unicode.Han, right):
			out.WriteByte(' ')
		}
		out.WriteString(part)
	}
	from, next := 0, 0
	for _, at := range formVerb.FindAllStringSubmatchIndex(string(format), -1) {
		write(strings.ReplaceAll(string(format[from:at[0]]), "%%", "%"))
		if at[2] >= 0 {
			next = int(format[at[2]+1]-'0') - 1
		}
		write(args[next])
		next++
		from = at[1]
	}
	write(strings.ReplaceAll(string(format[from:]), "%%", "%"))
	return out.String()
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func chineseRune(r rune) bool {
	return unicode.Is(unicode.Han, r) || strings.ContainsRune("，。；：、？！（）“”", r)
}

func latin(r rune) bool { return r < 0x2e80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '%') }

var (
	numberList = regexp.MustCompile("^" + numbers + "$")
	separators = strings.NewReplacer(" to ", " 到 ", ", ", "、", " and ", " 和 ")
)

// listed is a list of numbers with the words that Chinese has for it; other text stays as it is.
func listed(s string) string {
	if numberList.MatchString(s) {
		return separators.Replace(s)
	}
	return s
}
