package accesslog

import (
	"bytes"
	"time"
)

// clock parses times. Many consecutive lines of a busy log have the same second, so it keeps the
// last text and compares before it parses.
type clock struct {
	text [40]byte
	n    int
	ms   int64
}

// read returns milliseconds since 1970.
func (c *clock) read(f field, v []byte) (int64, bool) {
	if f == fTimeUnix {
		return millis(v)
	}
	if c.n > 0 && c.n == len(v) && bytes.Equal(c.text[:c.n], v) {
		return c.ms, true
	}
	if len(v) > len(c.text) {
		return 0, false
	}
	layout := "02/Jan/2006:15:04:05 -0700"
	switch f {
	case fTimeISO:
		layout = time.RFC3339Nano
	case fTimeHAProxy:
		layout = "02/Jan/2006:15:04:05.000"
	}
	t, err := time.Parse(layout, string(v))
	if err != nil || t.Year() < 1970 {
		return 0, false
	}
	c.ms, c.n = t.UnixMilli(), copy(c.text[:], v)
	return c.ms, true
}
