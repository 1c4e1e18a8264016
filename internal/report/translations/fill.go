package translations

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
