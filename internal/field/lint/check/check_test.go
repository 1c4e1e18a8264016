package check

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/lint"
)

// A file that no kind reads is refused with the settings of connections that are in it.
func TestAnUnknownFileIsRefusedWithItsSettings(t *testing.T) {
	for text, want := range map[string]string{
		"web:\n  keepAliveRequests: 100\n": "keepAliveRequests: 100 in line 2",
		"web:\n  replicas: 2\n":            "looks like no configuration of nginx",
	} {
		name := filepath.Join(t.TempDir(), "values.yaml")
		labtest.Check(t, os.WriteFile(name, []byte(text), 0o644))
		if _, err := Run(t.Context(), []string{name}, "", lint.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

var update = flag.Bool("update", false, "write the example of docs/lint-others.md anew")

func TestTheExampleOfTheDocsIsWhatLintPrints(t *testing.T) {
	const page, begin, end = "../../../../docs/lint-others.md", "$ h2lab lint shop.cfg\n", "```\n"
	text, err := os.ReadFile(page)
	labtest.Check(t, err)
	t.Chdir("testdata")
	r, err := Run(t.Context(), []string{"shop.cfg"}, "", lint.Options{})
	labtest.Check(t, err)
	var said strings.Builder
	labtest.Check(t, r.WriteText(&said, texts.English))
	before, rest, _ := strings.Cut(string(text), begin)
	_, after, there := strings.Cut(rest, end)
	if !there {
		t.Fatalf("%s has no example", page)
	}
	want := before + begin + said.String() + end + after
	if *update {
		t.Chdir("..")
		labtest.Check(t, os.WriteFile(page, []byte(want), 0o644))
	} else if want != string(text) {
		t.Errorf("go test -update writes the example anew:\n%s", said.String())
	}
}

// Prompts around a pasted output become spaces, and everything else stays.
func TestPromptsOfAPasteAreNoConfiguration(t *testing.T) {
	const text = "events {}\nhttp { }\n"
	for before, prompted := range map[string]bool{
		"root@web1:~# nginx -T\n":               true,
		"[root@web1 nginx]# cat nginx.conf\n":   true,
		"\n$ sudo cat /etc/nginx/nginx.conf\n":  true,
		"(base) me@host:~$ kubectl get cm -A\n": true,
		"% cat nginx.conf\n":                    true,
		"# cat nginx.conf\n":                    false,
		"user me@host;\n":                       false,
		"$schema: x\n":                          false,
		"":                                      false,
	} {
		for after, also := range map[string]bool{"": false, "me@host:~$ \n": true, "[me@host ~]# ": true, "}": false, "# end\n": false} {
			got := string(pasted([]byte(before + text + after)))
			want := before + text + after
			if prompted {
				want = strings.Repeat("\n", len(before)-len(strings.TrimLeft(before, "\n"))) +
					strings.Repeat(" ", len(strings.Trim(before, "\n"))) + "\n" + text + after
			}
			if also {
				want = want[:len(want)-len(after)] + spaces(after)
			}
			if strings.TrimRight(got, " \n") != strings.TrimRight(want, " \n") || len(got) != len(before+text+after) {
				t.Errorf("%q: %q, want %q", before+text+after, got, want)
			}
		}
	}
}

func spaces(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, s)
}

// The head of a response and the fences of Markdown are no configuration either; a fence alone is the file's own.
func TestWhatStandsAroundAPasteIsNoConfiguration(t *testing.T) {
	for text, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nserver: envoy\r\n\r\n{\"configs\": []}": "{\"configs\": []}",
		"HTTP/2 200\nserver: envoy\n\n{}":                           "{}",
		"HTTP/2 200\nno head {}":                                    "HTTP/2 200\nno head {}",
		"```nginx\nevents {}\n```\n":                                "events {}",
		"# a\n```nginx\nevents {}\n```":                             "# a\n```nginx\nevents {}\n```",
		"```":                                                       "```",
	} {
		got := string(pasted([]byte(text)))
		if strings.TrimSpace(got) != want || len(got) != len(text) || strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A directory without a main file is answered with the files that may be meant.
func TestADirectoryNamesTheFilesThatMayBeMeant(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct {
		want  string
		files []string
	}{
		{"such as a.conf, b.yaml", []string{"a.conf", "b.yaml", "c.txt", "Chart.yaml"}},
		{"such as etc/nginx/nginx.conf", []string{"etc/nginx/nginx.conf", ".git/x/nginx.conf", "a/b/c/d/nginx.conf"}},
		{"such as 1.conf, 2.conf, 3.conf, 4.conf,", []string{"1.conf", "2.conf", "3.conf", "4.conf", "5.conf", "6.conf"}},
		{": name the file", []string{"README"}},
	} {
		faults.Try("lint gets a directory without a main file: "+c.want, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range c.files {
				path := filepath.Join(dir, name)
				labtest.Check(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
			}
			_, err := mainFile(dir, "")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
