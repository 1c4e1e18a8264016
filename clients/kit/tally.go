package kit

import (
	"fmt"
	"regexp"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// mostGroups limits the kinds of failure that are counted separately.
const mostGroups = 50

// digits matches what differs between messages of one kind: ports, stream ids, addresses of objects.
var digits = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)

// group is one kind of failure, with its first message.
type group struct {
	Message string `json:"message"`
	Count   int64  `json:"count"`
	Kind    string `json:"kind"`
}

// Tally is the counts of one worker, or of a whole window.
type Tally struct {
	Elapsed                   time.Duration // from the window's beginning to its last answer
	attempts, succeeded, hung int64
	latency                   *hdrhistogram.Histogram // µs, successes only
	groups                    map[string]*group
	pace                      *pace // nil in a closed loop
}

// NewTally makes an empty tally.
func NewTally() *Tally {
	return &Tally{latency: newHistogram(), groups: map[string]*group{}}
}

// Count counts one finished call; f is nil for a success.
func (t *Tally) Count(f *Failure, waited time.Duration) error {
	t.attempts++
	if f == nil {
		t.succeeded++
		return record(t.latency, waited)
	}
	if f.hung {
		t.hung++
	}
	t.add(f.Kind+" "+digits.ReplaceAllString(f.Message, "#"), group{Message: f.Message, Count: 1, Kind: f.Kind})
	return nil
}

// CountHung counts a call that got no answer within patience; said is the library's message, if any.
func (t *Tally) CountHung(patience time.Duration, said string) error {
	return t.Count(hungFailure(patience, said), patience)
}

// Attempts returns how many calls were counted.
func (t *Tally) Attempts() int64 { return t.attempts }

func hungFailure(patience time.Duration, said string) *Failure {
	f := &Failure{
		Kind:    Transport,
		Message: fmt.Sprintf("no answer within %s (the call never settled)", patience),
		hung:    true,
	}
	if said != "" {
		f.Message += ": " + said
	}
	return f
}

func (t *Tally) add(key string, g group) {
	if _, known := t.groups[key]; !known && len(t.groups) >= mostGroups-1 {
		key, g.Kind = "further", Transport
		g.Message = fmt.Sprintf("further messages, beyond the %d kinds that are kept", mostGroups-1)
	}
	if known, ok := t.groups[key]; ok {
		known.Count += g.Count
		return
	}
	t.groups[key] = &g
}

func (t *Tally) merge(from *Tally) {
	t.attempts += from.attempts
	t.succeeded += from.succeeded
	t.hung += from.hung
	t.latency.Merge(from.latency)
	if from.pace != nil {
		if t.pace == nil {
			t.pace = newPace()
		}
		t.pace.merge(from.pace)
	}
	for key, g := range from.groups {
		t.add(key, *g)
	}
}

// anySucceeded rejects a window without a success.
func (t *Tally) anySucceeded() error {
	if t.succeeded > 0 || t.pace != nil && t.attempts == 0 { // a low rate may leave a warm-up empty
		return nil
	}
	for _, g := range t.groups {
		return fmt.Errorf("no request of the warm-up succeeded (%d attempts): %s", t.attempts, g.Message)
	}
	return fmt.Errorf("no request of the warm-up succeeded, of %d attempts", t.attempts)
}
