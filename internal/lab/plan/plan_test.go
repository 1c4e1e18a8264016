package plan

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

var update = flag.Bool("update", false, "write the golden file")

func knobs() Knobs { return Usual() }

// given sets a knob by its variable's name.
func given(t *testing.T, knobs reflect.Value, name, value string) (known bool) {
	t.Helper()
	for field, v := range knobs.Fields() {
		if field.Anonymous && given(t, v, name, value) {
			return true
		}
		if field.Tag.Get("env") != name && strings.ToUpper(field.Name) != name {
			continue
		}
		switch to := v.Addr().Interface().(type) {
		case *string:
			*to = value
		case *[]string:
			*to = strings.Split(value, ",")
		case *time.Duration:
			d, err := time.ParseDuration(value)
			labtest.Check(t, err)
			*to = d
		default:
			labtest.Check(t, json.Unmarshal([]byte(value), to))
		}
		return true
	}
	return false
}

// refusal is the error of a command with these knobs.
func refusal(command string, k Knobs) (err error) {
	switch {
	case command == Story:
		if err = k.ValidateStory(); err == nil {
			_, err = StoryCells(storyRows(), k)
		}
	case command == Sweep && k.Sweep == Matters:
		if err = k.ValidateMatters(); err == nil {
			err = UnusedInMatters(flat(MattersPlaces(k, okHTTPRow)), k)
		}
	case command == Sweep:
		names, err := SweepsOf(k.Sweep)
		var all []facts.Planned
		for _, name := range names {
			cells, err := SweepCells(name, k, sweepRows())
			if err != nil {
				return err
			}
			all = append(all, cells...)
		}
		return cmp.Or(err, UnusedInSweep(all, k))
	default:
		if err = k.Validate(); err == nil {
			_, err = Cells(command, k)
		}
	}
	return err
}

func TestKnobsNameWhatIsWrongAndWhatTheyMayBe(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Knobs)
	_, table, _ := strings.Cut(labtest.Read(t, "testdata/knobs.txt"), "\n\n")
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	for i := 0; i+2 < len(lines); i += 3 {
		words, says := strings.Fields(lines[i+1]), strings.TrimPrefix(lines[i+2], "  ")
		check := func(t *testing.T) {
			k, g := UsualFor(words[0]), Given{}
			for _, word := range words[1:] {
				name, value, _ := strings.Cut(word, "=")
				if g[name] = value; words[0] != "given" && !given(t, reflect.ValueOf(&k).Elem(), name, value) {
					t.Fatalf("no knob is called %s", name)
				}
			}
			err := g.Conflict()
			if words[0] != "given" {
				err = refusal(words[0], k)
			}
			if says == "–" != (err == nil) || err != nil && (!strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%q: error %v, want %q", words, err, says)
			}
		}
		if says == "–" {
			check(t)
			continue
		}
		faults.Try(lines[i], check)
	}
}

// line is one cell with its load.
func line(c facts.Planned) string {
	w := c.Workload
	out := fmt.Sprintf("%s %s %s %s %s: %d×%d, %d ms, rtt %g, %s %s, %g+%g s", c.Topology.Name, c.Protocol, c.Client, c.Users, c.Point,
		w.Concurrency, w.Pools, w.DelayMS, w.Distance.RTTMS, w.MaxTLS, w.Key, w.WarmupS, w.DurationS)
	if w.Resume {
		out += " resumed"
	}
	if w.Arrivals != "" {
		out += " " + string(w.Arrivals)
	}
	if w.Requests+w.ThinkMS > 0 {
		out += fmt.Sprintf(", %d requests, %d ms thought", w.Requests, w.ThinkMS)
	}
	if why := texts.English.In(TooSlow(c)) + texts.English.In(TooFewRenewals(c)); c.Point != "" && why != "" {
		out += ": " + why
	}
	return out
}

// The golden file has every cell of every command: what each measures, over what, in which order.
func TestTheCellsOfEveryCommand(t *testing.T) {
	var out strings.Builder
	add := func(command string, cells []facts.Planned) {
		fmt.Fprintf(&out, "%s: %d cells\n", command, len(cells))
		for _, c := range cells {
			fmt.Fprintf(&out, "  %s\n", line(c))
		}
	}
	for _, command := range []string{Repro, Fixed} {
		cells, err := Cells(command, knobs())
		labtest.Check(t, err)
		add(command, cells)
	}
	for _, gateway := range Gateways {
		k := UsualFor(Story)
		k.Gateway = gateway
		cells, err := StoryCells(storyRows(), k)
		labtest.Check(t, err)
		add("story, "+gateway, cells)
	}
	for _, quick := range []bool{false, true} {
		for _, name := range Sweeps {
			cells, err := SweepCells(name, sweepKnobs(name, quick), sweepRows())
			labtest.Check(t, err)
			distinct(t, cells)
			for i, pass := range Passes(name, cells) {
				add(fmt.Sprintf("%s, quick %t, pass %d", name, quick, i+1), pass)
			}
		}
		add(fmt.Sprintf("matters, quick %t", quick), flat(MattersPlaces(mattersKnobs(quick), okHTTPRow)))
	}
	labtest.Golden(t, "cells.txt", []byte(out.String()), *update)
}

// The recorded runs took 6.7 s a trial with the usual window of 5 s, 8 s on a slow machine; the servers start within 20 s,
// services within a minute.
func TestEveryCommandIsExpectedToFitItsTime(t *testing.T) {
	k, story := knobs(), UsualFor(Story)
	fixed, err := Cells(Fixed, k)
	labtest.Check(t, err)
	cells, err := StoryCells(storyRows(), story)
	labtest.Check(t, err)
	type expected struct{ took, most time.Duration }
	all := map[string]expected{
		"fixed":          {time.Duration(len(fixed)*k.Trials)*(k.Warmup+k.Duration+2*time.Second) + 20*time.Second, 10 * time.Minute},
		"story":          {time.Duration(len(cells)*story.Trials) * (story.Warmup + story.Duration + 1500*time.Millisecond), 7 * time.Minute},
		"matters":        {MattersTake(flat(MattersPlaces(mattersKnobs(false), okHTTPRow)), UsualTrials(Matters)), 30 * time.Minute},
		"matters, quick": {MattersTake(flat(MattersPlaces(mattersKnobs(true), okHTTPRow)), 1), 5 * time.Minute},
	}
	sum, quick := time.Duration(0), []facts.Planned{}
	for _, name := range Sweeps {
		whole, err := SweepCells(name, sweepKnobs(name, false), sweepRows())
		labtest.Check(t, err)
		few, err := SweepCells(name, sweepKnobs(name, true), sweepRows())
		labtest.Check(t, err)
		sum, quick = sum+Takes(whole, 1), append(quick, few...)
		all[name] = expected{Takes(whole, 1), 15 * time.Minute}
	}
	all["all sweeps"], all["all sweeps, quick"] = expected{sum, time.Hour}, expected{Takes(quick, 1), 15 * time.Minute}
	for name, x := range all {
		if x.took > x.most || x.took == 0 {
			t.Errorf("%s takes %s, more than %s", name, x.took, x.most)
		}
	}
}

func TestMatrixHasEveryTopologyProtocolAndClient(t *testing.T) {
	cells, err := Cells(Matrix, knobs())
	labtest.Check(t, err)
	if want := len(Topologies(1000)) * 2 * len(facts.Clients); len(cells) != want {
		t.Errorf("matrix has %d cells, want %d", len(cells), want)
	}
}

func TestALowerLimitRenamesTheLowTopologiesOnly(t *testing.T) {
	k := knobs()
	k.Limit = 100
	for command := range tables {
		cells, err := Cells(command, k)
		labtest.Check(t, err)
		for _, c := range cells {
			if c.Topology.Name == "" {
				t.Fatalf("%s has a row whose topology doesn't exist", command)
			}
			if strings.Contains(c.Topology.Name, "1000") && c.Topology.Name != "nginx-100000" {
				t.Errorf("%s still names %s in a run with LIMIT=100", command, c.Topology.Name)
			}
		}
	}
}

func TestExpectedConnections(t *testing.T) {
	w := knobs().Workload()
	for _, c := range []struct {
		why      string
		p        facts.Protocol
		c        facts.Client
		pools    int
		limit    int
		requests int64
		want     int64
	}{
		{"one pool shares", facts.H2, facts.K6SharedPool, 1, 1000, 40000, 40},
		{"a part of a budget is a connection", facts.H2, facts.GoOnce, 1, 1000, 40001, 41},
		{"no limit", facts.H2, facts.GoOnce, 1, 0, 40001, 1},
		{"four pools, few requests", facts.H2, facts.GoOnce, 4, 100000, 500, 4},
		{"h1 needs one for each in flight", facts.H1, facts.GoOnce, 1, 1000, 500, 100},
		{"h1 wears them out", facts.H1, facts.GoOnce, 1, 1000, 200000, 200},
		{"every VU its own", facts.H2, facts.K6ConnectionPerVU, 1, 1000, 500, 100},
	} {
		w.Pools = c.pools
		if got := facts.Expected(c.p, c.c, w, c.limit, c.requests); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
	w.Pools, w.Concurrency = 1, 200
	if got := facts.Expected(facts.H2, facts.GoOnce, w, 0, 500); got != 2 {
		t.Errorf("200 in flight with 128 streams a connection: %d, want 2", got)
	}
}

func TestTheUsualKnobsAreTheFlagsDefaults(t *testing.T) {
	var c struct {
		Knobs `embed:""`
	}
	for _, name := range []string{"CONCURRENCY", "LIMIT", "TRIALS", "CPUS", "QUICK", "SEED"} {
		t.Setenv(name, "") // registers the restoration
		os.Unsetenv(name)
	}
	parser, err := kong.New(&c)
	labtest.Check(t, err)
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c.Knobs, Usual()) {
		t.Errorf("flags default to %+v, Usual is %+v", c.Knobs, Usual())
	}
}

func TestALowerLimitHasALowerShareOfTheRequestsInFlight(t *testing.T) {
	rows := []Row{{Client: "a", Protocol: facts.H2, Program: &facts.Program{}}}
	k := UsualFor(Clients)
	for _, c := range []struct{ limit, concurrency, want int }{{1000, 100, 10}, {200, 100, 50}, {1000, 5, 1}} {
		k.Limit, k.Concurrency = c.limit, c.concurrency
		for _, cells := range [][]facts.Planned{LowerCells(rows, k), GentleCells(rows, k, LowerLimit)} {
			if len(cells) != 1 || cells[0].Workload.Concurrency != c.want || cells[0].Topology.Limit != LowerLimit {
				t.Errorf("%+v: %+v", c, cells)
			}
		}
		if cells := GentleCells(rows, k, c.limit); len(cells) != 1 || cells[0].Workload.Concurrency != c.concurrency {
			t.Errorf("%+v at the run's own limit: %+v", c, cells)
		}
	}
	k.Limit = LowerLimit
	if cells := LowerCells(rows, k); len(cells) != 0 {
		t.Errorf("a run at the lower limit has cells at a second one: %+v", cells)
	}
	if cells := GentleCells(rows, k, LowerLimit); len(cells) != 1 || cells[0].Workload.Concurrency != k.Concurrency {
		t.Errorf("%+v", cells)
	}
	k.Limit, k.Topologies = 1000, []string{"nginx-1000"}
	if cells := LowerCells(rows, k); len(cells) != 0 {
		t.Errorf("TOPOLOGY=nginx-1000 has cells elsewhere: %+v", cells)
	}
}

func TestARateIsInEveryWorkloadThatTakesOne(t *testing.T) {
	k := Usual()
	k.Rate, k.Arrivals = "2000", "poisson"
	for _, command := range []string{Repro, Fixed, Matrix} {
		cells, err := Cells(command, k)
		labtest.Check(t, err)
		for _, c := range cells {
			w := c.Workload
			if c.Client == facts.K6ConnectionPerVU || w.RatePerS != 2000 || w.Arrivals != facts.Poisson || w.Concurrency != 1000 {
				t.Errorf("%s: %s %+v", command, c.Client, w)
			}
		}
	}
}

func TestAShareIsMeasuredInAClosedLoopFirst(t *testing.T) {
	k := Usual()
	k.Rate = "70%"
	cells, err := Cells(Repro, k)
	labtest.Check(t, err)
	for _, c := range cells {
		if c.Workload.RatePerS != 0 || c.Workload.Concurrency != 100 || c.Workload.Arrivals != "" {
			t.Errorf("%s: %+v", c.Client, c.Workload)
		}
	}
	for goodput, want := range map[float64]float64{1000: 700, 0.4: 1, 1e9: 100_000, 1234.4: 864} {
		if got := k.ShareOf(goodput); got != want {
			t.Errorf("70%% of %v is %v, want %v", goodput, got, want)
		}
	}
}

func TestHowManyMayBeInFlightAtARate(t *testing.T) {
	for inFlight, want := range map[int]int{1: 10, 50: 500, 100: 1000, 400: 1000, 1000: 1000} {
		k := Usual()
		k.Concurrency, k.Rate = inFlight, "5"
		if got := k.MayBeInFlight(); got != want || k.Workload().Concurrency != want {
			t.Errorf("CONCURRENCY=%d: %d, want %d", inFlight, got, want)
		}
		k.Rate = ""
		if got := k.MayBeInFlight(); got != inFlight {
			t.Errorf("CONCURRENCY=%d in a closed loop: %d", inFlight, got)
		}
	}
}

func TestAShareMustSuffice(t *testing.T) {
	k := Usual()
	k.Rate, k.Pools = "1%", 50
	if err := k.CheckShare(50); err != nil {
		t.Error(err)
	}
	want := "RATE=1% is 49 requests/s here, and POOLS=50 needs one request a second for each pool"
	if err := k.CheckShare(49); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

func TestARateWithoutARenewalIsNamed(t *testing.T) {
	for _, c := range []struct {
		rate         string
		limit, pools int
		want         string
	}{
		{"70", 1000, 1, "RATE=70 sends 420 requests to an HTTP/2 connection in a trial (6 s with the warm-up), so none reaches LIMIT=1000"},
		{"70", 100, 1, ""}, {"70", 100, 5, "sends 84 requests"}, {"2000", 1000, 1, ""}, {"", 1000, 1, ""},
		{"70%", 1000, 1, ""}, // not known before the closed loops
	} {
		k := Usual()
		k.Rate, k.Limit, k.Pools = c.rate, c.limit, c.pools
		if got := k.WithoutRenewal(); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("RATE=%s LIMIT=%d POOLS=%d: %q", c.rate, c.limit, c.pools, got)
		}
	}
}

// repro with go-once alone has no user of k6 that a rate could leave out.
func TestWhatARateLeavesOut(t *testing.T) {
	for _, c := range []struct {
		command, rate string
		clients       []string
		want          bool
	}{{Matrix, "2000", nil, true}, {Matrix, "", nil, false}, {Matrix, "2000", []string{"go-once"}, false},
		{Repro, "70%", []string{"go-once"}, false}} {
		k := Usual()
		k.Rate, k.Clients = c.rate, c.clients
		if got := RateLeavesOut(c.command, k); got != c.want {
			t.Errorf("%s RATE=%s CLIENT=%v: %v", c.command, c.rate, c.clients, got)
		}
	}
}

func TestALowerLimitHasALowerRate(t *testing.T) {
	k := UsualFor(Clients)
	k.Rate = "2000"
	rows := []Row{{Client: facts.GoOnce, Protocol: facts.H2, Program: &facts.Program{TakesRate: true}}}
	for _, c := range LowerCells(rows, k) {
		if c.Workload.RatePerS != 200 || c.Workload.Concurrency != 1000 {
			t.Errorf("%+v", c.Workload)
		}
	}
}
