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

// scanner reads directives. The fields correspond to the variables of nginx's parser.
type scanner struct {
	file       string
	data       []byte
	pos        int
	line       int
	counted    int // the line's characters are counted up to this offset
	characters int
	left       *int // how many more directives are allowed
}

func (s *scanner) fail(line int, format string, args ...any) error {
	return fail(s.file, line, format, args...)
}

// skip moves past n bytes.
func (s *scanner) skip(n int) {
	skipped := s.data[s.pos : s.pos+n]
	if last := bytes.LastIndexByte(skipped, '\n'); last >= 0 {
		s.line += bytes.Count(skipped, []byte("\n"))
		s.counted, s.characters = s.pos+last+1, 0
	}
	s.pos += n
}

// column is the position of pos in its line, in characters, from 1.
func (s *scanner) column() int {
	s.characters += utf8.RuneCount(s.data[s.counted:s.pos])
	s.counted = s.pos
	return s.characters + 1
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// block reads directives into a block, to the `}` that ends it or, at depth 0, to the end of the file.
func (s *scanner) block(in *Directive, depth int) error {
	var words []Word
	from := 0
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case isSpace(c):
			s.skip(1)
		case c == '#':
			s.skipComment()
		case (c == ';' || c == '{') && len(words) == 0:
			return s.fail(s.line, "unexpected %q: no directive stands before it", c)
		case c == ';', c == '{':
			if err := s.directive(in, words, from, depth); err != nil {
				return err
			}
			words = nil
		case c == '}' && len(words) > 0:
			return s.fail(s.line, "unexpected \"}\": %q in line %d doesn't end with \";\"", clip(words[0].Text), words[0].Line)
		case c == '}' && depth == 0:
			return s.fail(s.line, "unexpected \"}\": no block is open")
		case c == '}':
			s.pos++
			return nil
		default:
			if len(words) == 0 {
				from = s.pos
			}
			w, err := s.word()
			if err != nil {
				return err
			}
			if words = append(words, w); len(words) > mostWords {
				return s.fail(s.line, "%q in line %d has more than %d words", clip(words[0].Text), words[0].Line, mostWords)
			}
		}
	}
	if len(words) > 0 {
		return s.fail(s.line, "unexpected end of file: %q in line %d doesn't end with \";\"", clip(words[0].Text), words[0].Line)
	}
	if depth > 0 {
		return s.fail(s.line, "unexpected end of file: the block %q of line %d isn't ended by \"}\"", in.Name, in.Line)
	}
	return nil
}

// directive adds a directive, whose end is next, with its block. The content of a block of Lua is skipped.
func (s *scanner) directive(in *Directive, words []Word, from, depth int) error {
	if *s.left--; *s.left < 0 {
		return s.fail(s.line, "more than %d directives", mostDirectives)
	}
	d := &Directive{Name: words[0].Text, Args: words[1:], File: s.file, Line: words[0].Line, Column: words[0].Column,
		HasBlock: s.data[s.pos] == '{', From: from, To: s.pos + 1, text: bytes.TrimRight(s.data[from:s.pos], " \t\r\n")}
	if depth > 0 {
		d.Parent = in
	}
	in.Block = append(in.Block, d)
	s.pos++
	switch {
	case !d.HasBlock:
		return nil
	case IsLua(d.Name):
		return s.skipLua(d.Name)
	case takesNoBlock.MatchString(d.Name):
		return s.fail(d.Line, "unexpected \"{\": %q takes no block", d.Name)
	case depth+1 >= deepestBlock:
		return s.fail(d.Line, "blocks are nested deeper than %d", deepestBlock)
	}
	return s.block(d, depth+1)
}

// takesNoBlock matches usual directives that end with `;` in every block. A `{` after one is a missing `;` or a placeholder
// that nobody replaced; without this check the error names the end of the file.
var takesNoBlock = regexp.MustCompile(`^(listen|server_name|root|proxy_(pass|set_header)|add_header|return|rewrite|try_files|` +
	`(access|error)_log|include|user|pid|worker_(processes|connections)|ssl_certificate(_key)?|keepalive_(requests|timeout))$`)

func (s *scanner) skipComment() {
	for s.pos < len(s.data) && s.data[s.pos] != '\n' {
		s.pos++
	}
}

// bare and quoted match words. A backslash takes the next character, and ${ begins no block.
var (
	bare   = regexp.MustCompile(`(?s)\A(?:\\.|\$\{|[^ \t\r\n;{\\]|\\\z)+`)
	quoted = regexp.MustCompile(`(?s)\A(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)
)

// word reads one word. block reads its end: a space, `;` or `{`. Behind a quote nginx requires one of these, or the `)` of an
// `if ("$a" = "b")`, which begins a new word.
func (s *scanner) word() (Word, error) {
	w := Word{Line: s.line, Column: s.column()}
	rest := s.data[s.pos:]
	text := bare.Find(rest)
	if w.Quoted = rest[0] == '"' || rest[0] == '\''; w.Quoted {
		text = quoted.Find(rest)
		if text == nil || len(text) > longestWord+2 {
			return w, s.fail(w.Line, "the string that begins in column %d has no closing %c", w.Column, rest[0])
		}
	}
	s.skip(len(text))
	switch {
	case !w.Quoted:
	case s.pos < len(s.data) && !isSpace(s.data[s.pos]) && bytes.IndexByte([]byte(";{)"), s.data[s.pos]) < 0:
		return w, s.fail(s.line, "unexpected %q after a closing quote", s.data[s.pos])
	default:
		text = text[1 : len(text)-1]
	}
	if len(text) > longestWord {
		return w, s.fail(w.Line, "a word of more than %d bytes begins in column %d", longestWord, w.Column)
	}
	w.Text = Unescape(string(text))
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
func (s *scanner) skipLua(name string) error {
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
	s.skip(len(s.data) - len(rest) - s.pos)
	return nil
}
