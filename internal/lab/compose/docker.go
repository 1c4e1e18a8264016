package compose

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"h2lab/internal/base/child"
)

// grace is how long a docker command may take to end after SIGTERM.
const grace = 15 * time.Second

// command runs `docker ARGS…`. When ctx ends it sends SIGTERM, and SIGKILL only when docker does
// not end. Its error has docker's last lines, or why there are none.
func command(ctx context.Context, spec child.Spec, args ...string) (child.Result, error) {
	spec.Argv = append([]string{"docker"}, args...)
	r, err := child.Run(ctx, spec, child.Limits{Grace: grace, Stdout: mostAnswer})
	if err != nil {
		return r, failure(ctx, args, r.Stderr, err)
	}
	return r, nil
}

// mostAnswer bounds how much of docker's output is kept.
const mostAnswer = 16 << 20

// docker runs `docker ARGS…` and returns its stdout.
func docker(ctx context.Context, env []string, args ...string) (string, error) {
	r, err := command(ctx, child.Spec{Env: env}, args...)
	return r.Stdout, err
}

// question runs a docker command that a working engine answers at once.
func question(ctx context.Context, args ...string) (string, error) {
	r, err := child.Run(ctx, child.Spec{Argv: append([]string{"docker"}, args...)}, child.Limits{Within: questionTime})
	if err != nil {
		return "", failure(ctx, args, r.Stderr, err)
	}
	return r.Stdout, nil
}

// questionTime bounds the wait for docker to print its version, on a busy machine.
const questionTime = 6 * time.Second

// failure is why a docker command failed: cancelled, not installed, or docker's own message.
func failure(ctx context.Context, args []string, words string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("docker %s: %w", verb(args), ctx.Err())
	}
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("the docker command is not in PATH; install Docker, or use RUNTIME=native")
	}
	var hung *child.HungError
	if errors.As(err, &hung) {
		return err
	}
	if words = lastLines(words, 12); words == "" {
		words = err.Error()
	}
	return fmt.Errorf("docker %s: %s", verb(args), words)
}

// verb is the subcommand of a command line: its first words that are neither flags nor a flag's
// value.
func verb(args []string) string {
	var words []string
	for i := 0; i < len(args) && len(words) < 2; i++ {
		switch {
		case args[i] == "--profile" || args[i] == "--project-directory" || args[i] == "--env-file" ||
			args[i] == "--file" || args[i] == "--progress" || args[i] == "--ansi":
			i++
		case strings.HasPrefix(args[i], "-"):
		default:
			words = append(words, args[i])
		}
	}
	return strings.Join(words, " ")
}

// lastLines are the last n lines of text that are not empty.
func lastLines(text string, n int) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimRight(line, " \r\t"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// progress passes on only the lines about slow steps (pulls, builds): with --progress plain docker
// prints a line for every step of every container.
type progress struct {
	line []byte
	to   io.Writer
}

// Write gets docker's output.
func (p *progress) Write(b []byte) (int, error) {
	p.line = append(p.line, b...)
	for {
		line, rest, whole := bytes.Cut(p.line, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		p.line = rest
		if p.to == nil || !worthTelling(string(line)) {
			continue
		}
		if _, err := fmt.Fprintf(p.to, "docker: %s\n", strings.Join(strings.Fields(string(line)), " ")); err != nil {
			return 0, err
		}
	}
}

func worthTelling(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasSuffix(line, "Pulling") || strings.HasSuffix(line, "Pulled") || strings.HasSuffix(line, "Built")
}
