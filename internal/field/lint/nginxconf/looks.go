package nginxconf

import (
	"slices"

	"h2lab/internal/base/nginxfile"
	"h2lab/internal/field/lint"
)

// Looks reports whether a file looks like nginx's: the output of `nginx -T`, or a file that nginxfile
// can read and that has one of nginx's directives at the top level. For an incomplete file, the part
// before the break decides.
func Looks(f lint.File) bool {
	if _, ok := nginxfile.Undump(f.Data); ok || nginxfile.Messages(f.Data) {
		return true
	}
	if nginxfile.Check(nginxfile.File(f)) != nil {
		return false
	}
	for s := nginxfile.NewScanner(nginxfile.File(f)); ; {
		st, err := s.Next()
		if err != nil || st.End == 0 {
			return false
		}
		if len(st.Words) > 0 && isOurs(st) {
			return true
		}
	}
}

func isOurs(st nginxfile.Statement) bool {
	name := st.Words[0].Text
	if st.End == '{' {
		return slices.Contains([]string{"http", "events", "server", "upstream", "location", "stream", "mail",
			"map"}, name)
	}
	if st.End != ';' {
		return false
	}
	_, ours := shapes[name]
	return ours || neverArguments[name] || slices.Contains([]string{"user", "worker_processes", "pid", "include"}, name)
}
