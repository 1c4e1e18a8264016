package nginxconf

import (
	"slices"

	"h2lab/internal/field/lint"
)

// Looks reports that a file looks like nginx's: what nginx printed, or a file
// that its reader takes and that has a directive of nginx's at the top. A file
// that breaks off is nginx's when what came before it is.
func Looks(f lint.File) bool {
	if _, ok := undump(f.Data); ok || len(f.Data) > 0 && said.Match(f.Data) {
		return true
	}
	if check(f) != nil {
		return false
	}
	s := newScanner(f)
	for range mostDirectives {
		st, err := s.next()
		if err != nil || st.end == 0 {
			return false
		}
		if len(st.words) > 0 && isOurs(st) {
			return true
		}
	}
	return false
}

func isOurs(st statement) bool {
	name := st.words[0].Text
	if st.end == '{' {
		return slices.Contains([]string{"http", "events", "server", "upstream", "location", "stream", "mail", "map"}, name)
	}
	if st.end != ';' {
		return false
	}
	_, ours := shapes[name]
	return ours || neverArguments[name] || slices.Contains([]string{"user", "worker_processes", "pid", "include"}, name)
}
