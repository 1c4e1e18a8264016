//go:build linux

package native

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestServersThatRunAlreadyAreFoundByTheirPortsAndLeftRunning(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	site := mustUp(t, opts, servers)
	adopted, err := Adopt(t.Context(), Options{Root: root, AdoptedCPUs: map[string]float64{"nginx-1000": 0.5}}, servers)
	labtest.Check(t, err)
	for _, s := range servers {
		if got, want := adopted.Pids(s.Name), site.Pids(s.Name); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s has pids %v, want %v", s.Name, got, want)
		}
	}
	if cpus := adopted.CPUs("nginx-1000"); cpus == nil || *cpus != 0.5 {
		t.Errorf("the budget that was given is %v, want 0.5", cpus)
	}
	if cpus := adopted.CPUs("backend"); cpus != nil {
		t.Errorf("the backend's budget is %v, want none", *cpus)
	}
	labtest.Check(t, adopted.Down(t.Context()))
	if err := site.Alive(); err != nil {
		t.Errorf("down of what was adopted stopped it: %v", err)
	}
	die(t, servers[0].Counters)
	eventually(t, "the death of an adopted server is noticed", func() bool { return adopted.Alive() != nil })
	if err := adopted.Alive(); !strings.Contains(err.Error(), "nginx-1000") {
		t.Errorf("error %q doesn't name nginx-1000", err)
	}
}

func TestAServerThatIsNotThereCannotBeAdopted(t *testing.T) {
	root := newRoot(t)
	servers, _ := topology(t, root, "")
	_, err := Adopt(t.Context(), Options{Root: root}, servers)
	if err == nil || !strings.Contains(err.Error(), "backend") || !strings.Contains(err.Error(), servers[1].Front) {
		t.Errorf("error %v, want one that names the backend and its address", err)
	}
}

// An ordinary user may not run a program of another container, so the engine has asked nginx before.
func TestAnAdoptedNginxIsRecordedAsTheEnginesAnswerSays(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	mustUp(t, opts, servers)
	good := Account{Version: "nginx version: nginx/1.31.4\n",
		Config: "# configuration file " + root + "/nginx/keepalive-1000.conf:\n"}
	for _, c := range []struct {
		name          string
		account       Account
		version, warn string
	}{
		{"asked", good, "1.31.4", ""},
		{"refused", Account{Problem: "docker compose exec: no such container"}, "", "no such container"},
		{"not asked", Account{}, "", "nginx printed no version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			adopted, err := Adopt(t.Context(), Options{Root: root, Accounts: map[string]Account{"nginx-1000": c.account}},
				servers)
			labtest.Check(t, err)
			records, err := adopted.Records(t.Context(), dir)
			labtest.Check(t, err)
			i := slices.IndexFunc(records, func(r facts.ServerRecord) bool { return r.Name == "nginx-1000" })
			if got := records[i]; got.Version != c.version || (got.Effective == "") != (c.warn != "") {
				t.Errorf("recorded %+v", got)
			}
			said := strings.Join(adopted.Warnings(), "\n")
			if !strings.Contains(said, c.warn) || (said == "") != (c.warn == "") {
				t.Errorf("warnings %q, want %q", said, c.warn)
			}
			if c.warn != "" {
				return
			}
			text, err := os.ReadFile(filepath.Join(dir, records[i].Effective))
			if want := "# configuration file ROOT/nginx/keepalive-1000.conf:\n"; err != nil || string(text) != want {
				t.Errorf("its configuration: %q, %v, want %q", text, err, want)
			}
		})
	}
}
