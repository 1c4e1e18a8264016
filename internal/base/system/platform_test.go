package system

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"h2lab/internal/base/exitstatus"
)

func TestAVerbThatNeedsLinuxIsRefusedInOneSentenceWithTheWayThatWorks(t *testing.T) {
	for _, c := range []struct {
		needs              Needs
		verb, system, want string
	}{
		{OnLinux, "story", MacOS, "story requires Linux, because macOS has no /proc, in which the lab finds its servers and their " +
			"processor time; next: use the lab container: make shell"},
		{Servers, "repro", Windows, "repro requires Linux, because Windows has no /proc, in which the lab finds its servers and " +
			"their processor time; next: use the lab container or WSL 2 (docs/platforms.md has the commands)"},
		{OnLinux, "delay", MacOS, "delay requires Linux, because macOS has no network namespaces; next: use the lab container: " +
			"make shell WITH=distance"},
		{OnLinux, Capture, MacOS, `trace --pcap requires Linux, because macOS has no device "any" (packet(7)) to capture on; ` +
			"next: use the lab container: make shell"},
		{OnLinux, "bench", "freebsd", "bench requires Linux, because freebsd has no /proc, in which the lab finds its servers and " +
			"their processor time; next: use the lab container: make shell"},
		{Servers, "repro", MacOS, ""}, {Servers, "repro", Linux, ""}, {OnLinux, "story", Linux, ""}, {Anything, "decode", Windows, ""},
	} {
		err := c.needs.Refusal(c.verb, c.system)
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
