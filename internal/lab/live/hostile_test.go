package live

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestNothingButEventsLeavesAJournal(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	f.Try("lines of live.ndjson that are no events, or would begin another field of the event stream",
		func(t *testing.T) {
			path := filepath.Join(t.TempDir(), File)
			lines := []string{`<script>`, `{"kind":"toString"}`, `{"kind":"run","id":7}`,
				"{\"kind\":\r\r\"run\",\r\"id\":\"a\"}", "{\"kind\":\"end\"}\revent: x", `{"kind":"end"}`}
			labtest.Write(t, path, strings.Join(lines, "\n")+"\n")
			read := &tail{path: path}
			defer read.close()
			var got []string
			labtest.Check(t, read.read(func(line []byte) error { got = append(got, string(line)); return nil }))
			if want := `{"kind":"run","id":"a","t_ms":0} {"kind":"end","t_ms":0}`; strings.Join(got, " ") != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
}

func TestAJournalIsARegularFile(t *testing.T) {
	f := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range []struct {
		what string
		make func(t *testing.T, path string)
	}{
		{"a named pipe", labtest.Mkfifo},
		{"a symbolic link", func(t *testing.T, path string) { labtest.Symlink(t, "/etc/hostname", path) }},
		{"a directory", func(t *testing.T, path string) {
			labtest.Check(t, os.Mkdir(path, 0o700))
		}},
	} {
		f.Try("live.ndjson is "+c.what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), File)
			c.make(t, path)
			err := (&tail{path: path}).read(func([]byte) error { return nil })
			if err == nil || !strings.Contains(err.Error(), "mv "+path) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAPageOfAnotherOriginIsRefused(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostilePages)
	url := serve(t, nothing, []byte("<p>report"))
	for _, path := range []string{"/", "/events", "/report.html"} {
		f.Try("a page of another origin asks the live page for "+path, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
			labtest.Check(t, err)
			r.Header.Set("Origin", "https://example.invalid")
			a, err := http.DefaultClient.Do(r)
			labtest.Check(t, err)
			defer a.Body.Close()
			if a.StatusCode != http.StatusForbidden {
				t.Errorf("status %d", a.StatusCode)
			}
		})
	}
	a, body := get(t, url+"/report.html", "")
	if a.StatusCode != 200 || body != "<p>report" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the report: %d %q %v", a.StatusCode, body, a.Header)
	}
}

func TestHostileWordsOfARunArePlayedAsJSON(t *testing.T) {
	f := labtest.NewFaults(t, labtest.HostileText)
	f.Try("a run whose words hold HTML, line breaks and terminal controls is played back", func(t *testing.T) {
		evil := "</script><b>\r\n\ndata: x\x1b[31m\u202e"
		c := cell()
		c.Topology = evil
		trial := counted()
		trial.Series, trial.Errors[0].Class = "x", evil
		c.Trials = []facts.Trial{trial}
		r := &facts.Result{Run: facts.Run{ID: evil, Command: evil}, Cells: []facts.Cell{*c}}
		series := func(string) (facts.Series, error) {
			return facts.Series{TMS: []float64{-1, 1}, Accepted: []int64{1, 2}}, nil
		}
		for _, e := range events(t, Replay(r, series, 1, 100), 7) {
			line, err := json.Marshal(e)
			if err != nil || strings.ContainsAny(string(line), "\r\n<>") {
				t.Errorf("%q %v", line, err)
			}
			if e.Kind == Sampled && e.Requests != nil {
				t.Error("a count is made up where the front has none")
			}
		}
	})
}
