package podexec

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
)

// message is one step of the protocol; exactly one of its fields is set.
//
// reach → hand: run, then stdin… and eof. Closing its side ends the program.
// hand → reach: refused; or pid, then stdout… and stderr…, and ended as the last.
type message struct {
	Run   []string `json:"run,omitempty"`
	Stdin []byte   `json:"stdin,omitempty"`
	EOF   bool     `json:"eof,omitempty"`

	Refused string  `json:"refused,omitempty"`
	Pid     int     `json:"pid,omitempty"`
	Stdout  []byte  `json:"stdout,omitempty"`
	Stderr  []byte  `json:"stderr,omitempty"`
	Ended   *Ending `json:"ended,omitempty"`
}

// Ending is how a program ended: with a status, or by a signal.
type Ending struct {
	Status int    `json:"status"` // 128 + its number for a signal, as in a shell
	Signal string `json:"signal,omitempty"`
}

// peer is the other end of a connection.
type peer struct {
	conn *net.UnixConn
	in   *json.Decoder

	mu  sync.Mutex // two goroutines send stdout and stderr
	out *json.Encoder
}

func newPeer(conn *net.UnixConn) *peer {
	in := json.NewDecoder(conn)
	in.DisallowUnknownFields()
	return &peer{conn: conn, in: in, out: json.NewEncoder(conn)}
}

func (p *peer) send(m message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Encode(m)
}

// sendAhead sends what begin returns before any message that begin causes. Its error is begin's;
// receive reports a closed connection.
func (p *peer) sendAhead(begin func() (message, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	m, err := begin()
	if err == nil {
		_ = p.out.Encode(m)
	}
	return err
}

// receive returns the next message. The error for an invalid message is not a network error, so
// that callers can distinguish the two.
func (p *peer) receive() (m message, err error) {
	err = p.in.Decode(&m)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		err = fmt.Errorf("it is not a message of h2lab: %w", err)
	}
	return m, err
}

// stream sends what a program writes.
type stream struct {
	to   *peer
	wrap func([]byte) message
}

// Write implements io.Writer.
func (s stream) Write(b []byte) (int, error) {
	if err := s.to.send(s.wrap(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
