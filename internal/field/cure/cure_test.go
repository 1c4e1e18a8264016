package cure

import (
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/base/texts"
)

var everyServer = []string{Nginx, Go, Envoy, HAProxy, Apache, H2O, Nghttpx, IngressNginx, Traefik, Caddy}

// A limit has the same number everywhere: enough for the lab's load, and ten times the one that was met.
func TestOneNumber(t *testing.T) {
	for met, want := range map[int]int{0: 100_000, 100: 100_000, 1000: 100_000, 10_000: 100_000, 50_000: 500_000} {
		if got := Requests(met); got != want {
			t.Errorf("%d: %d, want %d", met, got, want)
		}
	}
	for _, server := range []string{Nginx, IngressNginx, Envoy, Nghttpx} {
		changes := RequestLimit(server, 50_000, false)
		if len(changes) == 0 {
			t.Errorf("%s has no change", server)
		}
		for _, c := range changes {
			if !strings.Contains(c.Line.String(), fmt.Sprint(Requests(50_000))) {
				t.Errorf("%s: %s", server, c.Line)
			}
		}
	}
}

// What ends connections by time is never mended with a number of requests.
func TestTimesHaveNoRequestLimit(t *testing.T) {
	for _, server := range everyServer {
		for _, c := range append(Age(server), Idle(server)...) {
			if strings.Contains(strings.ToLower(c.Line.String()), "requests") {
				t.Errorf("%s: %s", server, c.Line)
			}
		}
		if Show(server) == "" {
			t.Errorf("%s: nothing shows its settings", server)
		}
	}
}

// Every change names its configuration, the place in it, the line and the reason, and some cause has it.
func TestChangesAreWhole(t *testing.T) {
	used := map[string]bool{"one-dial": true}
	b := cures()
	for _, of := range []table{b.Limit, b.LimitHTTP1, b.Age, b.Idle, b.Error} {
		for server, names := range of {
			for _, n := range names {
				if used[n] = true; b.Change[n].Line.String() == "" {
					t.Errorf("%s has the change %q, which has no line", server, n)
				}
			}
		}
	}
	for n, c := range b.Change {
		if !used[n] || strings.HasSuffix(c.Line.String(), "\n") ||
			!strings.HasPrefix(texts.English.In(c.Title()), c.For.String()+", "+c.Where.String()+": "+c.Why.String()) {
			t.Errorf("%s: %+v", n, c)
		}
	}
	if RequestLimit("unknown", 1000, false) != nil || Age("unknown") != nil || Idle("unknown") != nil {
		t.Error("an unknown server has changes")
	}
}
