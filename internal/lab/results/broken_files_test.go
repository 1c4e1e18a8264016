package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestWhatIsNoResultsFileIsSaidSo(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, sample())
	good, err := os.ReadFile(filepath.Join(dir, File))
	labtest.Check(t, err)
	change := func(f func(map[string]any)) []byte { return altered(t, good, f) }
	for _, c := range []struct {
		name, says string
		data       []byte
	}{
		{"cut off", "is cut off after 100 bytes", good[:100]},
		{"empty", "is empty", []byte("\n")},
		{"a page", "is not JSON: at byte 1", []byte("<html>")},
		{"two documents", "something follows the document", append(bytes.Clone(good), good...)},
		{"another tool's", "no results file of h2lab", []byte(`{"metrics":{}}`)},
		{"a list", "no results file of h2lab", []byte(`[]`)},
		{"version zero", "no results file of h2lab", change(func(m map[string]any) { m["schema_version"] = 0 })},
		{"from the future", "schema_version 7, and this h2lab reads 2: update h2lab",
			[]byte(`{"schema_version":7,"cells":"elsewhere"}`)},
		{"without a part", "missing property 'run'", change(func(m map[string]any) { delete(m, "run") })},
		{"text for a number", "at '/run/trials': got string, want integer",
			change(func(m map[string]any) { m["run"].(map[string]any)["trials"] = "6" })},
		{"null for an array", "at '/cells': got null, want array", change(func(m map[string]any) { m["cells"] = nil })},
		{"no such day", "at '/run/started'",
			change(func(m map[string]any) { m["run"].(map[string]any)["started"] = "yesterday" })},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, File)
		labtest.Write(t, path, string(c.data))
		_, err := Read(dir)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.says)
		}
	}
	more := change(func(m map[string]any) { m["later"] = true; m["run"].(map[string]any)["later"] = []int{1} })
	labtest.Write(t, filepath.Join(dir, File), string(more))
	if _, err := Read(dir); err != nil {
		t.Errorf("fields of a later h2lab: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), `"make repro"`) {
		t.Errorf("missing: %v", err)
	}
}

// Each fault is a file that an older h2lab wrote, or claims to be one.
func TestAnOlderFileIsOneClearSentence(t *testing.T) {
	tried := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range []struct{ name, file, next string }{
		{"a repro of schema_version 1", `{"schema_version":1,"run":{"command":"repro","baseline":""},"cells":[]}`,
			`"make repro"`},
		{"a fixed of schema_version 1", `{"schema_version":1,"run":{"command":"fixed"}}`, `"make fixed"`},
		{"clients of schema_version 1", `{"schema_version":1,"run":{"command":"clients"}}`, `"make clients"`},
		{"schema_version 1 with a made-up command", `{"schema_version":1,"run":{"command":"x; touch y"}}`,
			`"make repro"`},
		{"schema_version 1 without a run", `{"schema_version":1}`, `"make repro"`},
		{"schema_version 1 with a list for its run", `{"schema_version":1,"run":[]}`, `"make repro"`},
	} {
		tried.Try(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, File)
			labtest.Write(t, path, c.file)
			want := path +
				": written with schema_version 1 by an older h2lab, and this one reads 2: measure again with " + c.next
			if _, err := Read(dir); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// altered is a document with a part of it changed.
func altered(t *testing.T, document []byte, f func(map[string]any)) []byte {
	t.Helper()
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber() // a seed may be larger than a float64 holds exactly
	labtest.Check(t, d.Decode(&m))
	f(m)
	out, err := json.Marshal(m)
	labtest.Check(t, err)
	return out
}
