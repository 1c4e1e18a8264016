package main

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe/document"
	"h2lab/internal/field/trace"
)

var updateChinese = flag.Bool("update-zh", false, "write the golden files of Chinese output")

// pasted are lines of configurations and commands.
var pasted = regexp.MustCompile("(?m)^(?:下一步：|next: |    )[^`\n]*$")

// sameIn compares what is printed in both languages: the numbers are the same, and no English is left.
func sameIn(t *testing.T, name, english, chinese string) {
	t.Helper()
	labtest.SameFigures(t, name, english, pasted.ReplaceAllString(chinese, "`$0`"))
}

func chineseGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "zh", name)
	if *updateChinese {
		labtest.Write(t, path, got)
	}
	// A bracket may stand at the beginning of a line within a label's text.
	for _, place := range labtest.Misset(strings.ReplaceAll(got, "\n             （", "（")) {
		t.Errorf("%s: %s", name, place)
	}
	if diff := cmp.Diff(labtest.Read(t, path), got); diff != "" {
		t.Errorf("%s (-want +got; -update-zh accepts it):\n%s", path, diff)
	}
}

func readJSON[T any](t *testing.T, path string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(labtest.Read(t, path)), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// hanging are the line ends within the text of a label.
var hanging = regexp.MustCompile(`\n {13}`)

func probed(t *testing.T, e facts.Endpoint, l texts.Language) string {
	t.Helper()
	d, err := document.New(e, document.Traffic{RPS: 900, InFlight: 50}, output.Question{URL: e.URL, Method: "GET"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := d.WriteText(&out, l); err != nil {
		t.Fatal(err)
	}
	return hanging.ReplaceAllString(out.String(), " ")
}

func TestProbeSpeaksChinese(t *testing.T) {
	t.Parallel()
	recorded, _ := filepath.Glob("../../internal/field/family/testdata/*.json")
	if len(recorded) < 40 {
		t.Fatalf("%d recorded endpoints", len(recorded))
	}
	for _, path := range recorded {
		e := readJSON[facts.Endpoint](t, path)
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		sameIn(t, name, probed(t, e, texts.English), probed(t, e, texts.Chinese))
		if slices.Contains([]string{"nginx-1.22-1000", "envoy-500", "node-destroy-300", "nginx-1000-h1"}, name) {
			d, _ := document.New(e, document.Traffic{}, output.Question{URL: e.URL, Method: "GET"})
			var out strings.Builder
			if err := d.WriteText(&out, texts.Chinese); err != nil {
				t.Fatal(err)
			}
			chineseGolden(t, "probe-"+name+".txt", out.String())
		}
	}
}

// What is printed before the probe.
func TestTheAnnouncementIsChinese(t *testing.T) {
	t.Parallel()
	status, _, said := h2lab(t.Context(), "probe", "https://127.0.0.1:1/", "--lang", "zh", "--insecure", "--method", "POST")
	if status != 1 || !strings.HasPrefix(said, "h2lab: --insecure：没有验证证书，响应可能来自任何主机\n") ||
		!strings.Contains(said, "127.0.0.1:1 can't be reached") {
		t.Errorf("%d: %s", status, said)
	}
}

// The frames of a renewal, and what stands above them.
func TestTraceSpeaksChinese(t *testing.T) {
	limit := 1000
	x := facts.FrameTrace{SchemaVersion: 1, URL: "https://h.test/", Address: "192.0.2.1:443", TLS: "TLS 1.3", Limit: &limit,
		Warnings: []facts.Note{facts.NewNote("note.capture-lacks", 3)}, Next: []string{"h2lab probe https://h.test/"},
		Renewal: recorded(t, "repro").Renewals[0]}
	sameIn(t, "trace", trace.Text(x, texts.English), trace.Text(x, texts.Chinese))
	chineseGolden(t, "trace-nginx.txt", trace.Text(x, texts.Chinese))
}

// The lines of watch are translated whole: one that isn't has an English word before its first colon or at all.
func TestWatchSpeaksChinese(t *testing.T) {
	word := regexp.MustCompile(`(?:^|[ ：（(])([a-z]{4,})(?: |$)`)
	for name, c := range map[string]struct {
		accepts, requests int64
		want              string
	}{
		"wasted": {100, 1000, "告警：连接被浪费："}, "used": {1, 1000, "没有告警："}, "quiet": {0, 0, "没有新建连接。"},
		"below nginx's default": {100, 5000, "阈值就是 200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := counting(t, c.accepts, c.requests)
			_, said, errs := h2lab(t.Context(), "watch", h.URL+"/stub_status", "--every", "100ms", "--window", "200ms",
				"--for", "600ms", "--lang", "zh")
			if !strings.Contains(said, c.want) || strings.Contains(errs, "中文") {
				t.Errorf("%s\n%s", said, errs)
			}
			for line := range strings.Lines(said) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "修改：") || strings.HasPrefix(line, "下一步：") || strings.HasPrefix(line, "  ") {
					continue // reasons, commands and configuration lines
				}
				if m := word.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "http") &&
					!slices.Contains([]string{"logs", "nginx"}, m[1]) {
					t.Errorf("%q has %q", line, m[1])
				}
			}
		})
	}
}
