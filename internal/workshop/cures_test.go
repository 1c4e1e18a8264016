package workshop

import (
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// cured judges the configuration that learners begin with, changed, by its text alone.
func cured(t *testing.T, change ...string) Finding {
	t.Helper()
	text := labtest.Read(t, filepath.Join(labtest.Root(t), start, "06", nginxFile))
	d := &Desk{Root: t.TempDir()}
	labtest.Write(t, d.path(6, nginxFile), strings.NewReplacer(change...).Replace(text))
	report, f, err := d.lintCure()
	labtest.Check(t, err)
	if f.State != Done {
		return f
	}
	if f = judgeCure(report); f.State != Done {
		return f
	}
	return judgeAge(report)
}

func TestExercise6TakesEveryRightConfigurationAndNoWrongOne(t *testing.T) {
	const low, inLocation, tls = "    keepalive_requests 100;\n", "            keepalive_requests 100000;\n", "ssl_protocols TLSv1.2 TLSv1.3;"
	high := strings.Replace(low, "100", "100000", 1)
	for _, c := range []struct {
		what   string
		change []string
		want   State
	}{
		{"in http", []string{low, high}, Done},
		{"just enough", []string{low, "keepalive_requests 10000;"}, Done},
		{"in the server", []string{tls, tls + "keepalive_requests 20000;"}, Done},
		{"in http, and the location's removed", []string{low, high, inLocation, ""}, Done},
		{"the largest number", []string{low, "keepalive_requests 4294967295;"}, Done},
		{"on two lines", []string{low, "keepalive_requests\n 100000 ; # mine\n"}, Done},
		{"in quotes", []string{low, `keepalive_requests "100000";`}, Done},
		{"Windows lines", []string{low, high, "\n", "\r\n"}, Done},
		{"an age of two hours", []string{low, high + "keepalive_time 2h;"}, Done},
		{"a low one in the location, which HTTP/2 doesn't read", []string{low, high, "100000;", "100;"}, Done},

		{"as it was", nil, "place"},
		{"one too few", []string{low, "keepalive_requests 9999;", inLocation, ""}, "low"},
		{"more in the location", []string{"100000;", "1000000;"}, "place"},
		{"the server's is lower", []string{low, high, tls, tls + "keepalive_requests 1000;", inLocation, ""}, "low"},
		{"no HTTP/2", []string{low, high, " ssl http2", " ssl"}, "no-http2"},
		{"in a remark", []string{low, "# keepalive_requests 100000;", inLocation, ""}, "low"},
		{"no line, so the default", []string{low, "", inLocation, ""}, "low"},
		{"0", []string{low, "keepalive_requests 0;", inLocation, ""}, "low"},
		{"streams at a time", []string{low, "http2_max_concurrent_streams 100000;", inLocation, ""}, "low"},
		{"an idle time", []string{low, low + "keepalive_timeout 1h;", inLocation, ""}, "low"},
		{"a high limit and an age of a second", []string{low, high + "keepalive_time 1s;"}, "age"},
		{"no semicolon", []string{low, "keepalive_requests 100000\n"}, "syntax"},
		{"another server's", []string{"    # For the counters", "server { listen 127.0.0.1:18163 ssl http2; keepalive_requests 100000; }\n#",
			inLocation, ""}, "low"},
	} {
		finds(t, Exercises[5], c.what, cured(t, c.change...), c.want)
	}
	d := &Desk{Root: t.TempDir()}
	labtest.Write(t, d.path(6, nginxFile), "# nothing\n")
	if _, f, err := d.lintCure(); err != nil || f.State != "syntax" || strings.Contains(says(f), "line 0") {
		t.Errorf("an empty file: %v, %v", f, err)
	}
}
