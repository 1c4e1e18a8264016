package counters

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	labtest.Check(t, err)
}

// Two nginx servers write to one log; each source counts the new lines of its own port.
func TestConnectionsThatAreUsedUpAreCountedForEachServerApart(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "hundreds.log")
	appendTo(t, log, "18101 1000\n18101 1000\n")
	server := facts.Server{Name: "nginx-1000", Kind: facts.Nginx, Front: "127.0.0.1:18101", HundredsLog: "hundreds.log",
		Counters: page(t, 200, fixture(t, "stub_status.txt"))}
	src := open(t, dir, server)
	if got := UsedUp(read(t, src), server, 1000); got == nil || *got != 0 {
		t.Errorf("what others left is counted: %v", got)
	}
	appendTo(t, log, "18101 100\n18101 1000\n18111 1000\n18101 10")
	if got := UsedUp(read(t, src), server, 1000); got == nil || *got != 1 {
		t.Errorf("one connection was used up, counted %v", got)
	}
	appendTo(t, log, "00\n18101 900\n")
	o := read(t, src)
	for limit, want := range map[int]int64{1000: 2, 900: 1, 100: 1, 800: 0} {
		if got := UsedUp(o, server, limit); got == nil || *got != want {
			t.Errorf("limit %d: %v were used up, want %d", limit, got, want)
		}
	}
	for _, limit := range []int{0, 7, 1001, 250} {
		if got := UsedUp(o, server, limit); got != nil {
			t.Errorf("limit %d isn't in the log, but %d are counted", limit, *got)
		}
	}
	if got := Closed(o, server); got == nil || *got != 17 {
		t.Errorf("%v closed of 20 accepted with 3 active", got)
	}
}

func TestALogOfCountedRequestsThatIsNotThereIsNamed(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir, facts.Server{
		Name:        "nginx-1000",
		Kind:        facts.Nginx,
		Front:       "127.0.0.1:18101",
		HundredsLog: "var/hundreds.log",
	})
	if err == nil || !strings.Contains(err.Error(), "var/hundreds.log") || !strings.Contains(err.Error(), "make up") {
		t.Errorf("error %v", err)
	}
}

func TestWhatAServerDoesNotCountIsNotKnown(t *testing.T) {
	envoy := facts.Server{Name: "envoy", Kind: facts.Envoy, Counters: page(t, 200, fixture(t, "envoy.prom"))}
	o := read(t, open(t, "", envoy))
	if got := UsedUp(o, envoy, 1000); got != nil {
		t.Errorf("Envoy counts requests and not connections there, and %d are given", *got)
	}
	if got := Closed(o, envoy); got == nil || *got != 6 {
		t.Errorf("%v closed, want 6", got)
	}
	backend := facts.Server{Name: "backend", Kind: facts.Backend}
	if UsedUp(facts.Observation{}, backend, 1000) != nil || Closed(facts.Observation{}, backend) != nil {
		t.Error("something is known of a backend that counts neither")
	}
}

// The map in nginx's configurations and the function logged must agree.
func TestEveryConfigurationLogsTheRequestsThatAreRead(t *testing.T) {
	configs, _ := filepath.Glob("../../../nginx/*.conf")
	if len(configs) < 5 {
		t.Fatalf("only %q", configs)
	}
	block := regexp.MustCompile(`(?s)map \$connection_requests \$counted_request \{(.*?)\}`)
	for _, name := range configs {
		text, err := os.ReadFile(name)
		labtest.Check(t, err)
		found := block.FindSubmatch(text)
		if found == nil {
			t.Errorf("%s: no map of counted requests", name)
			continue
		}
		if got, want := strings.Join(strings.Fields(string(found[1])),
			" "), "10 1; 20 1; 50 1; ~00$ 1; default 0;"; got != want {
			t.Errorf("%s: the map is %q, want %q", name, got, want)
		}
	}
	for n, want := range map[int]bool{10: true, 20: true, 50: true, 100: true, 99900: true, 1: false, 30: false,
		150: false, 1001: false} {
		if logged(n) != want {
			t.Errorf("request %d: logged %t", n, !want)
		}
	}
}
