//go:build integration && typed && linux

package workshop

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h2lab/internal/base/labtest"
)

// TestMinutesOfATypedRun goes a route twice in an interactive bash on a pseudo-terminal, in a sandbox of its own, and prints
// how long the machine took for the blocks of each page:
//
//	ROUTE=90 go test -tags integration,typed -run TestMinutesOfATypedRun -v ./docs/workshop
//
// Each console block is run for real and its end awaited; the smaller of the two times counts, but the set-up's first one,
// which builds. The other columns of instructor.md's table are computed (minutes_test.go).
func TestMinutesOfATypedRun(t *testing.T) {
	dir := roomDir(t)
	project := filepath.Join(dir, "h2-keepalive-lab")
	copyProject(t, labtest.Root(t), project)
	term := openTerminal(t, project)
	before, after := readmeCommands(t)
	names := append([]string{""}, routeChapters(t, os.Getenv("ROUTE"))...)
	waited := map[string]time.Duration{}
	for pass := range 2 {
		for _, name := range names {
			commands := before
			if name != "" {
				commands = nil
				for _, s := range page(t, name) {
					commands = append(commands, s.commands...)
				}
			}
			var sum time.Duration
			for _, c := range commands {
				took := term.run(t, c)
				t.Logf("%s:%d: %.1f s", c.page, c.line, took.Seconds())
				sum += took
			}
			if pass == 0 || name != "" && sum < waited[name] {
				waited[name] = sum
			}
		}
		for _, c := range after {
			term.run(t, c)
		}
	}
	for _, name := range names {
		t.Logf("%s: %.1f minutes", cmp.Or(name, "set-up"), waited[name].Minutes())
	}
}

// terminal is a pseudo-terminal with an interactive bash on it.
type terminal struct {
	master *os.File
	said   chan []byte
	n      int
}

func openTerminal(t *testing.T, project string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	labtest.Check(t, err)
	labtest.Check(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	labtest.Check(t, err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	labtest.Check(t, err)
	cmd := exec.Command("unshare", "--net", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
		"ip link set lo up && exec setsid --ctty --wait unshare --map-user=1000 --map-group=1000 bash --norc --noprofile -i")
	cmd.Dir, cmd.Env = project, append(roomEnvironment(), "TERM=dumb", "PS1=$ ")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	labtest.Check(t, cmd.Start())
	_ = tty.Close()
	term := &terminal{master: master, said: make(chan []byte, 100)}
	go func() {
		for {
			b := make([]byte, 4096)
			n, err := master.Read(b)
			if err != nil {
				close(term.said)
				return
			}
			term.said <- b[:n]
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // --kill-child ends the namespace's processes with it
		_ = cmd.Wait()
		_ = master.Close()
	})
	return term
}

// mostBlock is how long a block may run.
const mostBlock = 3 * time.Minute

// run types a block and returns the time until bash has carried it out.
func (term *terminal) run(t *testing.T, c command) time.Duration {
	t.Helper()
	term.n++
	end := fmt.Sprintf("\x1b]8;%d\x07", term.n)
	begin := time.Now()
	if _, err := fmt.Fprintf(term.master, "%s\nprintf '\\033]8;%d\\007'\n", c.text, term.n); err != nil {
		t.Fatal(err)
	}
	var out []byte
	late := time.After(mostBlock)
	for !bytes.Contains(out, []byte(end)) {
		select {
		case b, ok := <-term.said:
			if !ok {
				t.Fatalf("%s: the shell ended:\n%s", c, out)
			}
			out = append(out, b...)
		case <-late:
			t.Fatalf("%s: no end after %v:\n%s", c, mostBlock, out)
		}
	}
	for _, bad := range []string{"command not found", "event not found", "No such file", "syntax error"} {
		if strings.Contains(string(out), bad) {
			t.Errorf("%s:\n%s", c, out)
		}
	}
	return time.Since(begin)
}
