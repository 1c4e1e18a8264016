//go:build integration

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/probe/document"
)

// These tests do the workshop as a learner does, on the lab's real ports, in a separate project:
// the learner's directory of this checkout must not change.

func TestWorkshopWithoutServersSaysHowToGetThem(t *testing.T) {
	b := newBench(t)
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8} {
		b.step(n, 3, "the lab's servers aren't up", "make up FOR=learner")
	}
	if said, status := b.run("up"); status != 0 {
		t.Fatalf("h2lab up: status %d\n%s", status, said)
	}
	defer b.run("down")
	b.step(4, 3, "a limit other than yours", "make down, then make up FOR=learner")
	b.nothing()
}

func TestEveryExerciseWithServersGoesFromItsStartToItsSolution(t *testing.T) {
	b := newBench(t)
	b.up()
	b.hidesLimit()
	for n := 1; n <= 9; n++ {
		b.step(n, 4, fmt.Sprintf("exercise %d isn't done yet: ", n))
		b.hints(n)
		if n == 9 { // its numbers are those of another machine: TestWhatAdviseMeasures…
			continue
		}
		b.solve(n)
		b.step(n, 0, fmt.Sprintf("exercise %d is done: ", n))
	}
	b.nothing()
}

func TestUsualMistakesAreNamed(t *testing.T) {
	b := newBench(t)
	b.up()
	const pool = "transport.TLSClientConfig = &tls.Config{RootCAs: pool}"
	const h1 = pool + "\n\ttransport.Protocols = new(http.Protocols)\n\ttransport.Protocols.SetHTTP1(true)"
	const ownClient = "workers.Go(func() {\n\t\t\t_ = client\n\t\t\tclient, _ := newClient()"
	for _, c := range []struct {
		n     int
		place string
		file  string
		from  string
		to    string
		words string
	}{
		{1, "solutions", "answers.txt", "nginx-high = more than 20000", "nginx-high = 100000",
			"is not confirmed"},
		{1, "solutions", "answers.txt", "nginx-low  = 89", "nginx-low  = 177", "not what one connection gets"},
		{1, "solutions", "answers.txt", "envoy-low  = 89 or more", "envoy-low  = 89", "isn't what every connection gets"},
		{2, "start", "count.sh", "curl -s http://127.0.0.1:18102/stub_status | awk 'NR == 3 { print $1 }'",
			"wc -l <var/nginx-1000.used.log", "the number of those that carried a request"},
		{2, "start", "count.sh", "print $1", "print", "not one whole number"},
		{2, "start", "count.sh", "print $1", "print $1 - 100000", "no server accepts fewer than 0"},
		{2, "start", "count.sh", "set -eu", "sleep 60", "did not end within 3s"},
		{3, "start", "load.js", "http.post(target, '1');", "http.post(target, '1'", "k6 ended with status"},
		{3, "solutions", "load.js", "i < 50", "i < 6", "at a time, and the exercise asks for 50"},
		{3, "solutions", "load.js", "i < 50", "i < 500", "at a time, and the exercise asks for 50"},
		{3, "solutions", "load.js", "Date.now() < until", "true", "still running after 10s"},
		{5, "start", "main.go", "errors.New(res.Status)", "errors.New(res.Stat)", "doesn't build"},
		{5, "start", "main.go", pool, h1, "spoke HTTP/1.1"},
		{5, "start", "main.go", "inFlight = 50", "inFlight = 1", "still running after 12s"},
		{5, "start", "main.go", "inFlight = 50", "inFlight = 10", "at a time, and the exercise asks for 50"},
		{5, "start", "main.go", "workers.Go(func() {", ownClient, "connections in use at the same time"},
		{6, "solutions", "nginx.conf", "keepalive_requests 100000;", "keepalive_request 100000;", "unknown directive"},
		{6, "solutions", "nginx.conf", "keepalive_requests 100000;", "keepalive_requests 100000; keepalive_time 1ms;",
			"nginx runs workshop/06/nginx.conf"},
		{6, "solutions", "nginx.conf", "keepalive_requests 100000;", "keepalive_requests 100000",
			"workshop/06/nginx.conf"},
		{8, "start", "main.go", "patience = 100 * time.Millisecond", "patience = 10 * time.Second", "cannot retry err"},
		{8, "solutions", "main.go", "inFlight = 50", "inFlight = 10", "at a time, and the exercise asks for 50"},
		{8, "solutions", "main.go", "workers.Go(func() {", ownClient, "connections in use at the same time"},
		{8, "solutions", "main.go", "if err := send(client",
			"_ = send(client, fmt.Sprintf(\"%s-%d\", day, n), wait)\n\t\t\t\tif err := send(client", "a second time"},
	} {
		b.put(c.place, c.n, c.file, c.from, c.to)
		said := b.step(c.n, 4, c.words)
		if strings.Count(said, "\n") != 1 {
			t.Errorf("exercise %d says more than a sentence:\n%s", c.n, said)
		}
	}
	b.nothing()
}

func TestWhatAdviseMeasuresIsTheAnswerAboutHandshakes(t *testing.T) {
	b := newBench(t)
	type document struct {
		Handshake struct {
			Measured struct {
				Full    float64 `json:"full_ms"`
				Resumed float64 `json:"resumed_ms"`
			} `json:"measured"`
		} `json:"handshake"`
	}
	asked := map[string]document{}
	for _, key := range []string{"rsa", "ecdsa"} {
		out, err := b.command("advise", "--rate", "1000", "--in-flight", "100", "--key", key, "--json").Output()
		var d document
		if err != nil || json.Unmarshal(out, &d) != nil || d.Handshake.Measured.Full == 0 {
			t.Fatalf("h2lab advise --key %s: %v\n%s", key, err, out)
		}
		asked[key] = d
		b.write(9, key+".json", string(out))
	}
	rsa, ecdsa := asked["rsa"].Handshake.Measured, asked["ecdsa"].Handshake.Measured
	b.write(9, "answers.txt", fmt.Sprintf("ecdsa_times_cheaper = %.1f\nresumption_times_cheaper = %.1f\n",
		rsa.Full/ecdsa.Full, rsa.Full/rsa.Resumed))
	b.step(9, 0, "exercise 9 is done")
	b.write(9, "answers.txt", "ecdsa_times_cheaper = 50\nresumption_times_cheaper = 5\n")
	b.step(9, 4, "by more than a factor of 2")
	b.write(9, "answers.txt", fmt.Sprintf("ecdsa_times_cheaper = %.1f\nresumption_times_cheaper = 4\n", rsa.Full/ecdsa.Full*1.4))
	b.step(9, 4, "is not what your own files give")
}

// mysteryURL matches the server's address in a check's output.
var mysteryURL = regexp.MustCompile(`https://127\.0\.0\.1:\d+/`)

func TestAMysteryServerIsSolvedByProbeInBothFamilies(t *testing.T) {
	b := newBench(t)
	seen := map[string]bool{}
	for range 20 { // each start chooses the family at random
		b.put("start", 10, "answers.txt")
		url := mysteryURL.FindString(b.step(10, 4, "a mystery server has just been started at https://127.0.0.1:"))
		b.step(10, 4, "the mystery server is at "+url)
		for _, name := range []string{"nginx.conf", "envoy.yaml"} {
			if left, _ := filepath.Glob(filepath.Join(b.root, "var", "mystery", name)); len(left) > 0 {
				t.Errorf("a learner can read %q", left)
			}
		}
		out, err := b.command("probe", url, "--cacert", "certs/out/ca.crt", "--json").Output()
		var d document.Document
		if err != nil || json.Unmarshal(out, &d) != nil || len(d.Verdict.Changes) == 0 {
			t.Fatalf("h2lab probe: %v\n%s", err, out)
		}
		b.write(10, "answers.txt",
			fmt.Sprintf("limit = %d\nfamily = %s\nchange = %s\n", d.Endpoint.Budget.Least+1, d.Verdict.Family,
				strings.ReplaceAll(d.Verdict.Changes[0].Line, "\n", " ")))
		b.step(10, 4, "is not the limit")
		b.write(10, "answers.txt",
			fmt.Sprintf("limit = %d\nfamily = %s\nchange = %s\n", d.Endpoint.Budget.Least, d.Verdict.Family,
				strings.ReplaceAll(d.Verdict.Changes[0].Line, "\n", " ")))
		b.step(10, 0, "exercise 10 is done", "has been stopped")
		b.nothing()
		if seen[d.Verdict.Family] = true; len(seen) == 2 {
			return
		}
	}
	t.Errorf("of twenty mystery servers all were %v", seen)
}

func TestAMysteryServerCanBeStopped(t *testing.T) {
	b := newBench(t)
	said, status := b.run("mystery")
	if status != 0 || !strings.Contains(said, "next: h2lab probe https://127.0.0.1:") {
		t.Fatalf("h2lab mystery: status %d\n%s", status, said)
	}
	again, status := b.run("mystery")
	if url := mysteryURL.FindString(said); status != 0 || !strings.Contains(again, url) {
		t.Errorf("the second time: status %d\n%s", status, again)
	}
	if said, status := b.run("mystery", "--stop"); status != 0 ||
		!strings.Contains(said, "stopped the mystery server") {
		t.Errorf("h2lab mystery --stop: status %d\n%s", status, said)
	}
	b.nothing()
}

func TestAnOwnQuestionIsAnsweredByARunOfItsCommand(t *testing.T) {
	b := newBench(t)
	b.solve(11)
	b.step(11, 4, "is not in results/")
	cmd := b.command("repro")
	cmd.Env = append(cmd.Env, "LIMIT=100", "CONCURRENCY=10", "DURATION=1s", "WARMUP=300ms", "TRIALS=1", "SEED=1")
	// 4: ten requests in flight may cause too small a stampede
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 4 {
		t.Fatalf("h2lab repro: %v\n%s", err, out)
	}
	runs, _ := filepath.Glob(filepath.Join(b.root, "results", "2*"))
	if len(runs) != 1 {
		t.Fatalf("runs: %q", runs)
	}
	b.put("solutions", 11, "question.md", "20260101T000000Z-repro", filepath.Base(runs[0]))
	b.step(11, 0, "exercise 11 is done", filepath.Base(runs[0]))
}

func TestCtrlCEndsACheckAndLeavesNothing(t *testing.T) {
	b := newBench(t)
	b.up()
	b.solve(7) // takes six seconds
	b.solve(8)
	for _, n := range []int{7, 8} {
		cmd := b.command("step", fmt.Sprint(n))
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		labtest.Check(t, cmd.Start())
		time.Sleep(500 * time.Millisecond)
		labtest.Check(t, cmd.Process.Signal(syscall.SIGINT))
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 1 || !strings.Contains(said.String(), "interrupted") {
			t.Errorf("exercise %d, interrupted: status %d\n%s", n, got, said.String())
		}
		b.nothing()
	}
}
