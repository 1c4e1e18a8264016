//go:build linux

package native

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

const nginxText = `# keeps the limit in words
http {
    server {
        listen 18101 ssl http2;
        keepalive_requests 1000; # the limit
        server_name nginx-1000;
    }
}
`

func TestDeriveChangesExactlyTheMarkedLine(t *testing.T) {
	for _, c := range []struct {
		server   facts.Server
		text     string
		from, to string
		derived  string
		linked   bool
	}{
		{facts.Server{Name: "nginx-1000", Kind: facts.Nginx, Config: "nginx/keepalive-1000.conf"}, nginxText,
			"        keepalive_requests 1000; # the limit", "        keepalive_requests 100; # the limit",
			"var/nginx/keepalive-100.conf", true},
		{facts.Server{Name: "nginx-1000-envoy", Kind: facts.Nginx, Config: "nginx/keepalive-1000-envoy.conf"},
			nginxText,
			"        keepalive_requests 1000; # the limit", "        keepalive_requests 100; # the limit",
			"var/nginx/keepalive-100-envoy.conf", true},
		{facts.Server{Name: "envoy-1000", Kind: facts.Envoy, Config: "envoy/max-requests-1000.yaml"},
			"a: 1000\nmax_requests_per_connection: 1000 # the limit\n",
			"max_requests_per_connection: 1000 # the limit", "max_requests_per_connection: 100 # the limit",
			"var/envoy/max-requests-100.yaml", false},
	} {
		root := t.TempDir()
		write(t, root, c.server.Config, c.text)
		got, err := Derive(root, c.server, 100, false)
		labtest.Check(t, err)
		if got.Config != c.derived || got.Name != c.server.Name {
			t.Errorf("%s: derived %s for %s, want %s", c.server.Name, got.Config, got.Name, c.derived)
		}
		text, err := os.ReadFile(filepath.Join(root, got.Config))
		labtest.Check(t, err)
		if want := strings.Replace(c.text, c.from, c.to, 1); string(text) != want || want == c.text {
			t.Errorf("%s: derived\n%s\nwant\n%s", c.server.Name, text, want)
		}
		if to, _ := os.Readlink(filepath.Join(root, certsLink)); (to == "../certs") != c.linked {
			t.Errorf("%s: var/certs leads to %q, linked should be %v", c.server.Name, to, c.linked)
		}
		labtest.Check(t, undoDerive(root, []string{got.Config}))
		left, err := os.ReadDir(filepath.Join(root, "var"))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: after it was undone var/ holds %v (%v)", c.server.Name, left, err)
		}
	}
}

func TestDeriveRefusesWhatItCannotChangeForSure(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"no marked line":          {"keepalive_requests 1000;\n", 100, "no line ends with"},
		"two marked lines":        {"a 1; # the limit\nb 2; # the limit\n", 100, "lines 1 and 2"},
		"a mark without a number": {"keepalive_requests off; # the limit\n", 100, "line 1 has no number"},
		"a limit of 0":            {nginxText, 0, "must be 1 or more"},
		"a negative limit":        {nginxText, -1, "must be 1 or more"},
	} {
		root := t.TempDir()
		s := facts.Server{Name: "nginx-1000", Kind: facts.Nginx, Config: "nginx/keepalive-1000.conf"}
		write(t, root, s.Config, c.text)
		if _, err := Derive(root, s, c.limit, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestOnlyConfigurationsBelowVarAreRemoved(t *testing.T) {
	root := t.TempDir()
	write(t, root, "nginx/keepalive-1000.conf", nginxText)
	for _, path := range []string{"nginx/keepalive-1000.conf", "var/../nginx/keepalive-1000.conf", "../x",
		"/etc/hosts"} {
		err := undoDerive(root, []string{path})
		if _, gone := os.Stat(filepath.Join(root, "nginx/keepalive-1000.conf")); gone != nil {
			t.Fatalf("%s was removed", path)
		}
		if err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}

func TestTheLimitIsMeantForServersWithTheWord1000(t *testing.T) {
	for name, want := range map[string]bool{"nginx-1000": true, "nginx-1000-envoy": true, "envoy-1000": true,
		"nginx-100000": false, "envoy": false, "backend": false} {
		if got := CarriesLimit(facts.Server{Name: name}, 100); got != want {
			t.Errorf("%s carries the low limit: %v, want %v", name, got, want)
		}
	}
}

func TestALimitThatALearnerMeasuresIsNeitherInAFileNorInACommandLine(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	opts.Limit, opts.HideLimit, opts.State = 97, true, filepath.Join(root, StateFile)
	site := mustUp(t, opts, servers)
	if !Hides(site.Servers()[1]) || Hides(site.Servers()[0]) || Hides(servers[0]) {
		t.Errorf("the servers %+v don't tell which of them hides its limit", site.Servers())
	}
	for _, pid := range site.Pids("nginx-1000") {
		if line := strings.Join(proc.Args(pid), " "); strings.Contains(line, "-97") || !strings.Contains(line, "-own") {
			t.Errorf("the command line %q", line)
		}
	}
	shows := regexp.MustCompile(`-97\b|keepalive_requests`)
	err := filepath.WalkDir(filepath.Join(root, "var"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if rel, _ := filepath.Rel(root, path); shows.MatchString(rel) || shows.Match(text) {
			t.Errorf("%s shows the limit:\n%s", rel, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	again, err := Load(filepath.Join(root, StateFile))
	if err != nil || !Hides(again.Servers()[1]) {
		t.Errorf("the state file doesn't tell that the limit is hidden: %v", err)
	}
}

func TestAHiddenLimitLeavesNothingWhereTheServerDoesNotStart(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "dies")
	opts.Limit, opts.HideLimit = 97, true
	if _, err := Up(t.Context(), opts, servers); err == nil || strings.Contains(err.Error(), "-97") {
		t.Errorf("error %v, want one without the limit", err)
	}
	nothingLeft(t, root, servers)
}
