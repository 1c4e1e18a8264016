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
				"chapter 9 uses a verb of the lab that measures handshakes on this machine",
				"run it once for each kind of key and print JSON, which includes the measurements",
				"the answers are quotients of costs: the full handshake with RSA divided by the one with the " +
					"other key, and divided by the resumed one",
			},
			tlsWords: {
				"an answer is a number such as 3.5",
				"without unit and percent: the higher cost divided by the lower one",
				"a number above one, with a point before its decimals",
			},
			tlsUpside: {
				"the answer is below one: which of the two is cheaper?",
				"divide the higher cost by the lower one",
				"invert your fraction",
			},
			tlsECDSA: {
				"the two keys differ in the cost of a signature: who signs, the client or the server?",
				"the question is about the server's processor time and full handshakes; the client's cost is the " +
					"reverse",
				"use the field of the full handshake without \"client\" in its name, from both outputs, under " +
					"\"measured\"",
			},
			tlsResumed: {
				"a resumed handshake needs no signature: compare it with a full one with RSA",
				"take both costs from the same output, the one for RSA",
				"divide the full one by the resumed one, both of the server, both under \"measured\"",
			},
			tlsNotClean: {
				"that output has two costs: the measured one of Go on this machine, and an estimate for nginx",
				"the check measures Go's, so use Go's",
				"the JSON has an object \"measured\" inside \"handshake\"",
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
			return lacks(tlsWords, "%s for %s is not a number", clip(a[key]), key), nil
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

// judgeHandshakes compares two answers with two measurements.
func judgeHandshakes(said, measured [2]float64) Finding {
	for i, key := range []string{ecdsaKey, resumedKey} {
		s, m := said[i], measured[i]
		if near(s, m) {
			continue
		}
		switch {
		case s < 1 && near(1/s, m):
			return lacks(tlsUpside, "%s is %.2g, which is the inverse of the right value", key, s)
		case near(s, m*ofOpenSSL):
			return lacks(tlsNotClean,
				"%.2g for %s is closer to the estimate for nginx than to the measurement on this machine", s, key)
		}
		return lacks([]State{tlsECDSA, tlsResumed}[i],
			"%.2g for %s differs by more than a factor of %d from the new measurement", s, key, factor)
	}
	return done("in the new measurement, a full ECDSA handshake is %.1f times and a resumed one %.1f times "+
		"cheaper for the server than a full one with RSA", measured[0], measured[1])
}

func near(a, b float64) bool { return a <= factor*b && b <= factor*a }
