package nginxfile

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"h2lab/internal/base/text"
)

// longestWord is NGX_CONF_BUFFER: nginx rejects a longer word, which is usually a missing closing
// quote.
const longestWord = 4096

// mostWords bounds the words of one directive.
const mostWords = 100_000

// Word is one word of a directive, without its quotes.
type Word struct {
	Text         string
	Line, Column int
	Quoted       bool
}

// Statement is words and `;`, words and `{`, or `}` alone. End is 0 at the end of the file.
type Statement struct {
	Words  []Word
	End    byte
	EndsAt int // the line of End
	from   int // offset of the first word
	to     int // offset of End
}

// Scanner reads statements. It skips the content of a Lua block: its `{` ends a statement like any
// other, and its `}` is not reported. The fields correspond to the variables of nginx's parser.
type Scanner struct {
	file       string
	data       []byte
	pos        int
	line       int
	counted    int // the line's characters are counted up to this offset
	characters int
}

func NewScanner(f File) *Scanner { return &Scanner{file: f.Name, data: f.Data, line: 1} }

func (s *Scanner) fail(line int, format string, args ...any) error {
	return fail(s.file, line, format, args...)
}

func (s *Scanner) newline() {
	s.line++
	s.counted, s.characters = s.pos, 0
}

// column is the position of pos in its line, in characters, from 1.
func (s *Scanner) column() int {
	s.characters += utf8.RuneCount(s.data[s.counted:s.pos])
	s.counted = s.pos
	return s.characters + 1
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// Next reads one statement.
func (s *Scanner) Next() (Statement, error) {
	var st Statement
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case isSpace(c):
			s.pos++
			if c == '\n' {
				s.newline()
			}
		case c == '#':
			s.skipComment()
		case c == ';', c == '{':
			if len(st.Words) == 0 {
				return st, s.fail(s.line, "unexpected %q: no directive stands before it", c)
			}
			st = s.ended(st, c)
			if c == '{' && IsLua(st.Words[0].Text) {
				return st, s.skipLua(st.Words[0].Text)
			}
			return st, nil
		case c == '}':
			if len(st.Words) > 0 {
				return st, s.fail(s.line, "unexpected \"}\": %q in line %d doesn't end with \";\"",
					clip(st.Words[0].Text), st.Words[0].Line)
			}
			return s.ended(st, c), nil
		default:
			if len(st.Words) == 0 {
				st.from = s.pos
			}
			w, err := s.word()
			if err != nil {
				return st, err
			}
			if st.Words = append(st.Words, w); len(st.Words) > mostWords {
				return st, s.fail(s.line, "%q in line %d has more than %d words", clip(st.Words[0].Text),
					st.Words[0].Line, mostWords)
			}
		}
	}
	if len(st.Words) > 0 {
		return st, s.fail(s.line, "unexpected end of file: %q in line %d doesn't end with \";\"",
			clip(st.Words[0].Text), st.Words[0].Line)
	}
	return st, nil
}

func (s *Scanner) ended(st Statement, by byte) Statement {
	st.End, st.EndsAt, st.to = by, s.line, s.pos
	s.pos++
	return st
}

func (s *Scanner) skipComment() {
	for s.pos < len(s.data) && s.data[s.pos] != '\n' {
		s.pos++
	}
}

// word reads one word. Next reads its end: a space, `;` or `{`.
func (s *Scanner) word() (Word, error) {
	w := Word{Line: s.line, Column: s.column()}
	if q := s.data[s.pos]; q == '"' || q == '\'' {
		w.Quoted = true
		return s.quoted(w, q)
	}
	from, variable := s.pos, false
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		switch {
		case c == '{' && variable: // ${name}
			s.pos++
			continue
		case isSpace(c), c == ';', c == '{':
			return s.taken(w, from, s.pos)
		}
		variable = c == '$'
		s.step(c)
	}
	return s.taken(w, from, s.pos)
}

// step moves past c, and past the next byte too when c is a backslash.
func (s *Scanner) step(c byte) {
	s.pos++
	if c == '\n' {
		s.newline()
	}
	if c == '\\' && s.pos < len(s.data) {
		s.pos++
		if s.data[s.pos-1] == '\n' {
			s.newline()
		}
	}
}

// quoted reads to the closing quote. nginx then requires a space, an end, or the `)` of an `if
// ("$a" = "b")`, which begins a new word.
func (s *Scanner) quoted(w Word, quote byte) (Word, error) {
	from := s.pos + 1
	s.pos++
	for s.pos < len(s.data) && s.data[s.pos] != quote {
		s.step(s.data[s.pos])
	}
	if s.pos >= len(s.data) || s.pos-from > longestWord {
		return w, s.fail(w.Line, "the string that begins in column %d has no closing %c", w.Column, quote)
	}
	to := s.pos
	s.pos++
	if s.pos < len(s.data) {
		if c := s.data[s.pos]; !isSpace(c) && c != ';' && c != '{' && c != ')' {
			return w, s.fail(s.line, "unexpected %q after a closing quote", c)
		}
	}
	return s.taken(w, from, to)
}

func (s *Scanner) taken(w Word, from, to int) (Word, error) {
	if to-from > longestWord {
		return w, s.fail(w.Line, "a word of more than %d bytes begins in column %d", longestWord, w.Column)
	}
	w.Text = Unescape(string(s.data[from:to]))
	return w, nil
}

// Unescape replaces escapes as nginx does when it copies a word.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if at := strings.IndexByte(`"'\trn`, s[i+1]); at >= 0 {
				b.WriteByte("\"'\\\t\r\n"[at])
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// clip bounds the text that an error quotes.
func clip(s string) string { return text.ClipLine(s, 60) }

// IsLua reports whether a block holds Lua instead of directives, by the suffix that OpenResty's
// lua-nginx-module uses for all of them.
func IsLua(name string) bool { return strings.HasSuffix(name, "_by_lua_block") }

// luaToken matches the braces of Lua, and its comments and strings, in which braces don't count (Lua 5.1 reference
// manual, section 2.1). One that isn't closed goes to the end of the file, or of the line.
var luaToken = regexp.MustCompile(`(?s)(?:--)?(?:\[\[.*?(?:\]\]|\z)|\[=\[.*?(?:\]=\]|\z)|\[==\[.*?(?:\]==\]|\z))|--[^\n]*|` +
	`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[{}]`)

// skipLua moves past the `}` that ends a block of Lua.
func (s *Scanner) skipLua(name string) error {
	rest := s.data[s.pos:]
	for depth := 1; ; {
		at := luaToken.FindIndex(rest)
		if at == nil {
			return s.fail(s.line, "the Lua of %q isn't ended by \"}\"", name)
		}
		switch rest[at[0]] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if rest = rest[at[1]:]; depth == 0 {
			break
		}
	}
	skipped := s.data[s.pos : len(s.data)-len(rest)]
	s.line += bytes.Count(skipped, []byte("\n"))
	s.pos += len(skipped)
	s.counted, s.characters = s.pos-len(skipped)+bytes.LastIndexByte(skipped, '\n')+1, 0
	return nil
}
