//go:build integration

package systems

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proved"
	"h2lab/internal/facts"
	"h2lab/internal/field/probe/document"
)

var (
	hold   = flag.Duration("hold", 0, "leave the systems that -run selects up for that long, instead of asking them")
	asker  = flag.String("h2lab", "", "the h2lab to ask with; built from this checkout unless given")
	record = flag.String("record", "", "write what the probe saw of each system to `DIR`/NAME.json")
	with   = flag.String("with", "", "more arguments for h2lab probe, such as those of its default for other hosts: "+
		"'--rate 200 --max-streams 2500'")
	atOnce = flag.Int("at-once", 6, "systems at a time")
)

// TestMain lets more systems run side by side than there are processors: most of their time is waiting.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(*atOnce)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestSystems starts every system, asks it with h2lab probe and compares the answer with the truth.
func TestSystems(t *testing.T) {
	c := list(t)
	h2lab := *asker
	if h2lab == "" && *hold == 0 {
		h2lab = build(t)
	}
	var mu sync.Mutex
	answers := map[string]answer{}
	chosen := due(t, c)
	t.Run("all", func(t *testing.T) {
		for _, s := range chosen {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				up := s.start(t, c)
				if *hold > 0 {
					s.hold(t, up)
					return
				}
				a := s.ask(t, up, h2lab)
				s.compare(t, a)
				mu.Lock()
				answers[s.Name] = a
				mu.Unlock()
			})
		}
	})
	if *hold == 0 && len(answers) > 0 {
		tally(t, c, answers)
	}
}

// due are the systems to ask: all that -run selects, or else what isn't proved.
func due(t *testing.T, c catalogue) []system {
	t.Helper()
	asked := strings.HasPrefix(strings.TrimPrefix(flag.Lookup("test.run").Value.String(), "^"), "TestSystems")
	if asked || *hold > 0 || *record != "" {
		return c.Systems
	}
	p := proved.Open(t, labtest.Root(t), "systems")
	if p.Whole("systems", "internal/field/systems", "internal/field/probe", "internal/field/family", "internal/field/cause",
		"internal/field/cure", "tools/get/servers_list.sh", "versions.env") {
		return c.Systems
	}
	return slices.DeleteFunc(slices.Clone(c.Systems), func(s system) bool { return !p.Picks(s.Name) })
}

// build makes h2lab from this checkout.
func build(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "h2lab")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", out, "./cmd/h2lab")
	cmd.Dir = labtest.Root(t)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/h2lab: %v\n%s", err, said)
	}
	return out
}

// hold prints how to ask a system and leaves it up.
func (s system) hold(t *testing.T, up running) {
	fmt.Fprintf(os.Stderr, "%s: %s\n\tbin/h2lab probe --cacert %s %s %s\n", s.Name, s.What, up.ca,
		strings.Join(s.Ask, " "), up.url())
	select {
	case <-time.After(*hold):
	case <-t.Context().Done():
	}
}

func (r running) url() string { return "https://" + r.addr + "/lab/health" }

// ask runs h2lab probe.
func (s system) ask(t *testing.T, up running, h2lab string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args := slices.Concat([]string{"probe", "--json", "--cacert", up.ca}, s.Ask, strings.Fields(*with))
	cmd := exec.CommandContext(ctx, h2lab, append(args, up.url())...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	reloads := make(chan struct{})
	go func() { s.reload(ctx, up); close(reloads) }()
	err := cmd.Wait()
	took := time.Since(began)
	cancel()
	<-reloads
	var d document.Document
	if problem := json.Unmarshal(out.Bytes(), &d); problem != nil {
		t.Fatalf("h2lab probe ended after %v: %v; stdout is no document: %v\n%s", took, err, problem, said.String())
	}
	if *record != "" {
		s.record(t, out.Bytes())
	}
	s.compareEnd(t, d.Endpoint)
	t.Logf("asked in %.1f s: %s", took.Seconds(), d.Verdict.Limit)
	return answerOf(d)
}

// reload sends SIGHUP to the front at the system's times.
func (s system) reload(ctx context.Context, up running) {
	began := time.Now()
	for _, at := range s.Reload {
		select {
		case <-ctx.Done():
			return
		case <-time.After(at - time.Since(began)):
			_ = up.front.Process.Signal(syscall.SIGHUP)
		}
	}
}

// record keeps the endpoint without the address, which differs from run to run.
func (s system) record(t *testing.T, out []byte) {
	t.Helper()
	var d struct {
		Endpoint map[string]any `json:"endpoint"`
	}
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatal(err)
	}
	d.Endpoint["url"], d.Endpoint["address"] = "https://127.0.0.1:8443/lab/health", "127.0.0.1:8443"
	b, err := json.MarshalIndent(d.Endpoint, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(*record, s.Name+".json"), string(b)+"\n")
}

// compareEnd compares what the probe saw of the end at the limit with the truth.
func (s system) compareEnd(t *testing.T, e facts.Endpoint) {
	t.Helper()
	w := s.Truth
	if w.Ends == "" {
		return
	}
	if e.Ending == nil || e.Ending.How != w.Ends || e.Crossing == nil {
		t.Errorf("connections end by %s, and the probe saw %+v, %+v", w.Ends, e.Ending, e.Crossing)
		return
	}
	x := e.Crossing
	dropped, answered := x.InFlight.Dropped+x.After.Dropped, x.InFlight.Answered+x.After.Answered
	if w.Loses != (dropped > 0) || w.Loses && answered > 0 {
		t.Errorf("streams above the last id: %+v and, after the GOAWAY, %+v; want them lost: %v", x.InFlight, x.After, w.Loses)
	}
	if x.Covered.Answered != x.Covered.Sent {
		t.Errorf("streams up to the last id: %+v, want them answered", x.Covered)
	}
}

// compare fails for an answer that is wrong and sure.
func (s system) compare(t *testing.T, a answer) {
	t.Helper()
	t.Logf("%s: cause %s, family %s, idle %s, change %s", gradeAll(s.Truth, a), gradeCause(s.Truth, a),
		gradeFamily(s.Truth, a), gradeIdle(s.Truth, a), gradeChange(s.Truth, a))
	if gradeAll(s.Truth, a) != wrongSure {
		return
	}
	b, _ := json.MarshalIndent(a, "", "  ")
	t.Errorf("wrong and sure: cause %s, family %s, idle %s, change %s; the truth is %+v; the answer\n%s",
		gradeCause(s.Truth, a), gradeFamily(s.Truth, a), gradeIdle(s.Truth, a), gradeChange(s.Truth, a), s.Truth, b)
}

// tally writes the answers with -update, and otherwise requires as many right ones as the table in
// docs/systems.md has, less a few that a busy machine makes unknown.
func tally(t *testing.T, c catalogue, answers map[string]answer) {
	t.Helper()
	if *update {
		keep(t, c, answers)
		return
	}
	if len(answers) < len(c.Systems) {
		return // -run selected some
	}
	const leeway = 6
	before, now := count(c, kept(t)), count(c, answers)
	t.Logf("now %v, in docs/systems.md %v; %d processors", now, before, runtime.NumCPU())
	if now[right] < before[right]-leeway {
		t.Errorf("%d answers are right, in docs/systems.md %d; see each with -v", now[right], before[right])
	}
}
