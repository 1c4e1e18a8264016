package probe

import (
	"context"
	"crypto/tls"
	"time"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// resumption measures whether TLS sessions resume. For each TLS version of the server it makes one
// full handshake and one that offers the first one's ticket, without requests. TLS 1.3 sends its
// ticket after the handshake (RFC 8446 §4.6.1), so there the first handshake is that of look's
// connection, which read an answer.
func (s *survey) resumption(ctx context.Context) error {
	seen := versionOf(s.out.TLS.Version)
	v, err := s.again(ctx, s.target, s.out.TLS.HandshakeMS, s.out.TLS.Version)
	if err != nil {
		return err
	}
	s.out.TLS.Resumes, s.out.TLS.ResumedMS = v.Resumes, v.ResumedMS
	s.out.TLS.Versions = append(s.out.TLS.Versions, v)
	if seen != tls.VersionTLS13 {
		return nil
	}
	old := s.target
	old.version, old.session = tls.VersionTLS12, tls.NewLRUClientSessionCache(2)
	l, err := connect(ctx, old, s.alpn())
	if err != nil {
		return ctx.Err() // the server has only 1.3
	}
	s.out.Connections++
	took := ms(l.handshaking)
	l.goodbye()
	if v, err = s.again(ctx, old, &took, "TLS 1.2"); err != nil {
		return err
	}
	s.out.TLS.Versions = append(s.out.TLS.Versions, v)
	return nil
}

// again makes another handshake with the ticket that the target's cache may have.
func (s *survey) again(ctx context.Context, t Target, full *float64, version string) (facts.TLSVersion, error) {
	v := facts.TLSVersion{Version: version, HandshakeMS: full}
	l, err := connect(ctx, t, s.alpn())
	if err != nil {
		s.note(notes.SecondHandshake, "text", err)
		return v, ctx.Err()
	}
	defer l.goodbye()
	s.out.Connections++
	resumed := l.tls.ConnectionState().DidResume
	if v.Resumes = &resumed; resumed {
		took := ms(l.handshaking)
		v.ResumedMS = &took
	}
	return v, nil
}

// goodbye closes a connection without requests by TLS's close_notify, so that the server logs no
// error.
func (l *line) goodbye() {
	_ = l.wire.SetDeadline(time.Now().Add(time.Second))
	_ = l.tls.Close()
	l.close()
}

func (s *survey) alpn() string { return alpnOf(s.ask.HTTP1) }

func versionOf(name string) uint16 {
	for _, v := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		if tls.VersionName(v) == name {
			return v
		}
	}
	return 0
}
