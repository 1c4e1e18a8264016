//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/kinds"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
)

var wantProto = map[facts.Protocol]string{facts.H1: "HTTP/1.1", facts.H2: "HTTP/2.0"}

// A fresh clone has neither programs nor certificates, and nothing that Compose writes into it may
// belong to anybody else than its owner.
func TestComposeUpWaitInAFreshCloneBringsUpHealthyServersAndDownLeavesNothing(t *testing.T) {
	clean(t)
	c := freshClone(t)
	if status := c.run(t, nil, "docker", "compose", "up", "--wait"); status != 0 {
		c.run(t, nil, "docker", "compose", "logs", "--tail", "20")
		t.Fatalf("docker compose up --wait: exit status %d", status)
	}
	c.run(t, nil, "docker", "compose", "ps", "--all")
	for _, p := range []facts.Protocol{facts.H1, facts.H2} {
		client := client(t, c.dir, p)
		for _, s := range servers() {
			proto, status, body := post(t, client, "https://"+s.Front+"/echo?ms=1")
			if proto != wantProto[p] || status != 200 || body != "hello" {
				t.Errorf("%s over %s: %s %d %q", s.Name, p, proto, status, body)
			}
		}
	}
	for _, s := range servers() {
		countersAnswer(t, s)
	}
	if status := c.run(t, nil, "docker", "compose", "down"); status != 0 {
		t.Errorf("docker compose down: exit status %d", status)
	}
	nothingIsLeft(t)
	c.belongsToItsOwner(t)
}

// countersAnswer reads a server's counters where `h2lab up` says that they are.
func countersAnswer(t *testing.T, s facts.Server) {
	t.Helper()
	address := "http://" + s.Counters + kinds.Of(s.Kind).Counters.Shown
	response, err := (&http.Client{Timeout: 10 * time.Second}).Get(address)
	if err != nil {
		t.Errorf("the counters of %s: %v", s.Name, err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 || len(body) == 0 {
		t.Errorf("GET %s: status %d, %d bytes, %v", address, response.StatusCode, len(body), err)
	}
}

func TestBudgetsAreReadBackAsTheyWereAsked(t *testing.T) {
	clean(t)
	quarter := 0.25
	for n, cpus := range []*float64{&quarter, nil} {
		var log bytes.Buffer
		p := &compose.Project{Root: root(t), Variables: compose.Variables(cpus, nil), Log: &log}
		labtest.Check(t, p.Up(context.Background(), "nginx-1000"))
		if n > 0 && log.Len() > 0 {
			t.Errorf("everything was there, and it built or pulled: %s", &log)
		}
		got, err := compose.ReadBack(context.Background(), "nginx-1000", "backend")
		labtest.Check(t, err)
		for name, read := range got {
			if (read == nil) != (cpus == nil) || read != nil && *read != *cpus {
				t.Errorf("%s: asked for %v, read back %v", name, cpus, read)
			}
		}
	}
}

func TestWhatKeepsAServerFromStartingIsNamed(t *testing.T) {
	clean(t)
	fails := func(config map[string]string, says ...string) {
		t.Helper()
		err := (&compose.Project{Root: root(t), Variables: compose.Variables(nil, config)}).Up(context.Background(), "nginx-1000")
		for _, want := range says {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error does not say %q: %v", want, err)
			}
		}
	}
	fails(map[string]string{"nginx-1000": "nginx/absent.conf"}, "nginx-1000 is exited", "[emerg]", "nginx/absent.conf")
	labtest.Check(t, compose.Down(context.Background(), root(t)))
	taken, err := net.Listen("tcp", "127.0.0.1:18101")
	labtest.Check(t, err)
	fails(nil, "18101", "h2lab down")
	taken.Close()
}

func TestTheLabRunsInsideThePodAndItsExitStatusComesThrough(t *testing.T) {
	clean(t)
	p := &compose.Project{Root: root(t)}
	labtest.Check(t, p.Up(context.Background(), "nginx-1000"))
	var out bytes.Buffer
	status, err := p.RunLab(context.Background(), compose.LabRun{Stdout: &out, Stderr: &out,
		Args: []string{"healthcheck", "https://127.0.0.1:18101/lab/health", "--ca", "certs/out/ca.crt"}})
	if err != nil || status != 0 {
		t.Errorf("a health check from inside: %d, %v: %s", status, err, &out)
	}
	status, err = p.RunLab(context.Background(), compose.LabRun{
		Args:   []string{"no-such-verb"},
		Stdout: &out,
		Stderr: &out,
	})
	if err != nil || status != 2 {
		t.Errorf("wrong usage inside: %d, %v, want 2: %s", status, err, &out)
	}
	_, version, err := p.Exec(context.Background(), "nginx-1000", "nginx", "-v")
	if err != nil || !strings.Contains(version, "nginx/") {
		t.Errorf("nginx -v in its container: %q, %v", version, err)
	}
}

func TestAnInterruptEndsTheRunInsideThePod(t *testing.T) {
	clean(t)
	p := &compose.Project{Root: root(t)}
	labtest.Check(t, p.Up(context.Background(), "backend"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer cancel()
		waitForContainer("h2lab-lab-run", 20*time.Second)
	}()
	var out bytes.Buffer
	began := time.Now()
	_, err := p.RunLab(ctx, compose.LabRun{Args: []string{"hold"}, Stdout: &out, Stderr: &out})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("RunLab() = %v, want context.Canceled: %s", err, &out)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s to stop: it was killed, not asked", took)
	}
	left, err := exec.Command("docker", "ps", "--all", "--quiet", "--filter", "name=h2lab-lab-run").Output()
	if err != nil || len(bytes.TrimSpace(left)) > 0 {
		t.Errorf("its container is still there: %s %v", left, err)
	}
}

// waitForContainer waits until a container of that name runs, or until patience ends.
func waitForContainer(name string, patience time.Duration) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		out, err := exec.Command("docker", "ps", "--quiet", "--filter", "name="+name).Output()
		if err == nil && len(bytes.TrimSpace(out)) > 0 {
			return true
		}
	}
	return false
}
