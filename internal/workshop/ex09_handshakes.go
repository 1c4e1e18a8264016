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

	"h2lab/internal/field/advise/document"
	"h2lab/internal/field/handshake"
)

// The states of exercise 9.
const (
	tlsOpen     State = "open"
	tlsWords    State = "words"
	tlsUpside   State = "upside-down"
	tlsECDSA    State = "ecdsa"
	tlsResumed  State = "resumption"
	tlsNotClean State = "other-server"
	tlsNoFile   State = "no-measurement"
	tlsNotHere  State = "another-machine"
	tlsNotOwn   State = "not-its-own"
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

// handshakes is exercise 9: what a handshake costs the server.
func handshakes() Exercise {
	return Exercise{
		Number: 9, Name: "tls", Files: []string{answersFile},
		Check: checkHandshakes,
	}
}

func checkHandshakes(ctx context.Context, d *Desk) (Finding, error) {
	a, err := d.answers(9, ecdsaKey, resumedKey)
	if err != nil {
		return Finding{}, err
	}
	if open := a.open(ecdsaKey, resumedKey); len(open) > 0 {
		return lacks(tlsOpen, "%s has no answer for %s", shown(9, answersFile), strings.Join(open, ", ")), nil
	}
	var said [2]float64
	for i, key := range []string{ecdsaKey, resumedKey} {
		var ok bool
		if said[i], ok = parseFactor(a[key]); !ok {
			return lacks(tlsWords, "%s for %s is not a number", clip(a[key]), key), nil
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
			return [2]float64{}, lacks(tlsNoFile, "%s isn't there: keep your measurement of this key in it", shown(9, name)), nil
		}
		if err != nil {
			return [2]float64{}, Finding{}, err
		}
		key := strings.TrimSuffix(name, ".json")
		if json.Unmarshal([]byte(text), &docs[i]) != nil || docs[i].Asked.Key != key || !measuredHere(docs[i]) {
			return [2]float64{}, lacks(tlsNoFile, "%s is not a measurement of the key %s by h2lab advise --json", shown(9, name),
				key), nil
		}
	}
	rsa, ecdsa := docs[0].Handshake.Go, docs[1].Handshake.Go
	return [2]float64{rsa.FullMS / ecdsa.FullMS, rsa.FullMS / rsa.ResumedMS}, done(""), nil
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
		own, m := kept[i], measured[i]
		if !near(own, m, factor) {
			return lacks(tlsNotHere, "your files give %.2g for %s, which differs by more than a factor of %d from the new "+
				"measurement", own, key, factor)
		}
		s := said[i]
		if near(s, own, rounding) {
			continue
		}
		switch {
		case s < 1 && near(1/s, own, rounding):
			return lacks(tlsUpside, "%s is %.2g, which is the inverse of the right value", key, s)
		case near(s, own*ofOpenSSL, rounding):
			return lacks(tlsNotClean, "%.2g for %s is the estimate for nginx, not the measurement on this machine", s, key)
		case !near(s, m, factor):
			return lacks([]State{tlsECDSA, tlsResumed}[i],
				"%.2g for %s differs by more than a factor of %d from the measurements", s, key, factor)
		}
		return lacks(tlsNotOwn, "%.2g for %s is not what your own files give", s, key)
	}
	return done("your measurement and a new one agree: a full ECDSA handshake is %.1f times and a resumed one %.1f times "+
		"cheaper for the server than a full one with RSA", measured[0], measured[1])
}

// near reports whether two numbers differ by at most a factor.
func near(a, b, by float64) bool { return a <= by*b && b <= by*a }
