package probe

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

// look asks: who are you? One connection, one request.
func (s *survey) look(ctx context.Context) error {
	l, err := connect(ctx, s.target, "h2")
	if err != nil {
		return err
	}
	if err := s.meet(l); err != nil {
		l.close()
		return err
	}
	c := speak(ctx, s.target, l)
	defer c.close()
	if err := c.greet(); err != nil {
		return err
	}
	s.out.Settings = settingNames(c.settings)
	c.seen = s.header
	a := s.ask
	a.MaxStreams, a.MaxTime = 1, s.target.patience()+time.Second
	w := newWalk(c, a)
	err = w.toTheEnd()
	s.out.Requests += w.sent
	if err == nil && w.answered == 0 {
		err = w.unanswered()
	}
	s.tally(w.statuses)
	s.redirected()
	return err
}

// unanswered is the error for a connection whose only request met its end. A
// GOAWAY with its first request (keepalive_requests 1) is followed by the answer.
func (w *walk) unanswered() error {
	for w.first != nil && w.first.code == http2.ErrCodeNo && w.promised() && !w.gone {
		if err := w.step(w.lastNews.Add(w.target.patience())); err != nil {
			return err
		}
		if time.Since(w.lastNews) >= w.target.patience() {
			break
		}
	}
	g := w.first
	switch {
	case w.answered > 0:
		return nil
	case len(w.resets) > 0:
		return fmt.Errorf("%s resets the first stream (%v) instead of answering; its log may say why", w.target.Addr, w.resets[1])
	case g == nil && len(w.statuses) > 0:
		return fmt.Errorf("%s breaks its first answer (status %s) off after the headers and closes the connection; its log may say why", w.target.Addr, short(w.status))
	case g == nil:
		return fmt.Errorf("%s closes the connection without an answer or a GOAWAY; its log may say why", w.target.Addr)
	case g.code != http2.ErrCodeNo:
		return fmt.Errorf("%s ends the connection at the first request with GOAWAY %v %q; its log may say why", w.target.Addr, g.code, short(g.debug))
	}
	return fmt.Errorf("%s takes no request on a new connection (GOAWAY, last stream %d); is it shutting down?", w.target.Addr, g.last)
}

// meet writes down what the handshake showed, settles the defaults that depend
// on who answers, stays with that address, and says what will be sent.
func (s *survey) meet(l *line) error {
	s.out.Connections++
	to := l.tcp.RemoteAddr()
	s.out.Address = to.String()
	state := l.tls.ConnectionState()
	connecting, handshaking := ms(l.connecting), ms(l.handshaking)
	s.out.TLS.Version, s.out.TLS.Cipher, s.out.TLS.ALPN = tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite), state.NegotiatedProtocol
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

// header reads the fields of the first answer.
func (s *survey) header(name, value string) {
	switch name {
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
		s.warn("it answers %d to %s: not followed, since the answer counts for the limit as any other", s.out.Status, s.out.Location)
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

// settingNames spells a SETTINGS frame as RFC 9113 §6.5.2 does, with its prefix.
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
