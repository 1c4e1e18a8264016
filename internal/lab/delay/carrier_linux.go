package delay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"

	"h2lab/internal/base/child"
)

// carrier is the process that carries a line's packets (serve).
type carrier struct {
	process  *child.Child
	requests *os.File
	answers  *os.File
	mu       sync.Mutex
	in       *json.Encoder
	out      *json.Decoder
	last     Counts
}

// startCarrier starts a carrier between two devices.
func startCarrier(l Line, near, far *os.File) (*carrier, error) {
	theirIn, requests, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	answers, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, requests.Close())
	}
	defer theirOut.Close()
	c := &carrier{requests: requests, answers: answers, in: json.NewEncoder(requests), out: json.NewDecoder(answers)}
	c.process, err = child.Start(child.Spec{Argv: []string{"/proc/self/exe"}, Stdin: theirIn, Stdout: theirOut,
		Env: append(os.Environ(), carrierVariable+"=1"), Start: func(cmd *exec.Cmd) error {
			cmd.Args = []string{"h2lab-line"}
			cmd.ExtraFiles = []*os.File{near, far} // carrierNear, carrierFar
			return startPrompt(cmd)
		}})
	if err != nil {
		err = fmt.Errorf("the process that carries packets can't be started: %w", err)
		return nil, errors.Join(err, requests.Close(), answers.Close())
	}
	return c, nil
}

// startPrompt starts a program whose threads have a higher priority and exact timers: it inherits both from the
// thread that forks.
func startPrompt(cmd *exec.Cmd) error {
	return onThread(func() error {
		// Neither call must succeed: without them packets are late more often, and late packets are counted.
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), carrierNice)
		return cmd.Start()
	})
}

// ask changes the line, unless l is nil, and returns the counts so far: the last ones known when the carrier
// has ended.
func (c *carrier) ask(l *Line) Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	var n Counts
	if c.in.Encode(l) == nil && c.out.Decode(&n) == nil {
		c.last = n
	}
	return c.last
}

// await returns why the carrier has ended by itself.
func (c *carrier) await() error {
	<-c.process.Exited()
	if last := c.process.Tail().Last(); last != "" {
		return errors.New(last)
	}
	return fmt.Errorf("the process that carries the delay line's packets %s", c.process.Ending())
}

// stop ends the carrier.
func (c *carrier) stop() {
	c.ask(nil)
	_ = c.process.Stop(context.Background(), child.Manner{}) // it has nothing to finish
	c.requests.Close()
	c.answers.Close()
}
