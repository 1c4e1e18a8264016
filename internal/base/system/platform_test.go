package system

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"h2lab/internal/base/exitstatus"
)

// table is the table of docs/platforms.md.
func table() string {
	words := map[Way]string{Here: "yes", Docker: "`RUNTIME=docker`", LabContainer: "lab container"}
	out := "| command |"
	for _, s := range Systems {
		out += " " + Name(s) + " |"
	}
	out += "\n|---|" + strings.Repeat("---|", len(Systems)) + "\n"
	for _, verb := range Verbs() {
		if hidden[verb] {
			continue
		}
		out += "| `" + verb + "` |"
		for _, s := range Systems {
			way, _ := On(verb, s)
			out += " " + words[way] + " |"
		}
		out += "\n"
	}
	return out
}

// hidden are the verbs that no user calls: those of the containers, and the one that writes the manual page.
var hidden = map[string]bool{"inside": true, "hold": true, "healthcheck": true, "hand": true, "reach": true,
	"become": true, "man": true}

func TestThePageShowsTheTable(t *testing.T) {
	page, err := os.ReadFile("../../../docs/platforms.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), table()) {
		t.Errorf("docs/platforms.md has another table; put this one there:\n%s", table())
	}
}

func TestAVerbThatNeedsLinuxIsRefusedInOneSentenceWithTheWayThatWorks(t *testing.T) {
	for _, c := range []struct{ verb, system, want string }{
		{"story", MacOS, "story requires Linux, because macOS has no /proc, in which the lab finds its servers and their " +
			"processor time; next: use the lab container: make shell"},
		{"repro", Windows, "repro requires Linux, because Windows has no /proc, in which the lab finds its servers and " +
			"their processor time; next: use the lab container or WSL 2 (docs/platforms.md has the commands)"},
		{"delay", MacOS, "delay requires Linux, because macOS has no network namespaces; next: use the lab container: " +
			"make shell WITH=distance"},
		{Capture, MacOS, `trace --pcap requires Linux, because macOS has no device "any" (packet(7)) to capture on; ` +
			"next: use the lab container: make shell"},
		{"bench", "freebsd", "bench requires Linux, because freebsd has no /proc, in which the lab finds its servers and " +
			"their processor time; next: use the lab container: make shell"},
		{"repro", MacOS, ""}, {"repro", Linux, ""}, {"story", Linux, ""}, {"decode", Windows, ""}, {"probe", MacOS, ""},
	} {
		err := Refusal(c.verb, c.system)
		if fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%s on %s: %v", c.verb, c.system, err)
		}
		if status := exitstatus.Of(err); err != nil && status != exitstatus.Missing {
			t.Errorf("%s on %s ends with %d", c.verb, c.system, status)
		}
	}
	if err := NoNative(MacOS); err == nil || !strings.HasPrefix(err.Error(), "RUNTIME=native requires Linux") ||
		!errors.As(err, new(*exitstatus.Error)) {
		t.Errorf("RUNTIME=native on macOS: %v", err)
	}
	if err := NoNative(Linux); err != nil {
		t.Error(err)
	}
}
