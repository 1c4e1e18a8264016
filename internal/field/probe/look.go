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

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

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
		s.note(notes.Redirect, "status", s.out.Status, "location", s.out.Location)
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
