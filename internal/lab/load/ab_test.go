//go:build linux

package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// abPrinted is what ab 2.3 (Debian's apache2-utils 2.4.71) prints, without the table of times.
const abPrinted = `This is ApacheBench, Version 2.3 <$Revision: 1934976 $>
Copyright 1996 Adam Twiss, Zeus Technology Ltd, http://www.zeustech.net/

Benchmarking 127.0.0.1 (be patient).....done


Server Software:        
Server Hostname:        127.0.0.1
Server Port:            18301

Document Path:          /wait?ms=10
Document Length:        Variable

Concurrency Level:      4
Time taken for tests:   0.345 seconds
Complete requests:      80
Failed requests:        0
Keep-Alive requests:    80
Total transferred:      9600 bytes
HTML transferred:       160 bytes
Requests per second:    231.88 [#/sec] (mean)
Time per request:       17.250 [ms] (mean)
Time per request:       4.313 [ms] (mean, across all concurrent requests)
Transfer rate:          27.17 [Kbytes/sec] received

Percentage of the requests served within a certain time (ms)
  50%     16
  99%     44
 100%     45 (longest request)
`

// abCSV is what ab -e writes, with ms milliseconds for every percentile.
func abCSV(ms func(percent int) float64) string {
	out := "Percentage served,Time in ms\n"
	for i := range 100 {
		out += fmt.Sprintf("%d,%.3f\n", i, ms(i))
	}
	return out
}

func rising(percent int) float64 { return 10 + float64(percent)/4 }

var abLoad = facts.Workload{Method: "GET", DelayMS: 10, Concurrency: 4, Pools: 1, Requests: 80, DurationS: 3,
	MaxTLS: "1.2"}

func readAbFiles(t *testing.T, printed, csv string) (Answer, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "percentiles.csv")
	labtest.Write(t, file, csv)
	return abAnswer(abLoad, printed, file)
}

func TestAbsOutputBecomesAnAnswer(t *testing.T) {
	a, err := readAbFiles(t, abPrinted, abCSV(rising))
	labtest.Check(t, err)
	l := a.Latency
	if a.Attempts != 80 || a.Succeeded != 80 || a.Failed != 0 || a.ElapsedS != 0.345 || a.Library != "ApacheBench 2.3" ||
		*l.Mean != 17.25 || *l.P50 != 22.5 || *l.P99 != 34.75 || *l.Max != 45 || l.P999 != nil || len(a.Errors) > 0 {
		t.Errorf("%+v, mean %v", a, *l.Mean)
	}
}

// Of 40 requests ab reads its 99th percentile from behind the last one, and prints 0.
func TestAPercentileThatAbReadsBehindItsLastRequestIsTheOneBefore(t *testing.T) {
	printed := strings.Replace(abPrinted, "Complete requests:      80", "Complete requests:      40", 1)
	a, err := readAbFiles(t, printed, abCSV(func(p int) float64 {
		if p == 99 {
			return 0
		}
		return rising(p)
	}))
	if err != nil || *a.Latency.P99 != rising(98) {
		t.Errorf("%+v, %v", a.Latency, err)
	}
}

func TestAbsFailuresAreCountedByKindAndItsTimesLeftOut(t *testing.T) {
	printed := strings.Replace(abPrinted, "Failed requests:        0\n", "Failed requests:        5\n"+
		"   (Connect: 2, Receive: 3, Length: 0, Exceptions: 0)\nNon-2xx responses:      7\n", 1)
	a, err := readAbFiles(t, printed, abCSV(rising))
	labtest.Check(t, err)
	classes := map[string]int64{}
	for _, e := range a.Errors {
		classes[e.Class] += e.Count
	}
	if a.Attempts != 82 || a.Failed != 12 || a.Succeeded != 70 || classes[facts.ErrConnectionLost] != 5 ||
		classes[facts.ErrHTTPStatus] != 7 || a.Latency.P50 != nil || a.Latency.Mean != nil || len(a.Warnings) != 1 {
		t.Errorf("%+v", a)
	}
}

func TestAnOutputOfAbThatCannotBeReadIsGarbled(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	good := abCSV(rising)
	for _, c := range []struct{ fault, from, to, csv, want string }{
		{"ab prints nothing", abPrinted, "", good, "no line like"},
		{"another program answers in ab's place", abPrinted, "Welcome to httperf\n", good, "no line like"},
		{"ab's output ends in the middle", abPrinted[len(abPrinted)/2:], "", good, "no line like"},
		{"ab prints a line twice", "Complete requests:      80", "Complete requests:      80\nComplete requests:      81", good,
			`has the line "Complete requests:      80" twice`},
		{"ab reports other users than were asked for", "Level:      4", "Level:      5", good, "it reports 5 users of 4"},
		{"ab answers no request in time", "requests:      80", "requests:      0", good, "no request was answered in 0.3 s"},
		{"ab's failures by kind are missing", "Failed requests:        0", "Failed requests:        9", good,
			"are not its 9 failed"},
		{"more requests failed than ab sent", "Keep-Alive requests:", "Non-2xx responses:      81\nKeep-Alive requests:", good,
			"81 of 80 requests"},
		{"a number of ab's doesn't fit", "requests:      80", "requests:      99999999999999999999", good, "out of range"},
		{"ab's percentiles are cut off", "", "", "Percentage served,Time in ms\n0,1.0\n", "fewer than 100 percentiles"},
		{"ab's percentiles fall", "", "", abCSV(func(p int) float64 { return float64(100 - p) }), `its line 3 is "1,99.000"`},
		{"ab's percentiles are words", "", "", strings.Replace(good, "5,11.250", "5,soon", 1), `its line 7 is "5,soon"`},
	} {
		f.Try(c.fault, func(t *testing.T) {
			_, err := readAbFiles(t, strings.Replace(abPrinted, c.from, c.to, 1), c.csv)
			var p *ProgramError
			if !errors.As(err, &p) || p.Kind != facts.FaultGarbled || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// abJob is a job for this test's fake ab.
func abJob(t *testing.T, behaviour string) Job {
	t.Helper()
	j := fakeJob(t, facts.Ab, behaviour)
	j.Protocol, j.Base, j.Workload = facts.H1, "http://127.0.0.1:1/through/direct", abLoad
	j.Env = append(os.Environ(), "NONCE=fake-"+behaviour)
	return j
}

func TestAbRunsBetweenTheHooksAndLeavesNothing(t *testing.T) {
	job := abJob(t, "ab-good")
	var order []string
	pid := 0
	note := func(what string) func(context.Context) error {
		return func(context.Context) error { order = append(order, what); return nil }
	}
	a, err := run(t.Context(), job, Hooks{Started: func(p int) { pid = p }, Warm: note("warm"), Done: note("done")}, ample)
	labtest.Check(t, err)
	if strings.Join(order, " ") != "warm done" || a.Attempts != 80 || *a.Latency.Mean != 17.25 {
		t.Errorf("hooks %q, answer %+v", order, a)
	}
	gone(t, pid)
	if left, _ := os.ReadDir(job.Dir); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

func TestAnAbThatMisbehavesEndsInAnErrorAndLeavesNothing(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	for _, c := range []struct {
		fault, behaviour, want string
		within                 patience
	}{
		{"ab aborts after ten failed connections", "ab-aborts", "Test aborted after 10 failures", ample},
		{"ab hangs", "ab-hangs", "its end did not come within", impatient},
		{"ab prints garbage", "ab-garbage", "its answer can't be used", ample},
		{"ab writes no percentiles", "ab-no-csv", "its percentiles can't be used", ample},
	} {
		f.Try(c.fault, func(t *testing.T) {
			pid := 0
			_, err := run(t.Context(), abJob(t, c.behaviour), Hooks{Started: func(p int) { pid = p }}, c.within)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			gone(t, pid)
		})
	}
	f.Try("the run is interrupted while ab runs", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		pid := 0
		_, err := run(ctx, abJob(t, "ab-hangs"), Hooks{Started: func(p int) { pid = p },
			Warm: func(context.Context) error { cancel(); return nil }}, ample)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		gone(t, pid)
	})
	f.Try("a hook fails before ab's first request", func(t *testing.T) {
		pid := 0
		_, err := run(t.Context(), abJob(t, "ab-good"), Hooks{Started: func(p int) { pid = p },
			Warm: func(context.Context) error { return errors.New("counters are gone") }}, ample)
		if err == nil || !strings.Contains(err.Error(), "counters are gone") {
			t.Errorf("%v", err)
		}
		gone(t, pid)
	})
}

func TestAJobThatAbCannotRunIsRefused(t *testing.T) {
	for want, change := range map[string]func(*Job){
		"no program was given for it": func(j *Job) { j.Argv = nil },
		"it sends GET here":           func(j *Job) { j.Workload.Method = "POST" },
		"3 requests of 4 users":       func(j *Job) { j.Workload.Requests = 3 },
		"ab counts in whole seconds":  func(j *Job) { j.Workload.DurationS = 0.5 },
	} {
		job := abJob(t, "ab-good")
		change(&job)
		if _, err := run(t.Context(), job, Hooks{}, ample); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// fakeAb is this test binary as ab.
func fakeAb(behaviour string) {
	csv := os.Args[len(os.Args)-2]
	switch behaviour {
	case "ab-aborts":
		fmt.Fprintln(os.Stderr, "\nTest aborted after 10 failures\n\napr_socket_connect(): Connection refused (111)")
		os.Exit(111)
	case "ab-hangs":
		forever()
	case "ab-garbage":
		fmt.Println("segmentation fault")
		return
	case "ab-good":
		if os.WriteFile(csv, []byte(abCSV(rising)), 0o600) != nil {
			os.Exit(1)
		}
	}
	fmt.Print(abPrinted)
}
