package accesslog

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// randomClass is a kind of world, and the verdicts that are right for it: one that can't tell is right too,
// one of another cause isn't.
type randomClass struct {
	make func(r *rand.Rand) world
	ok   []string
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// between draws a time.
func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(to-from)))
}

// pools are clients that never leave.
func pools(r *rand.Rand, most int, from, to time.Duration) crowd {
	return crowd{n: 1 + r.IntN(most), agent: goClient, addr: pick(r, "", "10.0.0.1"), every: between(r, from, to),
		spread: 1 + 4*r.Float64()}
}

// visits are programs that send a number of requests and leave.
func visits(r *rand.Rand, requests int, least, most time.Duration) world {
	return world{length: 20 * mins, limit: 1000, idle: 75 * sec, crowds: []crowd{{n: 1 + r.IntN(20), agent: "job/1",
		addr: pick(r, "", "10.0.0.1"), every: between(r, 10*ms, 300*ms), visit: requests, pause: between(r, least, most)}}}
}

var randomClasses = map[string]randomClass{
	"limit": {func(r *rand.Rand) world {
		c := pools(r, 8, 20*ms, 120*ms)
		c.conns, c.dials, c.regular = 1+r.IntN(3), pick(r, 1, 1, 10, 40), r.IntN(4) == 0
		return world{length: 20 * mins, limit: pick(r, 100, 200, 500, 1000, 1000), idle: 75 * sec, crowds: []crowd{c}}
	}, []string{AtLimit, Stampede, PerhapsIt, SlowLimit}},
	"age": {func(r *rand.Rand) world {
		c := pools(r, 8, 20*ms, 320*ms)
		c.conns, c.dials = 1+r.IntN(3), pick(r, 1, 1, 20)
		w := world{length: 30 * mins, limit: 1_000_000, crowds: []crowd{c}}
		*pick(r, &w.age, &w.cut) = pick(r, 10*sec, 30*sec, 60*sec, 300*sec)
		return w
	}, []string{Aged, CountOrAge, Calm, Churn}},
	"idle": {func(r *rand.Rand) world {
		idle := pick(r, 5*sec, 15*sec, 60*sec)
		return world{length: 3 * hour, limit: 1000, idle: idle, crowds: []crowd{{n: 3 + r.IntN(20), agent: goClient,
			every: time.Duration(float64(idle) * (0.4 + r.Float64()))}}}
	}, []string{Idled, Churn, Calm, OneEach}},
	"reload": {func(r *rand.Rand) world {
		c := pools(r, 30, 200*ms, 1200*ms)
		c.n += 5
		return world{length: 40 * mins, limit: 1_000_000, idle: 75 * sec, crowds: []crowd{c},
			reloads: []time.Duration{between(r, 5*mins, 15*mins), between(r, 20*mins, 30*mins)}}
	}, []string{Reloaded}},
	"visits": {func(r *rand.Rand) world { return visits(r, 2+r.IntN(47), ms, 20*sec) },
		[]string{ClientsStop, SameCount, Churn, Calm, CountOrAge}},
	"visits with a usual number": {func(r *rand.Rand) world { return visits(r, pick(r, 50, 200, 500), 5*sec, 30*sec) },
		[]string{ClientsStop, SameCount, Churn, Calm, CountOrAge}},
	"visitors": {func(r *rand.Rand) world {
		w := visits(r, 2+r.IntN(200), sec, 60*sec)
		w.crowds[0].around = true
		return w
	}, []string{Churn, Calm, TooLittle}},
	"a short log": {func(r *rand.Rand) world {
		c := pools(r, 4, 2*ms, 6*ms)
		c.dials = pick(r, 1, 30)
		return world{length: 40 * sec, limit: pick(r, 100, 1000), idle: 75 * sec, crowds: []crowd{c}}
	}, []string{AtLimit, Stampede, PerhapsIt, SlowLimit, Calm, SameCount}},
	"calm": {func(r *rand.Rand) world {
		return world{length: 20 * mins, crowds: []crowd{pools(r, 30, 50*ms, 850*ms)}}
	}, []string{Calm}},
}

func TestRandomWorlds(t *testing.T) {
	seeds := 1
	if n, err := strconv.Atoi(os.Getenv("WORLDS")); err == nil { // more of them, by hand
		seeds = n
	}
	for name, c := range randomClasses {
		for seed := range seeds {
			randomWorld(t, name, c.make, c.ok, uint64(seed))
		}
	}
}

// randomWorld reads one random log in several formats.
func randomWorld(t *testing.T, name string, make func(*rand.Rand) world, ok []string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 99))
	w := make(r)
	w.seed = seed
	lines := disturbed(r, &w)
	for format, as := range map[string]func(request) string{"offered": asOffered, "JSON": asJSON, "HAProxy": asHAProxy,
		"Envoy": asEnvoy} {
		got := read(t, strings.NewReader(text(lines, as)), direct)
		if v := got.Verdict; !slices.Contains(ok, v.ID) {
			t.Errorf("%s %d, %s: %s: %s", name, seed, format, v.ID, v.Says[0])
		}
	}
}

// disturbed adds health checks and visitors to a world, and cuts and mixes its log.
func disturbed(r *rand.Rand, w *world) []request {
	noise := r.IntN(4)
	if noise == 1 || noise == 3 {
		w.crowds = append(w.crowds, crowd{n: 2, agent: "kube-probe/1.30", path: "/healthz", every: 5 * sec, regular: true,
			visit: 1, h1: true})
	}
	if noise >= 2 {
		w.crowds = append(w.crowds, crowd{n: 40, agent: browser, every: 200 * ms, visit: 8, around: true, pause: 3 * mins})
	}
	lines := w.run()
	if r.IntN(2) == 0 {
		lines = lines[len(lines)/4:]
	}
	if r.IntN(3) == 0 {
		for i := range lines {
			j := min(len(lines)-1, i+r.IntN(6))
			lines[i], lines[j] = lines[j], lines[i]
		}
	}
	return lines[:min(len(lines), 400_000)]
}
