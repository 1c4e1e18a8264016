//go:build linux

package native

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// rewriteState changes a state file.
func rewriteState(t *testing.T, path string, change func(*state)) {
	t.Helper()
	text, err := os.ReadFile(path)
	labtest.Check(t, err)
	var st state
	labtest.Check(t, json.Unmarshal(text, &st))
	change(&st)
	if text, err = json.Marshal(st); err != nil {
		t.Fatal(err)
	}
	labtest.Write(t, path, string(text))
}

func TestRecordsHoldTheServersOwnAccountWithoutTheRoot(t *testing.T) {
	root, dir := newRoot(t), t.TempDir()
	servers, opts := topology(t, root, "")
	site := mustUp(t, opts, servers)
	records, err := site.Records(t.Context(), dir)
	labtest.Check(t, err)
	i := slices.IndexFunc(records, func(r facts.ServerRecord) bool { return r.Name == "nginx-1000" })
	got := records[i]
	if got.Version != "1.22.1" || got.Config != "nginx/keepalive-1000.conf" || got.CPUs != nil {
		t.Errorf("recorded %+v", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, got.Effective))
	labtest.Check(t, err)
	if !strings.HasPrefix(string(text), "# configuration file ROOT/nginx/keepalive-1000.conf:\n") ||
		strings.Contains(string(text), root) {
		t.Errorf("the account begins with %.80q and may not name the root", text)
	}
	if got.EffectiveHash != hash(text) {
		t.Errorf("hash %s, want that of the file", got.EffectiveHash)
	}
	if backend := records[1-i]; !strings.HasPrefix(backend.Version, "go1.") || backend.Effective != "" {
		t.Errorf("the backend is recorded as %+v", backend)
	}
}

func TestOnlyFilesLoseTheRoot(t *testing.T) {
	s := &Site{root: "/lab"}
	got := string(s.withoutRoot([]byte("/lab/nginx/a.conf location = /lab/health /lab/certs/out/ca.crt")))
	if want := "ROOT/nginx/a.conf location = /lab/health ROOT/certs/out/ca.crt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEnvoysAccountIsTheSameForTheSameConfiguration(t *testing.T) {
	load := 0
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/server_info" {
			_, _ = w.Write(
				[]byte(`{"version":"9e5580933739775e8bce696a57a2e1bc99368f23/1.40.0/Clean/RELEASE/BoringSSL"}`),
			)
			return
		}
		load++
		_, _ = w.Write([]byte(`{"configs":[{"bootstrap":{"node":{"extensions":[{"name":"x"}]},"n":1.50},` +
			`"last_updated":"2026-11-21T01:00:0` +
			string(rune('0'+load)) + `Z"}]}`))
	}))
	defer admin.Close()
	addr := strings.TrimPrefix(admin.URL, "http://")
	version, first, err := envoyAccount(t.Context(), addr)
	if err != nil || version != "1.40.0" {
		t.Fatalf("version %q, %v", version, err)
	}
	_, second, err := envoyAccount(t.Context(), addr)
	labtest.Check(t, err)
	if hash(first) != hash(second) {
		t.Errorf("two dumps of one configuration differ:\n%s\n%s", first, second)
	}
	if want := "{\n \"configs\": [\n  {\n   \"bootstrap\": {\n    \"n\": 1.50,\n    \"node\": {}\n   }\n  }\n " +
		"]\n}\n"; string(first) != want {
		t.Errorf("got %s, want %s", first, want)
	}
}
