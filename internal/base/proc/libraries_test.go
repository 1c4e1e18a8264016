//go:build linux

package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTheLibrariesOfAProcessAreFoundWhereItHasThem(t *testing.T) {
	cmd := exec.Command("cat") // linked with libc; waits for input
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		_ = cmd.Wait()
	}()
	// Its echo proves that it has loaded its libraries.
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range LibraryDirs(cmd.Process.Pid) {
		if _, err := os.Stat(filepath.Join(dir, "libc.so.6")); err == nil {
			return
		}
	}
	t.Errorf("libc is in none of %q", LibraryDirs(cmd.Process.Pid))
}

func TestAProcessThatIsGoneHasNoLibraries(t *testing.T) {
	if got := LibraryDirs(1 << 30); got != nil {
		t.Errorf("libraries in %q", got)
	}
}
