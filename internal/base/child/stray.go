package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"h2lab/internal/base/proc"
)

// markVariable identifies the child of h2lab that a process descends from. Every descendant
// inherits it, even one in a session of its own.
const markVariable = "H2LAB_CHILD"

var marks atomic.Int64

// newMark returns a value that is unique among all children of all h2lab processes since boot.
func newMark() string {
	started, _ := proc.StartTime(os.Getpid()) // 0 without a /proc, where marks are not read either
	return fmt.Sprintf("%d.%d.%d", os.Getpid(), started, marks.Add(1))
}

// strays are the living descendants of the child with that mark.
func strays(mark string) []int {
	if mark == "" {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	want := []byte(markVariable + "=" + mark)
	var out []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ") // empty for a zombie
		if err != nil {
			continue
		}
		for entry := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(entry, want) {
				out = append(out, pid)
				break
			}
		}
	}
	return out
}
