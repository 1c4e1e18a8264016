package counters

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"h2lab/internal/facts"
)

// hundreds reads the log of every hundredth request of a connection, to which all nginx servers of
// the lab write. It reads only the lines that one server appended since the last reading.
type hundreds struct {
	server string
	port   []byte
	file   *os.File
	offset int64
	counts map[string]int64 // by the request's number on its connection
}

// openHundreds starts at the log's end: earlier lines belong to other runs.
func openHundreds(root string, s facts.Server) (*hundreds, error) {
	path := filepath.Join(root, filepath.FromSlash(s.HundredsLog))
	_, port, err := net.SplitHostPort(s.Front)
	if err != nil {
		return nil, fmt.Errorf("the front of %s: %w", s.Name, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("log of counted requests of %s: %w; nginx makes it when it starts: make up", s.Name, err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("log of counted requests of %s: %w; is %s a regular file?", s.Name, err, path)
	}
	return &hundreds{server: s.Name, port: []byte(port), file: f, offset: end, counts: map[string]int64{}}, nil
}

// read adds to raw how many requests of each number the server logged since the source was opened.
func (h *hundreds) read(raw map[string]int64) error {
	buf := make([]byte, 1<<16)
	for {
		got, err := h.file.ReadAt(buf, h.offset)
		whole := bytes.LastIndexByte(buf[:got], '\n') + 1 // only complete lines are read
		for line := range bytes.Lines(buf[:whole]) {
			if port, number, ok := bytes.Cut(bytes.TrimSpace(line), []byte{' '}); ok && bytes.Equal(port, h.port) {
				h.counts[string(number)]++
			}
		}
		h.offset += int64(whole)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("log of counted requests of %s: %w; look at %s", h.server, err, h.file.Name())
		}
		if err != nil || whole == 0 {
			break
		}
	}
	for number, n := range h.counts {
		raw[requestNumber+number] = n
	}
	return nil
}

// requestNumber is the prefix of these counts in an observation's Raw.
const requestNumber = "request_number_"

// UsedUp is how many connections carried their limit-th request since the source was opened; nil
// where the server doesn't count them. Envoy doesn't: it increments
// downstream_cx_max_requests_reached for every request that a draining connection still carries
// (measured).
func UsedUp(o facts.Observation, s facts.Server, limit int) *int64 {
	if o.Raw == nil || s.Kind != facts.Nginx || s.HundredsLog == "" || limit < 1 || !logged(limit) {
		return nil
	}
	return new(o.Raw[requestNumber+strconv.Itoa(limit)])
}

// logged reports whether nginx logs the requests of this number, by the map $counted_request in its
// configurations.
func logged(number int) bool {
	return number%100 == 0 || number == 10 || number == 20 || number == 50
}

// Closed is how many of its accepted connections a server has closed or seen closed; nil where its
// counters don't say.
func Closed(o facts.Observation, s facts.Server) *int64 {
	of := func(a, b string, sign int64) *int64 {
		x, ok := o.Raw[a]
		y, also := o.Raw[b]
		if !ok || !also {
			return nil
		}
		return new(x + sign*y)
	}
	switch s.Kind {
	case facts.Nginx:
		return of("accepts", "active", -1)
	case facts.Envoy:
		return of("downstream_cx_destroy_local", "downstream_cx_destroy_remote", 1)
	}
	return nil
}
