package native

import (
	"fmt"
	"os/exec"
	"runtime"
)

// spawner starts every child from one thread that lives as long as the site.
//
// Two things hang on the thread: Pdeathsig reaches a child when the thread that
// forked it ends, not the process (prctl(2), PR_SET_PDEATHSIG), and in cgroups
// of version 1 a child begins in the cgroup of that thread. So the goroutine is
// locked to its thread and never unlocked; when it ends, the thread ends.
type spawner struct {
	jobs  chan func()
	ended chan struct{}
}

func newSpawner() *spawner {
	s := &spawner{jobs: make(chan func()), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		runtime.LockOSThread()
		for job := range s.jobs {
			job()
		}
	}()
	return s
}

// start starts cmd, inside the cgroup when there is one. h is nil without.
func (s *spawner) start(cmd *exec.Cmd, h hierarchy, dir string) error {
	answer := make(chan error)
	s.jobs <- func() { answer <- startInside(cmd, h, dir) }
	return <-answer
}

// close ends the thread. Children that are still there and not detached get SIGTERM.
func (s *spawner) close() {
	close(s.jobs)
	<-s.ended
}

// startInside runs on the spawner's thread.
func startInside(cmd *exec.Cmd, h hierarchy, dir string) error {
	switch g := h.(type) {
	case nil:
		return cmd.Start()
	case *cgroupV2:
		return startInV2(cmd, dir)
	case *cgroupV1:
		thread := threadID()
		if err := g.enter(dir, thread); err != nil {
			return err
		}
		started := cmd.Start()
		if err := g.leave(thread); err != nil {
			if started == nil {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			return err
		}
		return started
	default:
		return fmt.Errorf("no way to start inside cgroups of type %T", h)
	}
}
