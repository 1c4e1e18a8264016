package probe

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
)

// The pause between the requests of a lightly used connection: short enough for most idle time-outs
// (Apache's is five seconds), long enough not to reach the request limit meanwhile.
const (
	leastPause = time.Second
	mostPause  = 30 * time.Second
)

// lifetimes measures how long an unused connection lasts, and one that carries a request now and
// then. It watches both at the same time.
func (s *survey) lifetimes(ctx context.Context) error {
	var idle, age *facts.Lifetime
	var errs [2]error
	var runs [2]*run
	var both await.Group
	if s.ask.Idle > 0 {
		s.out.Connections++
		both.Go(func() { idle, runs[0], errs[0] = s.live(ctx, s.ask.Idle, 0) })
	}
	if s.ask.Age > 0 {
		s.out.Connections++
		both.Go(func() { age, runs[1], errs[1] = s.live(ctx, s.ask.Age, s.pause()) })
	}
	both.Wait()
	s.out.Idle, s.out.Age = idle, age
	for i, r := range runs {
		if r != nil {
			s.account(r, [...]string{facts.ForIdle, facts.ForAge}[i])
		}
	}
	return errors.Join(errs[:]...)
}

// pause is the time between two requests of a lightly used connection.
func (s *survey) pause() time.Duration {
	p := max(leastPause, min(mostPause, s.ask.Age/200))
	if b := s.out.Budget; b.Most != nil {
		p = max(p, s.ask.Age/time.Duration(max(1, b.Least/2)))
	}
	return p
}

// live opens a connection, sends a request every pause (0: once), and watches it for d.
func (s *survey) live(ctx context.Context, d, pause time.Duration) (*facts.Lifetime, *run, error) {
	r, err := start(ctx, s.target, plan{atMost: 1, spare: late, maxTime: s.target.patience() + time.Second})
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	if err := r.toTheEnd(); err != nil {
		return nil, r, err
	}
	r.until = time.Time{}
	idleSince := time.Now()
	next, end := idleSince.Add(pause), idleSince.Add(d)
	began := r.firstSent
	if pause == 0 {
		next, began = end, idleSince
	}
	for !r.over() && time.Now().Before(end) {
		if !time.Now().Before(next) {
			r.plan.atMost++
			r.fill()
			next = time.Now().Add(pause)
		}
		wake := earliest(next, end)
		if len(r.open) > 0 {
			wake = earliest(wake, r.lastNews.Add(r.target.patience()))
		}
		if err := r.step(wake); err != nil {
			return nil, r, fmt.Errorf("while a connection was watched for %v: %w", d, err)
		}
	}
	life := &facts.Lifetime{WatchedS: d.Seconds()}
	if r.over() {
		met := time.Now()
		if _, err := r.cross(0); err != nil {
			return nil, r, err
		}
		took := met.Sub(began).Seconds()
		life.Seconds, life.Ending = &took, r.ending()
	}
	return life, r, nil
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// look identifies the server with one connection and one request.
func (s *survey) look(ctx context.Context) error {
	l, err := connect(ctx, s.target, s.alpn())
	if err != nil {
		return err
	}
	defer l.close()
	if err := s.meet(l); err != nil {
		return err
	}
	c := speak(ctx, s.target, l, s.ask.HTTP1)
	if err := c.greet(); err != nil {
		return err
	}
	if h2, ok := c.(*conn); ok {
		s.out.Settings = settingNames(h2.settings)
	}
	c.counts().seen = s.header
	r := newRun(c, plan{http1: s.ask.HTTP1, atMost: 1, spare: late, maxTime: s.target.patience() + time.Second})
	err = r.toTheEnd()
	if err == nil && r.answered == 0 {
		err = r.unanswered()
	}
	s.account(r, facts.ForLook)
	s.redirected()
	return err
}

// meet records the handshake, fills in the defaults that depend on the address, fixes that address
// for later dials, and announces what will be sent.
func (s *survey) meet(l *line) error {
	s.out.Connections++
	to := l.tcp.RemoteAddr()
	s.out.Address = to.String()
	state := l.tls.ConnectionState()
	connecting, handshaking := ms(l.connecting), ms(l.handshaking)
	s.out.TLS.Version, s.out.TLS.Cipher, s.out.TLS.ALPN = tls.VersionName(state.Version),
		tls.CipherSuiteName(state.CipherSuite), state.NegotiatedProtocol
	s.out.TLS.Verified = !s.target.Insecure
	s.out.TLS.ConnectMS, s.out.TLS.HandshakeMS = &connecting, &handshaking
	if len(state.PeerCertificates) > 0 {
		s.out.TLS.Key = keyType(state.PeerCertificates[0])
	}
	ask, err := s.ask.decided(to)
	if err != nil {
		return err
	}
	s.ask, s.target.dial = ask, to.String()
	if ask.Announce != nil {
		ask.Announce(Intent{Method: s.out.Method, URL: s.out.URL, Address: s.out.Address, Connections: ask.Connections,
			MaxStreams: ask.MaxStreams, Rate: ask.Rate, MaxTime: ask.MaxTime})
	}
	return nil
}

// header processes a field of the first answer.
func (s *survey) header(name, value string) {
	switch strings.ToLower(name) {
	case ":status":
		s.out.Status = statusNumber(value)
	case "server":
		s.out.Server = short(value)
	case "location":
		s.out.Location = short(value)
	}
}

func (s *survey) redirected() {
	if s.out.Status >= 300 && s.out.Status < 400 && s.out.Location != "" {
		s.note("note.redirect", s.out.Status, s.out.Location)
	}
}

func keyType(c *x509.Certificate) string {
	switch k := c.PublicKey.(type) {
	case *rsa.PublicKey:
		return fmt.Sprintf("RSA %d", k.N.BitLen())
	case *ecdsa.PublicKey:
		return "ECDSA " + k.Curve.Params().Name
	case ed25519.PublicKey:
		return "Ed25519"
	}
	return c.PublicKeyAlgorithm.String()
}

// settingNames names the settings of a frame as RFC 9113 §6.5.2 does, with the prefix.
func settingNames(all []http2.Setting) []facts.Setting {
	out := []facts.Setting{}
	for _, s := range all {
		out = append(out, facts.Setting{Name: settingName(s.ID), Value: s.Val})
	}
	return out
}

func settingName(id http2.SettingID) string {
	if name := id.String(); !strings.HasPrefix(name, "UNKNOWN") {
		return "SETTINGS_" + name
	}
	if id == 9 { // RFC 9218 §2.1
		return "SETTINGS_NO_RFC7540_PRIORITIES"
	}
	return fmt.Sprintf("0x%x", uint16(id))
}

// free reports whether the connection was used, is still open, and has no request in flight.
func (r *run) free() bool { return r.sent > 0 && len(r.open) == 0 && !r.over() }

// outlived keeps the longest time without a request in flight that the connection outlived.
func (r *run) outlived(until time.Time) {
	if r.free() {
		r.paused = max(r.paused, until.Sub(r.lastNews))
	}
}

// unusedMS is the time without a request in flight when the end came, or nil.
func (r *run) unusedMS() *float64 {
	if r.unused == nil {
		return nil
	}
	took := ms(*r.unused)
	return &took
}
