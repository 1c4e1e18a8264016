package probe

import "time"

// fence waits until the peer has sent everything about the requests so far: the answer to a PING
// comes after it. Some servers send GOAWAY after the answer.
func (r *run) fence() error {
	if r.plan.http1 {
		return r.hear()
	}
	if r.quiet || r.noPing || !r.ping() {
		return nil
	}
	until := time.Now().Add(r.target.patience())
	for r.ponged < r.pinged && !r.over() {
		if err := r.step(until); err != nil {
			return err
		}
		if time.Now().After(until) {
			r.noPing = true // and the peer has answered all requests
			return nil
		}
	}
	if !r.over() {
		r.fenced = r.sent
	}
	return nil
}

// hear waits a moment for the end of an HTTP/1.1 connection, which may follow an answer without
// being announced in it.
func (r *run) hear() error {
	const atLeast = 10 * time.Millisecond
	if !r.plan.listen.has(r.sent) {
		return nil
	}
	if err := r.step(time.Now().Add(atLeast + 3*r.connecting)); err != nil {
		return err
	}
	if !r.over() {
		r.fenced = r.sent
	}
	return nil
}

// close closes the connection from the probe's side.
func (r *run) close() {
	r.leftAt = time.Now()
	r.line.close()
}
