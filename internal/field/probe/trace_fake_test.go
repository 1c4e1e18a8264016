package probe

import (
	"time"

	"golang.org/x/net/http2"
)

// likeGo answers, then sends the newest stream's id, ignores later streams, and closes shortly
// after the last answer (h2_bundle.go, goAwayTimeout).
func likeGo(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count > limit {
				continue
			}
			p.answer(id)
			if p.count == limit {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
				_ = p.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			}
		}
	}
}

// refusing resets every stream beyond the limit, and closes at the end.
func refusing(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count > limit {
				_ = p.fr.WriteRSTStream(id, http2.ErrCodeRefusedStream)
				continue
			}
			p.answer(id)
			if p.count == limit {
				_ = p.fr.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
				_ = p.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			}
		}
	}
}

// angry ends the connection with an error.
func angry(limit int) func(*peer) {
	return func(p *peer) {
		for p.count < limit {
			id := p.next()
			if id == 0 {
				return
			}
			p.answer(id)
		}
		_ = p.fr.WriteGoAway(p.max, http2.ErrCodeEnhanceYourCalm, []byte("too\nmany"))
	}
}

// careless covers streams by its GOAWAY that it never answers, and closes.
func careless(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count <= limit {
				p.answer(id)
			}
			if p.count == limit+2 {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
				return
			}
		}
	}
}

// resettingLast names the request of its limit as its last, and resets its stream instead of answering.
func resettingLast(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count == limit {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
				_ = p.fr.WriteRSTStream(id, http2.ErrCodeInternal)
				return
			}
			p.answer(id)
		}
	}
}

// halfway begins the answers to what comes after its GOAWAY, and closes.
func halfway(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count > limit {
				_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true})
			} else {
				p.answer(id)
			}
			if p.count == limit+2 {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
				return
			}
		}
	}
}
