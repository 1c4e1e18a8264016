package nginxconf

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"h2lab/internal/field/lint"
)

// longestWord is NGX_CONF_BUFFER: nginx gives up on a longer word, most often
// one that misses its closing quote.
const longestWord = 4096

// mostWords bounds one directive.
const mostWords = 100_000

// Word is one word of a directive, without its quotes.
type Word struct {
	Text         string
	Line, Column int
	Quoted       bool
}

// statement is what stands between two ends: words and `;`, words and `{`, or
// `}` alone. end is 0 at the end of the file.
type statement struct {
	words  []Word
	end    byte
	endsAt int // the line of end
	from   int // offset of the first word
	to     int // offset of end
}

// scanner reads statements. Its fields are the variables of nginx's reader.
type scanner struct {
	file       string
	data       []byte
	pos        int
	line       int
	counted    int // offset up to which the line's characters are counted
	characters int
}

func newScanner(f lint.File) *scanner { return &scanner{file: f.Name, data: f.Data, line: 1} }

func (s *scanner) fail(line int, format string, args ...any) error {
	return &lint.SyntaxError{File: s.file, Line: line, What: fmt.Sprintf(format, args...)}
}

func (s *scanner) newline() {
	s.line++
	s.counted, s.characters = s.pos, 0
}

// column is the place of pos in its line, in characters, from 1.
func (s *scanner) column() int {
	s.characters += utf8.RuneCount(s.data[s.counted:s.pos])
	s.counted = s.pos
	return s.characters + 1
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// next reads one statement.
func (s *scanner) next() (statement, error) {
	var st statement
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
			if len(st.words) == 0 {
				return st, s.fail(s.line, "unexpected %q: no directive stands before it", c)
			}
			return s.ended(st, c), nil
		case c == '}':
			if len(st.words) > 0 {
				return st, s.fail(s.line, "unexpected \"}\": %q in line %d doesn't end with \";\"", clip(st.words[0].Text), st.words[0].Line)
			}
			return s.ended(st, c), nil
		default:
			if len(st.words) == 0 {
				st.from = s.pos
			}
			w, err := s.word()
			if err != nil {
				return st, err
			}
			if st.words = append(st.words, w); len(st.words) > mostWords {
				return st, s.fail(s.line, "%q in line %d has more than %d words", clip(st.words[0].Text), st.words[0].Line, mostWords)
			}
		}
	}
	if len(st.words) > 0 {
		return st, s.fail(s.line, "unexpected end of file: %q in line %d doesn't end with \";\"", clip(st.words[0].Text), st.words[0].Line)
	}
	return st, nil
}

func (s *scanner) ended(st statement, by byte) statement {
	st.end, st.endsAt, st.to = by, s.line, s.pos
	s.pos++
	return st
}

func (s *scanner) skipComment() {
	for s.pos < len(s.data) && s.data[s.pos] != '\n' {
		s.pos++
	}
}

// word reads one word. The end of it, a space, `;` or `{`, is left to next.
func (s *scanner) word() (Word, error) {
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

// step goes over c, and over the byte after it when c is a backslash, whatever
// that is.
func (s *scanner) step(c byte) {
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

// quoted reads to the closing quote. After it nginx wants a space, an end, or
// the `)` of an `if ("$a" = "b")`, which begins a word of its own.
func (s *scanner) quoted(w Word, quote byte) (Word, error) {
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

func (s *scanner) taken(w Word, from, to int) (Word, error) {
	if to-from > longestWord {
		return w, s.fail(w.Line, "a word of more than %d bytes begins in column %d", longestWord, w.Column)
	}
	w.Text = unescape(string(s.data[from:to]))
	return w, nil
}

// unescape does to a word what nginx does when it copies it.
func unescape(s string) string {
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

// clip bounds what an error repeats.
func clip(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "?")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
