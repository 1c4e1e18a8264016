//go:build integration

package accesslog

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asChild makes the test binary read a log and report its memory.
const asChild = "H2LAB_TEST_READ"

// TestFiveMillionLinesInBoundedMemory reads a log of five million lines on 1.7 million connections,
// with serials above a hundred million, in a process of its own, and reads its peak memory from the
// kernel.
func TestFiveMillionLinesInBoundedMemory(t *testing.T) {
	if kind := os.Getenv(asChild); kind != "" {
		g := &traffic{lines: 5_000_000, limit: 3, alive: 20_000, empty: 60, perSec: 1000, json: kind == "json"}
		got := read(t, g, Options{})
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, most, _ := strings.Cut(string(status), "VmHWM:")
		fmt.Printf("CHILD %s %d %d %d\n", strings.Fields(most)[0], got.Connections, g.connections, g.serial)
		return
	}
	for _, kind := range []string{"text", "json"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFiveMillionLinesInBoundedMemory$")
		cmd.Env = append(os.Environ(), asChild+"="+kind)
		out, err := cmd.CombinedOutput()
		at := bytes.Index(out, []byte("CHILD "))
		if err != nil || at < 0 {
			t.Fatalf("%s: %v\n%s", kind, err, out)
		}
		var kib, connections, truth, serials uint64
		if _, err := fmt.Sscanf(string(out[at:]), "CHILD %d %d %d %d", &kib, &connections, &truth,
			&serials); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d MiB at most, %d connections, serials up to %d", kind, kib>>10, connections, serials)
		if kib > 50<<10 {
			t.Errorf("%s: %d MiB at most: above 50", kind, kib>>10)
		}
		if connections != truth || serials < 100_000_000 {
			t.Errorf("%s: %d connections, %d are true; serials up to %d", kind, connections, truth, serials)
		}
	}
}
