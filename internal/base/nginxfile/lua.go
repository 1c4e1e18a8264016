package nginxfile

import "strings"

// IsLua reports whether a block holds Lua instead of directives, by the suffix that OpenResty's
// lua-nginx-module uses for all of them.
func IsLua(name string) bool { return strings.HasSuffix(name, "_by_lua_block") }

// skipLua moves past the `}` that ends a block of Lua. Braces in Lua's strings and comments don't
// count (Lua 5.1 reference manual, section 2.1).
func (s *Scanner) skipLua(name string) error {
	line, depth := s.line, 1
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '\n':
			s.pos++
			s.newline()
		case c == '"' || c == '\'':
			s.skipLuaString(c)
		case strings.HasPrefix(string(s.ahead(2)), "--"):
			s.pos += 2
			if !s.skipLongBracket() {
				s.skipComment()
			}
		case c == '[':
			if !s.skipLongBracket() {
				s.pos++
			}
		case c == '{':
			depth++
			s.pos++
		case c == '}':
			s.pos++
			if depth--; depth == 0 {
				return nil
			}
		default:
			s.pos++
		}
	}
	return s.fail(line, "the Lua of %q isn't ended by \"}\"", name)
}

func (s *Scanner) ahead(n int) []byte { return s.data[s.pos:min(s.pos+n, len(s.data))] }

// skipLuaString ends at the end of the line too: Lua rejects a string that continues there.
func (s *Scanner) skipLuaString(quote byte) {
	s.pos++
	for s.pos < len(s.data) && s.data[s.pos] != quote && s.data[s.pos] != '\n' {
		s.step(s.data[s.pos])
	}
	if s.pos < len(s.data) && s.data[s.pos] == quote {
		s.pos++
	}
}

// skipLongBracket moves past [[…]] or [=[…]=] when one begins here.
func (s *Scanner) skipLongBracket() bool {
	at := s.pos
	if at >= len(s.data) || s.data[at] != '[' {
		return false
	}
	for at++; at < len(s.data) && s.data[at] == '='; at++ {
	}
	if at >= len(s.data) || s.data[at] != '[' {
		return false
	}
	closing := "]" + strings.Repeat("=", at-s.pos-1) + "]"
	for s.pos = at + 1; s.pos < len(s.data); {
		if string(s.ahead(len(closing))) == closing {
			s.pos += len(closing)
			return true
		}
		s.pos++
		if s.data[s.pos-1] == '\n' {
			s.newline()
		}
	}
	return true
}
