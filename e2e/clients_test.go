//go:build e2e

package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
)

// joined are the ecosystems whose base images e2e/bases.sh provides: one that requires only its
// program, and one with an interpreter and packages.
var joined = []string{"go", "python"}

// talkContainer is the container from which the test controls a client program.
const talkContainer = "h2lab-talk"

func TestClientProgramsRunInContainersOfTheirOwnThatJoinThePod(t *testing.T) {
	clean(t)
	// The caller must be the user that runs `h2lab pod-exec-serve`; see package podexec.
	t.Setenv("LAB_USER", fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid()))
	p := &compose.Project{Root: root(t), Variables: compose.Variables(nil, nil)}
	services := []string{"nginx-1000"}
	for _, ecosystem := range joined {
		labtest.Check(t, p.BuildClient(context.Background(), ecosystem))
		services = append(services, compose.ClientService(ecosystem))
	}
	labtest.Check(t, p.Up(context.Background(), services...))
	for _, ecosystem := range joined {
		t.Run(ecosystem, func(t *testing.T) {
			c := podExec(t, ecosystem)
			for _, word := range []string{"READY", "WARM", "DONE"} {
				c.meet(word)
			}
			line := c.line()
			var answer struct {
				Attempts, Succeeded int
				Runtime             string
			}
			if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Succeeded == 0 ||
				answer.Attempts < answer.Succeeded {
				t.Errorf("its answer: %v: %s", err, line)
			}
			t.Logf("%s: %d of %d requests answered, runtime %s", ecosystem, answer.Succeeded, answer.Attempts,
				answer.Runtime)
			if err := c.cmd.Wait(); err != nil {
				t.Errorf("it ended with %v: %s", err, &c.stderr)
			}
			onlyTheServer(t, ecosystem)
		})
		t.Run(ecosystem+" whose lab is killed", func(t *testing.T) {
			c := podExec(t, ecosystem)
			c.meet("READY")
			if out, err := exec.Command("docker", "kill", talkContainer).CombinedOutput(); err != nil {
				t.Errorf("docker kill: %v: %s", err, out)
			}
			_ = c.cmd.Wait() // an error, because it was killed
			onlyTheServer(t, ecosystem)
		})
	}
}

// conversation is a client program as internal/lab/load runs it, reached from inside the pod.
type conversation struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

// podExec starts the first client of an ecosystem's manifest through its container's `h2lab pod-exec-serve`.
func podExec(t *testing.T, ecosystem string) *conversation {
	t.Helper()
	args := append([]string{"compose", "run", "--rm", "--no-deps", "--no-TTY", "--name", talkContainer,
		"lab", "pod-exec", "--socket", socketOf(ecosystem), "--"}, firstClient(t, ecosystem)...)
	args = append(args, "--json", "--url", "https://127.0.0.1:18101/echo?ms=0", "--concurrency", "20", "--pools", "1",
		"--warmup", "300ms", "--duration", "1s", "--ca", "certs/out/ca.crt", "--method", "POST", "--body-bytes", "1",
		"--max-tls", "1.3", "--patience", "4s", "--nonce", "e2e")
	t.Logf("$ docker %s", strings.Join(args, " "))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	c := &conversation{t: t, cmd: exec.CommandContext(ctx, "docker", args...)}
	c.cmd.Dir, c.cmd.Stderr = root(t), &c.stderr
	stdout, err := c.cmd.StdoutPipe()
	labtest.Check(t, err)
	c.stdout = bufio.NewReader(stdout)
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	labtest.Check(t, c.cmd.Start())
	return c
}

func (c *conversation) line() string {
	c.t.Helper()
	line, err := c.stdout.ReadString('\n')
	if err != nil {
		_ = c.cmd.Wait() // its output is complete then
		c.t.Fatalf("it said %q, %v: %s", line, err, &c.stderr)
	}
	return strings.TrimSpace(line)
}

// meet waits for READY, WARM or DONE and lets the program continue.
func (c *conversation) meet(word string) {
	c.t.Helper()
	if line := c.line(); line != word {
		c.t.Fatalf("it said %q where %s was due: %s", line, word, &c.stderr)
	}
	if _, err := io.WriteString(c.stdin, "\n"); err != nil {
		c.t.Fatal(err)
	}
}

// firstClient returns the command line of an ecosystem's first client, with its protocol.
func firstClient(t *testing.T, ecosystem string) []string {
	t.Helper()
	dir := filepath.Join("clients", ecosystem)
	data, err := os.ReadFile(filepath.Join(root(t), dir, "client.json"))
	labtest.Check(t, err)
	var manifest struct {
		Clients []struct {
			Run      []string
			Protocol string
		}
	}
	if err := json.Unmarshal(data, &manifest); err != nil || len(manifest.Clients) == 0 {
		t.Fatalf("%s/client.json: %d clients, %v", dir, len(manifest.Clients), err)
	}
	first := manifest.Clients[0]
	// A built program exists only in the image; a name without a slash that isn't built may be a tool.
	if _, err := os.Stat(filepath.Join(root(t), dir, first.Run[0])); err == nil || strings.Contains(first.Run[0], "/") {
		first.Run[0] = filepath.Join(dir, first.Run[0])
	}
	return append(first.Run, "--protocol", first.Protocol)
}

// onlyTheServer waits until `h2lab pod-exec-serve` is the only process in a client container.
func onlyTheServer(t *testing.T, ecosystem string) {
	t.Helper()
	container := compose.ProjectName + "-" + compose.ClientService(ecosystem) + "-1"
	var out []byte
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		var err error
		if out, err = exec.Command("docker", "top", container, "-eo", "pid,args").CombinedOutput(); err != nil {
			t.Fatalf("docker top %s: %v: %s", container, err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) == 2 && strings.Contains(lines[1], "/proc/1/exe pod-exec-serve") {
			return
		}
	}
	t.Errorf("%s still has more than h2lab pod-exec-serve:\n%s", container, out)
}
