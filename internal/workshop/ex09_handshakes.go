package workshop

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
)

const (
	ecdsaKey   = "ecdsa_times_cheaper"
	resumedKey = "resumption_times_cheaper"
	// factor is how far an answer may be off: two measurements on a busy machine differ by half of
	// that factor.
	factor = 2
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
		Hints: map[State]Hints{
			stateFormat: formatHints,
			tlsOpen: {
				"chapter 9 has a verb of the lab that measures handshakes on this machine before it gives advice",
				"ask it once for each kind of key, and for its JSON, which tells what was measured besides what it " +
					"advises",
				"two prices divided by each other are the answer: the full handshake with RSA, by the same with the " +
					"other key, and by the resumed one",
			},
			tlsWords: {
				"how many times cheaper is a number such as 3.5",
				"no unit and no per cent: the dearer price divided by the cheaper",
				"a number above one, with a point before its decimals",
			},
			tlsUpside: {
				"the answer is below one: which of the two is the cheaper?",
				"how many times cheaper: the dearer price goes on top",
				"turn your fraction over",
			},
			tlsECDSA: {
				"signing is what differs between the two keys: for whom, the client or the server?",
				"the question is about the server's processor and full handshakes; the client's price " +
					"goes the other way",
				"take the field of the full handshake without a word for the client in its name, from both answers, " +
					"under what was measured",
			},
			tlsResumed: {
				"a resumed handshake needs no signature: compare it with a full one that has the dear kind",
				"take both prices from the same answer, the one for RSA",
				"the full one divided by the resumed one, both the server's, both under what was measured",
			},
			tlsNotClean: {
				"there are two prices in that answer: what was measured in Go here, and what nginx is thought to pay",
				"the check measures Go's, so compare with Go's",
				"the JSON has an object for what was measured, inside the one about the handshake",
			},
		},
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
		v := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(a[key], "times"), "x"), ",", ".")
		if said[i], err = strconv.ParseFloat(strings.TrimSpace(v), 64); err != nil || !(said[i] > 0 && said[i] < 1e6) {
			return lacks(tlsWords, "%s for %s is not how many times", clip(a[key]), key), nil
		}
	}
	measured, err := measureHandshakes(ctx)
	if err != nil {
		return Finding{}, err
	}
	return judgeHandshakes(said, measured), nil
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
			return [2]float64{}, fmt.Errorf("handshakes of %v, %v and %v ms can't be compared on this machine's clock",
				rsa, ecdsa, resumed)
		}
		rounds[0], rounds[1] = append(rounds[0], rsa/ecdsa), append(rounds[1], rsa/resumed)
	}
	for i := range rounds {
		slices.Sort(rounds[i])
	}
	return [2]float64{rounds[0][tlsRounds/2], rounds[1][tlsRounds/2]}, nil
}

// judgeHandshakes compares two answers with two measurements.
func judgeHandshakes(said, measured [2]float64) Finding {
	for i, key := range []string{ecdsaKey, resumedKey} {
		s, m := said[i], measured[i]
		if near(s, m) {
			continue
		}
		switch {
		case s < 1 && near(1/s, m):
			return lacks(tlsUpside, "%s is %.2g, which is the right fraction upside down", key, s)
		case near(s, m*ofOpenSSL):
			return lacks(tlsNotClean,
				"%.2g for %s is nearer to what nginx is thought to pay than to what was measured here", s, key)
		}
		return lacks([]State{tlsECDSA, tlsResumed}[i],
			"%.2g for %s is more than a factor of %d away from what was measured just now", s, key, factor)
	}
	return done("measured just now, a full ECDSA handshake is %.1f times and a resumed one %.1f times cheaper for "+
		"the server than a full one with RSA", measured[0], measured[1])
}

func near(a, b float64) bool { return a <= factor*b && b <= factor*a }
