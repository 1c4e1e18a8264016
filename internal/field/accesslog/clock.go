package accesslog

import (
	"bytes"
	"time"
)

// clock parses times. Many consecutive lines of a busy log have the same second, so it keeps the
// last text and compares before it parses.
type clock struct {
	text   [48]byte
	n      int
	ms     int64
	layout string // that of the last text
}

// layouts are how programs write a time as text. Fractions of a second need no layout of their own, and a time
// without a zone counts as UTC.
var layouts = []string{
	time.RFC3339Nano, "02/Jan/2006:15:04:05 -0700", "02/Jan/2006:15:04:05", "2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02\t15:04:05", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 -0700", "2006/01/02 15:04:05", "2006-01-02 15:04:05 -0700 MST", time.ANSIC,
}

// read returns milliseconds since 1970.
func (c *clock) read(f field, v []byte) (int64, bool) {
	if f == fTimeUnix {
		return sinceEpoch(v)
	}
	if c.n > 0 && c.n == len(v) && bytes.Equal(c.text[:c.n], v) {
		return c.ms, true
	}
	if len(v) > len(c.text) || len(v) == 0 {
		return 0, false
	}
	t, err := time.Parse(c.layout, string(v))
	for i := 0; (err != nil || c.layout == "") && i < len(layouts); i++ {
		c.layout = layouts[i]
		t, err = time.Parse(c.layout, string(v))
	}
	if err != nil || t.Year() < 1970 {
		return 0, false
	}
	c.ms, c.n = t.UnixMilli(), copy(c.text[:], v)
	return c.ms, true
}

// A number of seconds above aMillisecond is one of milliseconds, as Node.js and CloudWatch write it, and so on.
const (
	aMillisecond = 1e11
	aMicrosecond = 1e14
	aNanosecond  = 1e17
)

// sinceEpoch parses seconds since 1970 with decimals, or a whole number of a smaller unit.
func sinceEpoch(v []byte) (int64, bool) {
	if len(v) < 12 || bytes.IndexByte(v, '.') >= 0 {
		return millis(v)
	}
	n, ok := digits(v, 1<<63-1)
	switch {
	case !ok || n < aMillisecond:
		return millis(v)
	case n < aMicrosecond:
		return int64(n), true
	case n < aNanosecond:
		return int64(n / 1e3), true
	}
	return int64(n / 1e6), true
}

// setTime reads a time. A format may have two: the first counts, and the other one's fractions where it is of the same
// second ($time_local and $msec).
func (r *Record) setTime(f field, v []byte, c *clock) bool {
	if r.Timed && (r.Time%1000 != 0 || f != fTimeUnix && bytes.IndexByte(v, '.') < 0) {
		return true
	}
	t, ok := c.read(f, v)
	if !r.Timed {
		r.Time, r.Timed = t, ok
	} else if ok && t/1000 == r.Time/1000 {
		r.Time = t
	}
	return r.Timed
}
