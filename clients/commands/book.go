package main

import (
	"fmt"
	"strings"
	"time"

	"h2lab/clients/kit"
)

// book is the counts of a window, filled while the tool's report is read.
type book struct {
	flags    kit.Flags
	tally    *kit.Tally
	began    time.Time // of the first transfer
	last     time.Time // of the last one's end
	idle     time.Time // end of a time in which the tool did nothing more, if there was one
	connects int64
}

// enter counts one transfer that ended at a time.
func (b *book) enter(f *kit.Failure, waited time.Duration, ended time.Time) error {
	if ended.After(b.last) {
		b.last = ended
	}
	return b.tally.Count(f, waited)
}

// unsettled counts transfers that were in flight when the tool ended. If the tool was still making
// progress, they were cut short and their result is unknown; if nothing had happened for the
// harness's patience, they hung.
func (b *book) unsettled(n int, ended time.Time, said string) error {
	if n > 0 && b.last.IsZero() {
		b.last = b.began
	}
	if n <= 0 || ended.Sub(b.last) < b.flags.Patience*9/10 {
		return nil
	}
	b.idle = ended
	for range n {
		if err := b.tally.CountHung(b.flags.Patience, said); err != nil {
			return err
		}
	}
	return nil
}

// status returns the failure for an answer with this status, or nil.
func status(code int) *kit.Failure {
	if code >= 200 && code <= 299 {
		return nil
	}
	return &kit.Failure{Kind: kit.Status, Message: fmt.Sprintf("HTTP status %d", code)}
}

// tail keeps the end of a tool's output, for error messages.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if over := len(t.text) - 4096; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.Join(strings.Fields(string(t.text)), " ") }
