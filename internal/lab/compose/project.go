// Package compose is the Docker runtime: it runs docker-compose.yml, with the same servers, files
// and ports as the native runtime.
//
// It does with the docker command what package native does with processes: it checks that an engine
// runs and that the images are available, starts servers and waits until they are healthy, reads
// their CPU limits back, runs h2lab inside the pod, and removes everything again. The h2lab inside
// the pod measures: it sees the pod's processes and dials 127.0.0.1, as it would natively. A
// measurement from outside would reach Docker's own proxy, which ends the TCP connection of a
// published port.
//
// Client programs run in containers of their own, one for each ecosystem (clients.go); package
// podexec starts them there.
//
// Hold and Healthcheck run inside the pod: process 1, and the health check of a service.
package compose

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/rooted"
	"h2lab/internal/lab/native"
)

// ProjectName is the lab's Compose project name, which is a label of all its containers and
// networks.
const ProjectName = "h2lab"

// Checkout is where the containers have the checkout.
const Checkout = "/lab"

const projectLabel = "label=com.docker.compose.project=" + ProjectName

// Project is docker-compose.yml in a root directory, with its variables. Use one Project from Up to
// Down: Compose recreates services when their variables change.
type Project struct {
	Root string
	// Variables override the environment for docker-compose.yml: see the function Variables.
	Variables map[string]string
	// Log gets progress lines of slow steps (pulls, builds); nil discards them.
	Log io.Writer
	// Distance gives the lab container what a delay line needs (docker/distance.yml).
	Distance bool
	// Engine is what Engine returned; the zero value asks the engine when it is needed.
	Engine EngineInfo
}

// Variables are the variables of docker-compose.yml for a CPU limit (nil is none) and, by server,
// other configurations than its own.
func Variables(cpus *float64, configs map[string]string) map[string]string {
	out := map[string]string{"CPUS": "0"}
	if cpus != nil {
		out["CPUS"] = strconv.FormatFloat(*cpus, 'f', -1, 64)
	}
	for server, config := range configs {
		name := strings.ToUpper(strings.ReplaceAll(server, "-", "_")) + "_CONF"
		out[name] = filepath.ToSlash(config)
	}
	return out
}

// engine is what the engine said of itself. One that doesn't answer makes the next docker command fail,
// with the reason.
func (p *Project) engine(ctx context.Context) EngineInfo {
	if p.Engine.Arch == "" {
		if e, err := describe(ctx); err == nil {
			p.Engine = e
		}
	}
	return p.Engine
}

// env is docker's environment.
func (p *Project) env(ctx context.Context) []string {
	env := os.Environ()
	if os.Getenv("LAB_USER") == "" {
		env = append(env, "LAB_USER="+p.engine(ctx).User)
	}
	env = append(env, "LAB_PROGRAMS=given") // tools/build.sh has made them
	// COMPOSE_PROFILES and COMPOSE_FILE in the user's shell are for other projects.
	env = append(env, "COMPOSE_PROFILES=", "COMPOSE_IGNORE_ORPHANS=true")
	for _, name := range slices.Sorted(maps.Keys(p.Variables)) {
		env = append(env, name+"="+p.Variables[name])
	}
	return env
}

// args are the arguments of a compose command.
func (p *Project) args(words ...string) []string {
	root := p.Root
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	args := []string{"compose", "--project-directory", root, "--file", filepath.Join(root, "docker-compose.yml")}
	if p.Distance {
		args = append(args, "--file", filepath.Join(root, "docker", "distance.yml"))
	}
	args = append(args, "--env-file", filepath.Join(root, versionsFile), "--progress", "plain", "--ansi", "never")
	return append(args, words...)
}

// compose runs a compose command and returns its stdout.
func (p *Project) compose(ctx context.Context, words ...string) (string, error) {
	return docker(ctx, p.env(ctx), p.args(words...)...)
}

// Up builds the lab's own image where it is missing or out of date, starts services (with pod and
// backend) and waits until each is healthy. Its error has the logs of unhealthy services; the caller's
// Down removes those that did start.
func (p *Project) Up(ctx context.Context, services ...string) error {
	for _, dir := range []string{"var", "results"} { // else the engine creates them, as root
		if err := os.MkdirAll(filepath.Join(p.Root, dir), 0o755); err != nil {
			return fmt.Errorf("a directory for the containers: %w", err)
		}
	}
	if err := p.build(ctx, "pod", "h2lab:local", "docker/Dockerfile"); err != nil {
		return err
	}
	args := p.args(append([]string{"up", "--detach", "--no-build", "--wait", "--wait-timeout", "120"}, services...)...)
	words := &progress{to: p.Log}
	if _, err := command(ctx, child.Spec{Env: p.env(ctx), Stdout: words, Stderr: words}, args...); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%w%s%s", err, p.troubles(ctx), hint(err))
	}
	return nil
}

// Down removes the containers, networks and volumes of the project in root, whatever variables they
// were started with. Call it with a context that has not ended.
func Down(ctx context.Context, root string) error {
	// Without this, Compose would read CPUS=none from the environment, a value only h2lab accepts.
	p := &Project{Root: root, Variables: Variables(nil, nil)}
	_, err := p.compose(ctx, "--profile", "lab", "--profile", "h2-upstream", "--profile", "clients", "--profile", "plain",
		"down", "--remove-orphans", "--volumes", "--timeout", "5")
	left, lookErr := Orphans(ctx)
	if err == nil && lookErr == nil && len(left) > 0 {
		err = fmt.Errorf("left after docker compose down: %s; remove them with: docker rm -f NAME, docker "+
			"network rm NAME", strings.Join(left, ", "))
	}
	return errors.Join(err, lookErr)
}

// Orphans lists what the engine still has of the project: containers (including stopped ones),
// networks and volumes, by kind and name.
func Orphans(ctx context.Context) ([]string, error) {
	var out []string
	for _, kind := range []struct {
		name string
		args []string
	}{
		{"container", []string{"ps", "--all", "--filter", projectLabel, "--format", "{{.Names}}"}},
		{"network", []string{"network", "ls", "--filter", projectLabel, "--format", "{{.Name}}"}},
		{"volume", []string{"volume", "ls", "--filter", projectLabel, "--format", "{{.Name}}"}},
	} {
		names, err := docker(ctx, os.Environ(), kind.args...)
		if err != nil {
			return out, err
		}
		for _, name := range strings.Fields(names) {
			out = append(out, kind.name+" "+name)
		}
	}
	return out, nil
}

// labContainer is the name of the measuring container. It is fixed, so that a leftover container is
// found and two can't run at once.
const labContainer = ProjectName + "-lab-run"

// stopGrace is how long the h2lab inside may take, after SIGTERM, to end its children and write its
// results.
const stopGrace = 20 * time.Second

// LabRun is one `docker compose run --rm lab`.
type LabRun struct {
	Args []string          // of the h2lab inside
	Env  map[string]string // in addition to the image's
	// Stdin, Stdout and Stderr are passed through. Where both Stdin and Stdout are terminals, the
	// h2lab inside gets a terminal too.
	Stdin          *os.File
	Stdout, Stderr io.Writer
}

// RunLab runs h2lab inside the pod, which must be up, and returns its exit status. When ctx ends,
// RunLab stops the container (SIGTERM first, so that h2lab saves its results) and returns when it
// is gone.
func (p *Project) RunLab(ctx context.Context, run LabRun) (int, error) {
	clean := context.WithoutCancel(ctx)
	removeLab(clean) // left by a run that crashed
	args := []string{"run", "--rm", "--no-deps", "--name", labContainer}
	tty := isTerminal(run.Stdin) && isTerminal(run.Stdout)
	if !tty {
		args = append(args, "--no-TTY")
	}
	for _, name := range slices.Sorted(maps.Keys(run.Env)) {
		args = append(args, "--env", name+"="+run.Env[name])
	}
	args = p.args(append(append(args, "lab"), run.Args...)...)
	// Not command(ctx, …): an interrupt must reach the h2lab inside, not the docker command that
	// waits for it.
	spec := child.Spec{
		Argv:   append([]string{"docker"}, args...),
		Env:    p.env(ctx),
		Stdout: run.Stdout,
		Stderr: run.Stderr,
	}
	if tty { // it reads from the terminal; otherwise h2lab passes Ctrl-C on
		spec.Stdin, spec.Foreground = run.Stdin, true
		if out, ok := run.Stderr.(*os.File); ok {
			spec.Stderr = out
		}
	}
	c, err := child.Start(spec)
	if err != nil {
		return 0, failure(ctx, args, "", err)
	}
	waitOrStop(ctx, c)
	if ctx.Err() != nil {
		removeLab(clean)
		return c.Status(), ctx.Err()
	}
	var exit *exec.ExitError
	if err := c.Err(); err != nil && !errors.As(err, &exit) {
		return 0, fmt.Errorf("docker compose run lab: %w", err)
	}
	return c.Status(), nil
}

// waitOrStop waits for the docker command; when ctx ends it stops the container, which ends the
// command.
func waitOrStop(ctx context.Context, c *child.Child) {
	select {
	case <-c.Exited():
		return
	case <-ctx.Done():
	}
	clean, cancel := context.WithTimeout(child.Cleanup(ctx), 2*stopGrace)
	defer cancel()
	seconds := strconv.Itoa(int(stopGrace / time.Second))
	if _, err := docker(clean, os.Environ(), "stop", "--time", seconds, labContainer); err != nil {
		c.Signal(interrupt) // no container exists yet
	}
	select {
	case <-c.Exited():
	case <-clean.Done():
		_ = c.Stop(clean, child.Manner{Group: true})
	}
}

// removeLab removes the measuring container, if there is one.
func removeLab(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	_, _ = docker(ctx, os.Environ(), "rm", "--force", labContainer)
}

// isTerminal reports whether f is a terminal.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && file != nil && term.IsTerminal(int(file.Fd()))
}

// HasImage reports whether an ecosystem's programs run in an image of their own, that is, have a
// Dockerfile in their folder. Others, such as k6, are in the lab's own image and run in the
// container of the h2lab that measures.
func HasImage(root, ecosystem string) bool {
	_, err := os.Stat(filepath.Join(root, "clients", ecosystem, "Dockerfile"))
	return err == nil
}

// ClientService is the service in docker-compose.yml that runs an ecosystem's programs. Up starts
// it by this name, whatever profiles are active.
func ClientService(ecosystem string) string { return "client-" + ecosystem }

// FarHold is the command of the container whose network the clients of a run with a distance have
// (docker/distance.yml).
var FarHold = []string{"h2lab", "hold"}

// BuildClient builds the image of one ecosystem where it is missing or out of date: it pulls the
// official base and downloads the dependencies in the lock files. Its error is why this ecosystem's
// programs can't run here; other ecosystems are not affected.
func (p *Project) BuildClient(ctx context.Context, ecosystem string) error {
	service := ClientService(ecosystem)
	if err := p.build(ctx, service, ProjectName+"-"+service+":local", "clients/"+ecosystem+"/Dockerfile"); err != nil {
		return fmt.Errorf("its image can't be built: %w", err)
	}
	return nil
}

// NoBudget is the error for an engine that can't limit a container's processor time, or nil.
func (e EngineInfo) NoBudget(cpus *float64) error {
	if cpus == nil || e.LimitsCPU {
		return nil
	}
	return fmt.Errorf("%s can't limit processor time here (CPUS=%g); %s", e.Kind, *cpus, withoutBudget)
}

// withoutBudget is the next step where processor time can't be limited.
const withoutBudget = "measure without a limit: CPUS=none; or delegate the cpu controller to its user: " +
	"https://rootlesscontaine.rs/getting-started/common/cgroup2/"

// hints are the next steps for messages of docker compose up and run: moby's (daemon/daemon_unix.go), crun's and runc's
// under podman, and Docker Desktop's.
var hints = []struct{ message, next string }{
	{"address already in use|port is already allocated",
		"a port of the lab is taken, perhaps by the native one: try `h2lab down`, or see who has it: ss -ltnp"},
	{"NanoCPUs can not be set|controller `cpu` is not available|cpu.(cfs_quota_us|max).*no such file",
		"the engine can't limit processor time here; " + withoutBudget},
	{"ounts denied|is not shared from the host", "the engine's virtual machine doesn't share the checkout's directory; " + share},
}

// hint is the next step for a known message of docker.
func hint(err error) string {
	for _, h := range hints {
		if regexp.MustCompile("(?s)" + h.message).MatchString(err.Error()) {
			return "\n" + h.next
		}
	}
	return ""
}

// share is the next step where the engine's virtual machine doesn't see the checkout.
const share = "share it (Docker Desktop: Settings, Resources, File sharing), or move the checkout below your home " +
	"directory"

// Health is the health check of one server.
type Health struct {
	URL    string // https; its certificate is verified
	CAFile string
	// Mark is a file that records that the server was healthy once; empty is one in the temporary
	// directory, which belongs to the container and starts empty with it.
	Mark string
	// Rest is the wait before the next check of a server that was healthy once; 0 is RestBetween.
	Rest time.Duration
}

// RestBetween is the time between two checks of a healthy server. A check adds a connection to the
// counters and a handshake to the server's CPU time, so hardly any may fall into a measurement.
const RestBetween = 10 * time.Minute

// patience bounds the wait for an answer, retries included.
const patience = 5 * time.Second

// Healthcheck is the health check of a service: it returns nil once the server has answered 200,
// and an error when it has not within five seconds. For a server that was healthy before, it waits
// first.
func Healthcheck(ctx context.Context, h Health) error {
	client, err := native.Trusting(h.CAFile)
	if err != nil {
		return err
	}
	if h.Mark == "" {
		h.Mark = filepath.Join(os.TempDir(), "h2lab-healthy")
	}
	if h.Rest == 0 {
		h.Rest = RestBetween
	}
	if _, err := os.Stat(h.Mark); err == nil {
		if err := await.Pause(ctx, h.Rest); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := askUntilHealthy(ctx, client, h.URL); err != nil {
		return err
	}
	// Without the mark, the next check only comes earlier.
	_ = rooted.WriteFile(h.Mark, nil)
	return nil
}

// askUntilHealthy sends requests until the answer is 200 or ctx ends; then it returns the last
// error.
func askUntilHealthy(ctx context.Context, client *http.Client, url string) error {
	var last error
	for {
		_, err := native.Get(ctx, client, url)
		if err == nil {
			return nil
		}
		if !errors.Is(err, context.DeadlineExceeded) || last == nil {
			last = fmt.Errorf("health check: %w", err)
		}
		if await.Pause(ctx, 50*time.Millisecond) != nil {
			return last
		}
	}
}

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

// verb is the subcommand of a command line.
func verb(args []string) string {
	words := slices.DeleteFunc(slices.Clone(args), func(word string) bool { return strings.HasPrefix(word, "-") })
	if words[0] == "compose" && len(args) > 1 { // the subcommand follows the last of Project.args
		words = append(words[:1], args[slices.Index(args, "never")+1:]...)
	}
	return strings.Join(words[:min(2, len(words))], " ")
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
