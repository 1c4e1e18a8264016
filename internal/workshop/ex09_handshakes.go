package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/advise/document"
	"h2lab/internal/field/handshake"
)

const (
	ecdsaKey   = "ecdsa_times_cheaper"
	resumedKey = "resumption_times_cheaper"
	// factor is how far an answer may be off: two measurements on a busy machine differ by half of
	// that factor.
	factor = 2
	// rounding is how far an answer may be from the quotient of its own measurement.
	rounding = 1.15
	// The kinds of handshake are measured one after the other, so load from another program for a
	// second affects only one of them. The check therefore takes the median of several rounds.
	tlsRounds = 5
	tlsTime   = 600 * time.Millisecond // for each round
	// ofOpenSSL converts a cost ratio measured in Go to one of nginx with OpenSSL: nginx takes 0.6
	// times Go's time for a full RSA handshake and 1.4 times for the others (docs/advise.md).
	ofOpenSSL = 0.6 / 1.4
)

// checkHandshakes: what a handshake costs the server.
func checkHandshakes(ctx context.Context, d *Desk) (Finding, error) {
	a, f, err := d.answers(9, facts.Text{}, ecdsaKey, resumedKey)
	if err != nil || f.State != Done {
		return f, err
	}
	var said [2]float64
	for i, key := range []string{ecdsaKey, resumedKey} {
		var ok bool
		if said[i], ok = parseFactor(a[key]); !ok {
			return lacks("words", facts.T("workshop.no-number", clip(a[key]), key)), nil
		}
	}
	kept, f, err := d.keptHandshakes()
	if err != nil || f.State != Done {
		return f, err
	}
	measured, err := measureHandshakes(ctx)
	if err != nil {
		return Finding{}, err
	}
	return judgeHandshakes(said, kept, measured), nil
}

// handshakeFiles are the files in which a learner keeps the measurements of the two keys.
var handshakeFiles = [2]string{"rsa.json", "ecdsa.json"}

// keptHandshakes returns the learner's own two quotients.
func (d *Desk) keptHandshakes() ([2]float64, Finding, error) {
	var docs [2]document.Document
	for i, name := range handshakeFiles {
		text, err := d.read(9, name)
		var missing *MissingError
		if errors.As(err, &missing) {
			return [2]float64{}, lacks("no-measurement", facts.T("workshop.keep-measurement", shown(9, name))), nil
		}
		if err != nil {
			return [2]float64{}, Finding{}, err
		}
		key := strings.TrimSuffix(name, ".json")
		if json.Unmarshal([]byte(text), &docs[i]) != nil || docs[i].Asked.Key != key || !measuredHere(docs[i]) {
			return [2]float64{}, lacks("no-measurement", facts.T("workshop.no-measurement", shown(9, name), key)), nil
		}
	}
	rsa, ecdsa := docs[0].Handshake.Go, docs[1].Handshake.Go
	return [2]float64{rsa.FullMS / ecdsa.FullMS, rsa.FullMS / rsa.ResumedMS}, Finding{State: Done}, nil
}

// measuredHere reports whether a document has a measurement as advise writes it: an edited median lies outside its own
// interval, and a text typed by hand has no counts.
func measuredHere(d document.Document) bool {
	m := d.Handshake.Go
	return m != nil && d.SchemaVersion > 0 && d.Asked.TLS == "1.3" && m.Count > 0 && m.ResumedCount > 0 &&
		0 < m.FullLoMS && m.FullLoMS <= m.FullMS && m.FullMS <= m.FullHiMS &&
		0 < m.ResumedLoMS && m.ResumedLoMS <= m.ResumedMS && m.ResumedMS <= m.ResumedHiMS
}

// parseFactor reads 5.7, 5,7 and 5.7x.
func parseFactor(answer string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimRight(strings.Replace(answer, ",", ".", 1), "x×倍 ")), 64)
	return v, err == nil && v > 0 && v < 1e6
}

// measureHandshakes returns how many times cheaper than a full RSA handshake a full ECDSA handshake
// and a resumed one are for the server.
func measureHandshakes(ctx context.Context) ([2]float64, error) {
	var rounds [2][]float64
	for range tlsRounds {
		costs, err := handshake.Measure(ctx, tlsTime,
			handshake.Kind{Key: handshake.RSA, TLS: "1.3"},
			handshake.Kind{Key: handshake.ECDSA, TLS: "1.3"},
			handshake.Kind{Key: handshake.RSA, TLS: "1.3", Resumed: true})
		if err != nil {
			return [2]float64{}, err
		}
		rsa, ecdsa, resumed := costs[0].Server.MedianMS, costs[1].Server.MedianMS, costs[2].Server.MedianMS
		if !(rsa > 0 && ecdsa > 0 && resumed > 0) {
			return [2]float64{}, fmt.Errorf("handshakes of %v, %v and %v ms are too short for this machine's clock",
				rsa, ecdsa, resumed)
		}
		rounds[0], rounds[1] = append(rounds[0], rsa/ecdsa), append(rounds[1], rsa/resumed)
	}
	for i := range rounds {
		slices.Sort(rounds[i])
	}
	return [2]float64{rounds[0][tlsRounds/2], rounds[1][tlsRounds/2]}, nil
}

// judgeHandshakes compares two answers with the learner's own quotients, and those with new ones.
func judgeHandshakes(said [2]float64, kept, measured [2]float64) Finding {
	for i, key := range []string{ecdsaKey, resumedKey} {
		s, own, m := said[i], kept[i], measured[i]
		right, shown := near(s, own, rounding), text.Digits(s, 2)
		if f := first(
			rule{!near(own, m, factor), "another-machine",
				facts.T("workshop.files-differ", text.Digits(own, 2), key, factor)},
			rule{!right && s < 1 && near(1/s, own, rounding), "upside-down", facts.T("workshop.inverse", key, shown)},
			rule{!right && near(s, own*ofOpenSSL, rounding), "other-server", facts.T("workshop.estimate", shown, key)},
			rule{!right && !near(s, m, factor), []State{"ecdsa", "resumption"}[i],
				facts.T("workshop.factor-off", shown, key, factor)},
			rule{!right, "not-its-own", facts.T("workshop.not-your-files", shown, key)},
		); f.State != Done {
			return f
		}
	}
	return done(facts.T("workshop.measurements-agree", text.Decimals(measured[0], 1), text.Decimals(measured[1], 1)))
}

// near reports whether two numbers differ by at most a factor.
func near(a, b, by float64) bool { return a <= by*b && b <= by*a }
