package compose_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
)

// sick is an engine where nginx-1000 does not start.
var sick = well + `*" up "*) echo "container h2lab-nginx-1000-1 exited (1)" >&2; exit 1;;
"ps --all --quiet"*) echo c1 c2;;
inspect*) cat <<'JSON'
[{"State":{"Status":"running","Health":{"Status":"healthy"}},"HostConfig":{"NanoCpus":500000000},
  "Config":{"Labels":{"com.docker.compose.service":"backend"}}},
 {"State":{"Status":"exited","ExitCode":1,"Health":{"Status":"unhealthy","Log":[{"Output":"connection refused"}]}},
  "HostConfig":{"NanoCpus":0},"Config":{"Labels":{"com.docker.compose.service":"nginx-1000"}}}]
JSON
;;
*"logs "*" nginx-1000") echo 'nginx: [emerg] bind() to 0.0.0.0:18101 failed';;`

func TestUpThatFailsCarriesTheLogsOfTheSickService(t *testing.T) {
	calls := fakeDocker(t, sick)
	p := &compose.Project{Root: project(t, versions)}
	err := p.Up(context.Background(), "nginx-1000")
	mustSay(t, err, "exited (1)", "nginx-1000 is exited with status 1, unhealthy", "connection refused",
		"[emerg] bind()")
	if anyCall(calls(), "logs", "backend") {
		t.Error("it asked for the logs of a service that is well")
	}
}

func TestUpBuildsWaitsAndSaysWhatItDoes(t *testing.T) {
	calls := fakeDocker(t, well+
		`*" up "*) echo ' Container x  Created'; echo " $CPUS $NGINX_1000_CONF $LAB_USER Pulled";;`)
	half := 0.5
	var log bytes.Buffer
	p := &compose.Project{Root: project(t, versions), Log: &log,
		Variables: compose.Variables(&half, map[string]string{"nginx-1000": "var/nginx/keepalive-100.conf"})}
	t.Setenv("LAB_USER", "12:34")
	labtest.Check(t, p.Up(context.Background(), "nginx-1000", "envoy"))
	if !anyCall(calls(), " build pod") || !anyCall(calls(), "--no-build", "--wait", "--env-file", "nginx-1000 envoy") {
		t.Errorf("docker was called with %q", calls())
	}
	if want := "docker: 0.5 var/nginx/keepalive-100.conf 12:34 Pulled\n"; log.String() != want {
		t.Errorf("docker said %q, want %q", log.String(), want)
	}
}

func TestReadBackTellsWhatTheEngineGave(t *testing.T) {
	fakeDocker(t, sick)
	half := 0.5
	got, err := compose.ReadBack(context.Background(), "backend", "nginx-1000")
	labtest.Check(t, err)
	if diff := cmp.Diff(map[string]*float64{"backend": &half, "nginx-1000": nil}, got); diff != "" {
		t.Error(diff)
	}
	_, err = compose.ReadBack(context.Background(), "envoy")
	mustSay(t, err, "envoy has no container", "docker compose up")
}

func TestDownNamesWhatIsLeft(t *testing.T) {
	fakeDocker(t, well+`*" down "*) [ "$CPUS" = 0 ] || { echo "CPUS=$CPUS is no number" >&2; exit 1; };;
"ps --all"*) ;;
"network ls"*) echo h2lab_default;;
"volume ls"*) ;;`)
	t.Setenv("CPUS", "none")
	err := compose.Down(context.Background(), project(t, versions))
	mustSay(t, err, "network h2lab_default", "remove them with")
}

func TestRunLabPassesOutputAndExitStatusThrough(t *testing.T) {
	calls := fakeDocker(t, well+`"rm --force"*) ;;
*" run "*) echo result; echo words >&2; exit 4;;`)
	var stdout, stderr bytes.Buffer
	p := &compose.Project{Root: project(t, versions)}
	status, err := p.RunLab(context.Background(), compose.LabRun{Args: []string{"repro", "--limit", "100"},
		Env: map[string]string{"NO_COLOR": "1"}, Stdout: &stdout, Stderr: &stderr})
	if err != nil || status != 4 || stdout.String() != "result\n" || stderr.String() != "words\n" {
		t.Fatalf("RunLab() = %d, %v; stdout %q, stderr %q", status, err, &stdout, &stderr)
	}
	if !anyCall(calls(), "run --rm --no-deps", "--no-TTY", "--env NO_COLOR=1 lab repro --limit 100") {
		t.Errorf("docker was called with %q", calls())
	}
}

// The fake's `run` ends when its `stop` was called, as a container does.
func TestRunLabThatIsCancelledStopsAndRemovesItsContainer(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "stopped")
	t.Setenv("FAKE_STOPPED", pipe)
	calls := fakeDocker(t, well+`"rm --force"*) ;;
stop*) : >"$FAKE_STOPPED";;
*" run "*) : >"$FAKE_STOPPED.running"; while [ ! -e "$FAKE_STOPPED" ]; do sleep 0.02; done; exit 130;;`)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer cancel()
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
			if _, err := os.Stat(pipe + ".running"); err == nil {
				return
			}
		}
	}()
	var out bytes.Buffer
	status, err := (&compose.Project{Root: project(t, versions)}).RunLab(ctx, compose.LabRun{
		Args:   []string{"repro"},
		Stdout: &out,
		Stderr: &out,
	})
	if !errors.Is(err, context.Canceled) || status != 130 {
		t.Fatalf("RunLab() = %d, %v, want 130 and context.Canceled", status, err)
	}
	got := calls()
	if !anyCall(got, "stop --time", "h2lab-lab-run") || got[len(got)-1] != "rm --force h2lab-lab-run" {
		t.Errorf("docker was called with %q", got)
	}
}

func TestBuildClientBuildsOneServiceAndSaysWhyItCannot(t *testing.T) {
	calls := fakeDocker(t, `*" build client-java") echo "#3 ERROR: failed to solve: maven:3: no such host" >&2; exit 1;;
`+well)
	p := &compose.Project{Root: project(t, versions)}
	labtest.Check(t, p.BuildClient(context.Background(), "go"))
	if !anyCall(calls(), "--env-file", "build client-go") {
		t.Errorf("docker was called with %q", calls())
	}
	mustSay(t, p.BuildClient(context.Background(), "java"), "image", "maven:3", "no such host")
}

// server answers with each status in turn, then repeats the last one.
func server(t *testing.T, statuses ...int) (compose.Health, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := int(asked.Add(1))
		w.WriteHeader(statuses[min(n, len(statuses))-1])
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.crt")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	labtest.Write(t, ca, string(block))
	return compose.Health{URL: s.URL, CAFile: ca, Mark: filepath.Join(dir, "mark")}, &asked
}

func TestHealthcheckWaitsForTheServerToBecomeHealthy(t *testing.T) {
	h, asked := server(t, 503, 503, 200)
	labtest.Check(t, compose.Healthcheck(context.Background(), h))
	if asked.Load() != 3 {
		t.Errorf("it asked %d times, want 3", asked.Load())
	}
}

func TestHealthcheckRestsBeforeItAsksAHealthyServerAgain(t *testing.T) {
	h, asked := server(t, 200)
	labtest.Check(t, compose.Healthcheck(context.Background(), h))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if err := compose.Healthcheck(ctx, h); err == nil || asked.Load() != 1 {
		t.Errorf("it asked %d times (%v), want it to rest after the first", asked.Load(), err)
	}
	h.Rest = time.Millisecond
	if err := compose.Healthcheck(context.Background(), h); err != nil || asked.Load() != 2 {
		t.Errorf("after its rest: asked %d times, %v", asked.Load(), err)
	}
}

func TestHealthcheckTellsWhatItWasAnswered(t *testing.T) {
	h, _ := server(t, 503)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	mustSay(t, compose.Healthcheck(ctx, h), "503", h.URL)
}

func TestHealthcheckVerifiesTheServer(t *testing.T) {
	h, _ := server(t, 200)
	other := filepath.Join(t.TempDir(), "ca.crt")
	labtest.Write(t, other, "nothing")
	h.CAFile = other
	mustSay(t, compose.Healthcheck(context.Background(), h), "no PEM certificate", "make certs")
	h.CAFile = filepath.Join(t.TempDir(), "absent.crt")
	mustSay(t, compose.Healthcheck(context.Background(), h), "absent.crt", "make certs")
}

// fakeDocker puts a docker command first in PATH that answers by body, the branches of a shell case
// over its arguments; arguments without a branch fail with a message. It returns a function that
// lists the calls.
func fakeDocker(t *testing.T, body string) (calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\"$FAKE_LOG\"\ncase \"$*\" in\n" + body +
		"\n*) echo \"fake docker: unexpected: $*\" >&2; exit 99;;\nesac\n"
	labtest.WriteProgram(t, filepath.Join(dir, "docker"), script)
	log := filepath.Join(dir, "calls")
	t.Setenv("FAKE_LOG", log)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() []string {
		data, _ := os.ReadFile(log)
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
}

// What engines of several kinds answer to `docker version` and `docker info`, each in the fields that
// its own documentation or source names (docs/docker.md).
const (
	linuxServer = `{"Version":"28.2.2","Os":"linux","Arch":"amd64","Components":[{"Name":"Engine"}]}`
	linuxInfo   = `{"OperatingSystem":"Debian GNU/Linux 12","SecurityOptions":["name=seccomp,profile=builtin"],` +
		`"CpuCfsQuota":true}`
)

// answers are the branches of an engine that describes itself so, with a good plugin and no image of
// the lab's own.
func answers(server, info string) string {
	return "\"version --format\"*) echo '" + server + "';;\n\"info --format\"*) echo '" + info + "';;\n" +
		"\"compose version\"*) echo 2.40.3;;\n" +
		"\"context inspect\"*) echo unix:///var/run/docker.sock;;\n" +
		"\"image inspect --format {{json .Config.Labels}}\"*) echo null;;\n*\" build \"*) ;;\n"
}

// well are the branches of an ordinary engine.
var well = answers(linuxServer, linuxInfo)

// project is a root directory with a versions.env, and what the lab's images are built from.
func project(t *testing.T, versions string) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, map[string]string{
		"versions.env": versions, ".env": "COMPOSE_PROFILES=plain\nNGINX_IMAGE=nginx:1.31.4\nNODE_BASE=node:20\n",
		".dockerignore": "*\n!clients\n# a remark\nclients/*/out\n**/testdata\n**/*_test.go\n",
		"docker/Dockerfile": "ARG K6_IMAGE\nFROM ${K6_IMAGE} AS k6\nFROM scratch\nCOPY --from=k6 /k6 /k6\n" +
			"COPY bin/linux/${TARGETARCH} /programs\n",
		"bin/linux/amd64/h2lab":   "program",
		"clients/go/Dockerfile":   "ARG GO_BASE\nFROM ${GO_BASE}\nCOPY clients/go clients/go\n",
		"clients/go/main.go":      "package main",
		"clients/java/Dockerfile": "ARG JAVA_BASE\nFROM ${JAVA_BASE}\n",
	})
	return root
}

// write makes files below a directory.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		labtest.Write(t, path, text)
	}
}

// mustSay fails unless err says every one of words.
func mustSay(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}

// anyCall reports whether one of calls has all words.
func anyCall(calls []string, words ...string) bool {
	for _, call := range calls {
		all := true
		for _, w := range words {
			all = all && strings.Contains(call, w)
		}
		if all {
			return true
		}
	}
	return false
}
