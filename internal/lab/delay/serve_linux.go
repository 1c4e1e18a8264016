package delay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// carrierVariable makes this program the process that carries a line's packets. In a process of its own no other
// work has the scheduler of the line's goroutines, and all of its threads have one priority.
const carrierVariable = "H2LAB_LINE"

// The carrier's file descriptors of the devices.
const (
	carrierNear = 3 + iota
	carrierFar
)

// spareThreads are for the goroutines that don't carry packets: requests, and Go's own.
const spareThreads = 2

// init is where a carrier begins, whatever the program does otherwise, so that a test's binary can be one too.
func init() {
	if os.Getenv(carrierVariable) == "" {
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve carries packets until requests ends. Each request is a Line, or null, and each answer the Counts so far.
func serve(requests io.Reader, answers io.Writer) error {
	runtime.GOMAXPROCS(2 + spareThreads)
	broken, ended := make(chan error), make(chan error)
	var counted counters
	var plans [2]*schedule
	in := json.NewDecoder(requests)
	var first Line
	if err := in.Decode(&first); err != nil {
		return err
	}
	for _, fd := range []int{carrierNear, carrierFar} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return fmt.Errorf("a device of the delay line: %w", err)
		}
	}
	settle(first.prompt())
	began := time.Now()
	for i, d := range []*direction{{name: "to the servers", from: carrierFar, to: carrierNear},
		{name: "to the clients", from: carrierNear, to: carrierFar}} {
		plans[i] = newSchedule(first, uint64(i))
		d.began, d.plan, d.counters = began, plans[i], &counted
		go func() { broken <- d.run() }()
	}
	go func() {
		ended <- answer(in, json.NewEncoder(answers), &counted, func(l *Line) {
			settle(l.prompt())
			for _, s := range plans {
				s.line.Store(l)
			}
		})
	}()
	select {
	case err := <-broken:
		return err
	case err := <-ended:
		if errors.Is(err, io.EOF) { // h2lab has ended, or the line
			return nil
		}
		return err
	}
}

// answer sets the line as the requests say, and answers each with the counts.
func answer(in *json.Decoder, out *json.Encoder, counted *counters, set func(*Line)) error {
	for {
		if err := out.Encode(counted.counts()); err != nil {
			return err
		}
		var l *Line
		if err := in.Decode(&l); err != nil {
			return err
		}
		if l != nil {
			set(l)
		}
	}
}

// carrierNice is the priority (nice value) of a carrier's threads. A low one would leave a line to other programs on a
// busy machine for whole seconds.
const carrierNice = -15

// settle decides when the kernel lets the carrier run while the processors are busy. A prompt one interrupts other
// threads when a packet arrives or its time has come. One that isn't prompt (SCHED_BATCH, sched(7)) waits until they
// pause, and then finds several packets: the processors change threads less often, so they carry more packets. settle
// changes no policy that the user has chosen, such as chrt --idle. The calls needn't succeed: without them packets
// are late more often, and late packets are counted.
func settle(prompt bool) {
	policy := uint32(unix.SCHED_BATCH)
	if prompt {
		policy = unix.SCHED_NORMAL
	}
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		a, err := unix.SchedGetAttr(id, 0)
		if err == nil && (a.Policy == unix.SCHED_NORMAL || a.Policy == unix.SCHED_BATCH) {
			a.Policy = policy
			_ = unix.SchedSetAttr(id, a, 0)
		}
	}
}
