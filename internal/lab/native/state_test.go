//go:build linux

package native

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

func TestASavedStateIsLoadedAndTakenDown(t *testing.T) {
	root := newRoot(t)
	servers, opts := topology(t, root, "")
	opts.Detach, opts.Limit = true, 100
	site := mustUp(t, opts, servers)
	path := filepath.Join(root, StateFile)
	labtest.Check(t, site.Save(path))
	loaded, err := Load(path)
	labtest.Check(t, err)
	if err := loaded.Alive(); err != nil {
		t.Errorf("everything is up and yet: %v", err)
	}
	for _, s := range servers {
		if got, want := loaded.Pids(s.Name), site.Pids(s.Name); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s has pids %v, want %v", s.Name, got, want)
		}
	}
	labtest.Check(t, loaded.Down(t.Context()))
	nothingLeft(t, root, servers)
	if _, err := Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after down the state file gives %v, want that it doesn't exist", err)
	}
}

func TestAReusedPidIsNotKilled(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*state)
	}{
		{"another start time", func(s *state) { s.Servers[0].Started++ }},
		{"another boot", func(s *state) { s.Boot = "another" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newRoot(t)
			a := freeAddrs(t, 2)
			servers := []facts.Server{backendAt(a[0], a[1])}
			// The state file will name the pid of this other process, which must keep running.
			stranger := mustUp(t, Options{Root: root, Tools: Tools{Backend: os.Args[0]}}, servers)
			p := stranger.process("backend")
			path := filepath.Join(root, StateFile)
			labtest.Check(t, stranger.Save(path))
			rewriteState(t, path, c.spoil)
			loaded, err := Load(path)
			labtest.Check(t, err)
			if loaded.Alive() == nil {
				t.Error("the stranger is taken for the server")
			}
			labtest.Check(t, loaded.Down(t.Context()))
			if !p.Alive() {
				t.Error("the stranger was killed")
			}
		})
	}
}

func TestAStateFileThatCannotBeReadSaysWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":`:    "make down",
		`{"version": 7}`: "version 7",
	} {
		path := filepath.Join(t.TempDir(), "up.json")
		labtest.Write(t, path, text)
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestOnlyCgroupsThatARunOfOursCanHaveMadeAreRemoved(t *testing.T) {
	got := ownGroups([]string{"/c/h2lab-12/nginx-1000", "/c/h2lab-12", "/c/system.slice", "/", "/c/h2lab-x"})
	if want := []string{"/c/h2lab-12/nginx-1000", "/c/h2lab-12"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// h2lab starts a second process that starts the backend, and waits until it is up.
func h2lab(t *testing.T, root string, s facts.Server, how string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], root, s.Front, s.Counters, how)
	cmd.Env = append(os.Environ(), fakeEnv+"=h2lab")
	out, err := cmd.StdoutPipe()
	labtest.Check(t, err)
	labtest.Check(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		t.Fatalf("it said %q", line)
	}
	return cmd
}

func TestAKilledH2labTakesItsServersWithIt(t *testing.T) {
	root := newRoot(t)
	a := freeAddrs(t, 2)
	s := backendAt(a[0], a[1])
	cmd := h2lab(t, root, s, "attached")
	site, err := Load(filepath.Join(root, StateFile))
	labtest.Check(t, err)
	if site.Alive() != nil {
		t.Fatal("the backend isn't up")
	}
	labtest.Check(t, cmd.Process.Kill())
	_ = cmd.Wait()
	eventually(t, "the backend has ended with its h2lab", func() bool { return site.Alive() != nil })
	eventually(t, "its ports are free", func() bool { return portsFree(root, []facts.Server{s}) == nil })
}

func TestDetachedServersOutliveTheirH2labAndGoDownFromTheState(t *testing.T) {
	root := newRoot(t)
	a := freeAddrs(t, 2)
	s := backendAt(a[0], a[1])
	labtest.Check(t, h2lab(t, root, s, "detach").Wait())
	site, err := Load(filepath.Join(root, StateFile))
	labtest.Check(t, err)
	pids := site.Pids("backend")
	if err := site.Alive(); err != nil || len(pids) != 1 {
		t.Errorf("pids %v, %v: the backend should outlive its h2lab", pids, err)
	}
	labtest.Check(t, site.Down(t.Context()))
	for _, pid := range pids {
		if proc.Tree(pid) != nil {
			t.Errorf("process %d is left", pid)
		}
	}
	nothingLeft(t, root, []facts.Server{s})
}
