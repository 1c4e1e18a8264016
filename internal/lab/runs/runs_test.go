package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// Every knob, including future ones, reaches the pod.
func TestAnOrderCarriesEveryKnob(t *testing.T) {
	var o Order
	nonzero(t, reflect.ValueOf(&o).Elem())
	b, err := json.Marshal(o)
	labtest.Check(t, err)
	var got Order
	labtest.Check(t, json.Unmarshal(b, &got))
	if !reflect.DeepEqual(got, o) {
		t.Errorf("an order arrives as %+v, sent was %+v", got, o)
	}
	if got.Knobs.Duration == 0 || got.Knobs.Only == nil || got.Lacks == nil || *got.Budgets["a"] == 0 {
		t.Errorf("the test leaves something empty: %+v", got)
	}
}

// nonzero sets every field to a value that isn't its zero value.
func nonzero(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			nonzero(t, field)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		nonzero(t, v.Elem())
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		nonzero(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("a").Convert(v.Type().Key()), value)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		nonzero(t, v.Index(0))
	case reflect.String:
		v.SetString("a")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(3 * time.Second))
	case reflect.Uint64:
		v.SetUint(1<<63 + 1) // no float64 holds it
	default:
		t.Fatalf("no value for a %s", v.Type())
	}
}

func TestBudgetsOfAnOrderLeaveOutWhatIsUnlimited(t *testing.T) {
	half := 0.5
	o := Order{Budgets: map[string]*float64{"nginx-1000": &half, "backend": nil}}
	if got := o.budgets(); len(got) != 1 || got["nginx-1000"] != half {
		t.Errorf("budgets %v", got)
	}
}

func TestTheCheckoutOfAnOrderIsTheHosts(t *testing.T) {
	want := facts.Git{Commit: "abc", Dirty: true}
	if got := (&Lab{Root: "/nowhere", Order: &Order{Git: want}}).git(context.Background()); got != want {
		t.Errorf("git %+v, want %+v", got, want)
	}
}

// The schema accepts the command line that a report tells its reader to paste, for all values of
// the knobs.
func TestEveryRepeatIsOneThatTheSchemaTakes(t *testing.T) {
	usual := Request{Knobs: plan.UsualFor(plan.Repro), Runtime: "native", Timeline: true}
	all := Request{Knobs: plan.Knobs{Concurrency: 7, Trials: 2, Limit: 100, Pools: 2, Delay: 3, Body: 4,
		Duration: 1500 * time.Millisecond,
		Warmup:   90 * time.Second, CPUs: "0.25", Method: "PUT", TLS: "1.2", Key: "ecdsa", Seed: 18446744073709551615,
		Topologies: []string{"nginx-100", "envoy-100"}, Protocols: []string{"h1", "h2"},
		Clients:  []string{"k6-shared-pool", "go-once"},
		Only:     []string{"okhttp-3.4.2", "node"},
		OpenLoop: plan.OpenLoop{Rate: "70%", Arrivals: "poisson"}}}
	quick := usual
	quick.Knobs.Quick, quick.Knobs.CPUs = true, "none"
	story := Request{Knobs: plan.UsualFor(plan.Story), Runtime: "native"}
	story.Knobs.Gateway, story.Knobs.Clients = "scg", []string{"resttemplate-okhttp3"}
	for _, c := range []Request{usual, all, quick, story} {
		for _, command := range []string{plan.Repro, plan.Fixed, plan.Matrix, plan.Clients, plan.Story} {
			c.Command, c.Runtime = command, Native
			r := &facts.Result{Run: c.header(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
			dir := t.TempDir()
			labtest.Check(t, results.Write(dir, r))
			if got, err := results.Read(dir); err != nil ||
				!strings.HasPrefix(got.Run.Repeat, "make "+command+" SEED=") {
				t.Errorf("%s: %v", r.Run.Repeat, err)
			}
		}
	}
}

// A learner exports RUNTIME=native in one terminal and forgets it in the next: `make down; make up` there
// must not start the servers in another runtime.
func TestUpWithoutARuntimeTakesTheOneOfTheLastUp(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no docker: the choice must not depend on one
	for _, c := range []struct{ stored, asked, want string }{
		{"native\n", Auto, Native},
		{"docker\n", Native, Native},
		{"docker\n", Auto, Native}, // its engine is gone
		{"docker", "", ""},
		{"", Auto, Native},
		{"podman\n", Auto, Native},
		{"pod\n", Auto, Native},
	} {
		l := &Lab{Root: t.TempDir()}
		labtest.Check(t, os.Mkdir(filepath.Join(l.Root, "var"), 0o755))
		labtest.Write(t, filepath.Join(l.Root, runtimeFile), c.stored)
		got, _, err := l.runtimeOfUp(t.Context(), c.asked, plan.Knobs{CPUs: "none"})
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("RUNTIME=%s after %q: %q, %v; want %q", c.asked, c.stored, got, err, c.want)
		}
	}
}

func TestTheReasonNamesTheLastUp(t *testing.T) {
	l := &Lab{Root: t.TempDir()}
	labtest.Check(t, os.Mkdir(filepath.Join(l.Root, "var"), 0o755))
	l.remember(Native)
	if got, why, err := l.runtimeOfUp(t.Context(), Auto, plan.Knobs{CPUs: "none"}); got != Native || err != nil ||
		why.Key != "lab.auto-last-up" {
		t.Errorf("%q, %q, %v", got, why, err)
	}
	l = &Lab{Root: filepath.Join(t.TempDir(), "gone")}
	l.remember(Native) // it can't be stored, and `up` works
}

// When the last save of a run fails, its directory has an older result: nothing may draw a report of it.
func TestARunThatCantBeSavedAtItsEndHasNoReport(t *testing.T) {
	labtest.NewFaults(t, labtest.Places).Try("the disk is full when a run ends", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		labtest.Write(t, file, "")
		for _, ended := range []error{nil, context.Canceled} {
			var unsaved *conduct.SaveError
			err := recording{result: &facts.Result{}, dir: filepath.Join(file, "run")}.close(ended)
			if !errors.As(err, &unsaved) || !errors.Is(err, ended) && ended != nil {
				t.Errorf("%v: %v", ended, err)
			}
		}
	})
}

// An interrupt ends the programs that are asked for their versions, so their failure is no reason to install them again.
func TestAnInterruptIsNoMissingRequirement(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	l := &Lab{Root: t.TempDir(), Messages: &out}
	e := clients.Ecosystem{Name: "java", Clients: []clients.Client{{Name: "okhttp"}}}
	if err := l.unsupported(ctx, programsOf(nil), e, "mvn -q --version: context canceled", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s := &servers{unsupported: map[string]facts.Text{}}
	if can := l.supported(ctx, s, plan.Topologies(1000)); len(can) > 0 || len(s.unsupported) > 0 {
		t.Errorf("%v, unsupported %v", can, s.unsupported)
	}
	if out.Len() > 0 {
		t.Errorf("an interrupt printed %s", &out)
	}
}

// A client matrix takes k6 for its rows; other rows bring their own programs. A service is warmed up by k6.
func TestTheToolsOfCells(t *testing.T) {
	for want, cells := range map[string][]facts.Planned{
		"k6":           {{Client: "curl", Program: &facts.Program{}}, {Client: facts.K6ConnectionPerVU, Program: &facts.Program{}}},
		"":             {{Client: "curl", Program: &facts.Program{}}, {Client: facts.GoReplayable, Program: &facts.Program{}}},
		"go-client k6": {{Client: facts.GoOnce}, {Client: facts.K6SharedPool}},
		"ab k6":        {{Client: "server-sync", Users: facts.Ab, Program: &facts.Program{}, Service: &facts.Server{}}},
	} {
		if need := strings.Join(clientTools(cells), " "); need != want {
			t.Errorf("%q, want %q", need, want)
		}
	}
}

// measured is a cell with one trial of a client that met its limit a number of times.
func measured(topology string, limit int, client facts.Client, renewals, lost int64) facts.Cell {
	attempts, accepted := int64(limit)*max(renewals, 1), renewals
	ok := attempts - lost
	return facts.Cell{Topology: topology, Protocol: facts.H2, Client: client, Program: &facts.Program{},
		Limit: facts.Limit{Configured: &limit}, Workload: facts.Workload{Concurrency: 100},
		Trials: []facts.Trial{{Attempts: attempts, Succeeded: ok, Failed: lost, ElapsedS: 2,
			Backend:     facts.BackendDelta{Executed: &ok, Distinct: &ok},
			Connections: facts.Connections{Accepted: &accepted, Used: &accepted, UsedUp: &renewals}}}}
}

func TestEachPassMeasuresWhatTheOnesBeforeItLeaveOpen(t *testing.T) {
	m := &run{Request: Request{Knobs: plan.UsualFor(plan.Clients)}}
	for _, c := range []facts.Client{"sound", "loses", "slow", "slow-loses"} {
		m.programs.rows = append(m.programs.rows, plan.Row{Client: c, Protocol: facts.H2, Program: &facts.Program{}})
	}
	r := &facts.Result{Run: facts.Run{Limit: m.Knobs.Limit}}
	answers := []facts.Cell{
		measured("nginx-1000", 1000, "sound", 10, 0), measured("nginx-1000", 1000, "loses", 10, 50),
		measured("nginx-1000", 1000, "slow", 1, 0), measured("nginx-1000", 1000, "slow-loses", 0, 0),
		measured("nginx-100", 100, "slow", 10, 0), measured("nginx-100", 100, "slow-loses", 10, 50),
	}
	var got []string
	for _, cells := range m.clientPasses(r) {
		words := ""
		for _, c := range cells() {
			words += fmt.Sprintf(" %s.%s(%d)", c.Topology.Name, c.Client, c.Workload.Concurrency)
			for _, a := range answers {
				if a.Topology == c.Topology.Name && a.Client == c.Client {
					r.Cells = append(r.Cells, a)
				}
			}
		}
		got = append(got, words)
	}
	want := []string{
		" nginx-100000.sound(100) nginx-100000.loses(100) nginx-100000.slow(100) nginx-100000.slow-loses(100)",
		" nginx-1000.sound(100) nginx-1000.loses(100) nginx-1000.slow(100) nginx-1000.slow-loses(100)",
		" nginx-100.slow(10) nginx-100.slow-loses(10)",
		" envoy-1000.loses(100)",
		" envoy-100.slow-loses(10)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestThePlanAndTheVerdictsMeanTheSameServers(t *testing.T) {
	if plan.LowerLimit != clientverdicts.LowerLimit {
		t.Errorf("the plan's lower limit is %d, that of the verdicts %d", plan.LowerLimit, clientverdicts.LowerLimit)
	}
}

// RFC 5737: no machine has 192.0.2.1, as a line's far end doesn't have 127.0.0.1.
func TestALineInsideALineIsNamed(t *testing.T) {
	_, none := net.Listen("tcp4", "192.0.2.1:0")
	if err := besideALine(none); !errors.Is(err, none) || !strings.Contains(err.Error(), "run h2lab delay outside of it") {
		t.Errorf("%v", err)
	}
	if other := errors.New("x"); besideALine(other) != other {
		t.Error("another error changed")
	}
}

func TestTheLimitOfAConfiguration(t *testing.T) {
	root := labtest.Root(t)
	for file, want := range map[string]int{
		"nginx/keepalive-1000.conf":    1000,
		"nginx/keepalive-100000.conf":  100000,
		"envoy/max-requests-1000.yaml": 1000,
		"envoy/unlimited-envoy.yaml":   0,
		"nginx/no-such.conf":           0,
	} {
		if got := limitIn(filepath.Join(root, file)); got != want {
			t.Errorf("%s: %d, want %d", file, got, want)
		}
	}
}

// The configurations of up FOR=learner are removed, so the caller knows the limit.
func TestTheLimitOfFrontsThatHideItIsTheCallers(t *testing.T) {
	root := t.TempDir()
	started, err := proc.StartTime(os.Getpid())
	if err != nil {
		t.Skip("the servers of up run on Linux: ", err)
	}
	var servers []any
	for _, s := range plan.Servers(plan.Topologies(plan.DefaultLimit)) {
		if native.CarriesLimit(s, 97) {
			s.Config = "var/nginx/keepalive-own.conf"
		}
		servers = append(servers, map[string]any{"server": s, "pid": os.Getpid(), "started": started})
	}
	text, err := json.Marshal(map[string]any{"version": 1, "boot": proc.BootID(), "root": root, "servers": servers})
	labtest.Check(t, err)
	labtest.Check(t, os.MkdirAll(filepath.Join(root, "var"), 0o755))
	labtest.Write(t, filepath.Join(root, native.StateFile), string(text))
	for _, own := range []int{97, 0} {
		fronts := (&Lab{Root: root}).Fronts(own, func(t facts.Topology, low int) string { return fmt.Sprint(t.Name, " of ", low) })
		low := 0
		for _, f := range fronts {
			if native.Hides(f.Server) {
				low++
				if f.Limit != own {
					t.Errorf("%s has the limit %d, want %d", f.Name, f.Limit, own)
				}
			}
		}
		want := map[int]string{97: "nginx-97 of 97", 0: "nginx-1000 of 0"}[own]
		if low != 4 || len(fronts) < 6 || fronts[0].Name != want {
			t.Errorf("own %d: %d of %d hide their limit, the first is %s", own, low, len(fronts), fronts[0].Name)
		}
	}
}
