package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"h2lab/internal/base/kinds"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/plan"
)

// service is the part of a service in docker-compose.yml that these tests read.
type service struct {
	Image       string   `yaml:"image"`
	NetworkMode string   `yaml:"network_mode"`
	PID         string   `yaml:"pid"`
	User        string   `yaml:"user"`
	CPUs        string   `yaml:"cpus"`
	Command     []string `yaml:"command"`
	Ports       []string `yaml:"ports"`
	Profiles    []string `yaml:"profiles"`
	Volumes     []string `yaml:"volumes"`
	PullPolicy  string   `yaml:"pull_policy"`
	SecurityOpt []string `yaml:"security_opt"`
	UsernsMode  string   `yaml:"userns_mode"`
	Privileged  bool     `yaml:"privileged"`
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	Build       struct {
		Dockerfile string             `yaml:"dockerfile"`
		Args       map[string]*string `yaml:"args"`
		Labels     map[string]string  `yaml:"labels"`
	} `yaml:"build"`
	Healthcheck struct {
		Test []string `yaml:"test"`
	} `yaml:"healthcheck"`
}

// services reads docker-compose.yml; this needs no Docker.
func services(t *testing.T) map[string]service { return servicesOf(t, "docker-compose.yml") }

func servicesOf(t *testing.T, name string) map[string]service {
	t.Helper()
	var file struct {
		Services map[string]service `yaml:"services"`
	}
	labtest.Check(t, yaml.Unmarshal([]byte(contents(t, name)), &file))
	return file.Services
}

// lower are the servers that only `clients` starts.
var lower = []string{"nginx-100", "envoy-100"}

// every returns each server of the plan but those of optional kinds, which have no image.
func every() []facts.Server {
	all := plan.Servers(append(plan.Topologies(plan.DefaultLimit), plan.LowerTopologies(plan.DefaultLimit)...))
	return slices.DeleteFunc(all, func(s facts.Server) bool { return kinds.Of(s.Kind).Optional })
}

func TestEveryServerOfThePlanIsAServiceOnTheSameAddress(t *testing.T) {
	all := services(t)
	for _, s := range every() {
		c, ok := all[s.Name]
		if !ok {
			t.Errorf("server %s is no service", s.Name)
			continue
		}
		health := kinds.FrontHealth(s)
		if !slices.Contains(c.Healthcheck.Test, health) {
			t.Errorf("%s: its health check %q does not ask %s", s.Name, c.Healthcheck.Test, health)
		}
		variable := strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_")) + "_CONF"
		if s.Config != "" && !slices.Contains(c.Command, "${"+variable+":-"+s.Config+"}") {
			t.Errorf("%s: its command %q does not take %s, with %s to replace it", s.Name, c.Command, s.Config,
				variable)
		}
		if !strings.Contains(c.CPUs, "${CPUS:-0.5}") {
			t.Errorf("%s: its budget is %q", s.Name, c.CPUs)
		}
		unasked := s.MinVersion == "" && !slices.Contains(lower, s.Name)
		if unasked != (len(c.Profiles) == 0) {
			t.Errorf("%s: profiles %q, needs version %q, only for clients %t", s.Name, c.Profiles, s.MinVersion,
				slices.Contains(lower, s.Name))
		}
	}
}

func TestThePodPublishesFrontsAndCountersOnThisMachineAlone(t *testing.T) {
	var want, ports []string
	for _, s := range every() {
		for _, address := range []string{s.Front, s.Counters} {
			_, port, _ := strings.Cut(address, ":")
			want, ports = append(want, "127.0.0.1:"+port+":"+port), append(ports, port)
		}
	}
	pod := services(t)["pod"]
	slices.Sort(pod.Ports)
	slices.Sort(want)
	if !slices.Equal(pod.Ports, want) {
		t.Errorf("published are %q, the servers listen on %q", pod.Ports, want)
	}
	// A port that the engine publishes reaches the servers only when the pod forwards it.
	if len(pod.Command) != 2 || pod.Command[0] != "hold" {
		t.Fatalf("the pod's command is %q", pod.Command)
	}
	list, given := strings.CutPrefix(pod.Command[1], "--publish=")
	forwarded := strings.Split(list, ",")
	slices.Sort(forwarded)
	slices.Sort(ports)
	if !given || !slices.Equal(forwarded, ports) {
		t.Errorf("forwarded are %q, the servers listen on %q", forwarded, ports)
	}
}

func contents(t *testing.T, name string) string {
	t.Helper()
	return labtest.Read(t, "../"+name)
}

const labDockerfile = "docker/lab/Dockerfile"

// Plain `docker build` and editors take the defaults, `make shell` takes versions.env.
func TestDefaultsOfTheLabContainerAreThoseOfVersionsEnv(t *testing.T) {
	versions := contents(t, "versions.env")
	shell := contents(t, "tools/shell.sh")
	found := regexp.MustCompile(`(?m)^ARG (\w+)=(\S+)$`).FindAllStringSubmatch(contents(t, labDockerfile), -1)
	if len(found) != 4 {
		t.Fatalf("%d defaults: %q", len(found), found)
	}
	var names []string
	for _, m := range found {
		names = append(names, m[1])
		pinned := regexp.MustCompile(`(?m)^` + m[1] + `=` + regexp.QuoteMeta(m[2]) + `(@\S+)?$`)
		if !pinned.MatchString(versions) {
			t.Errorf("%s is %s in %s, and versions.env has another", m[1], m[2], labDockerfile)
		}
	}
	if !strings.Contains(shell, `bases="`+strings.Join(names, " ")+`"`) {
		t.Errorf("tools/shell.sh gives other build arguments than %q", names)
	}
}

// A file that .dockerignore leaves out is missing in the build on every engine.
func TestTheBuildContextHasWhatTheLabContainerCopies(t *testing.T) {
	ignore := strings.Split(contents(t, ".dockerignore"), "\n")
	copied := 0
	for line := range strings.Lines(contents(t, labDockerfile)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "COPY" || strings.HasPrefix(words[1], "--from=") {
			continue
		}
		for _, name := range words[1 : len(words)-1] {
			copied++
			if _, err := os.Stat("../" + name); err != nil {
				t.Error(err)
			}
			allowed := false
			for at := name; at != "."; at = path.Dir(at) {
				allowed = allowed || slices.Contains(ignore, "!"+at)
			}
			if !allowed {
				t.Errorf("%s is copied, and .dockerignore leaves it out", name)
			}
		}
	}
	if copied < 10 {
		t.Errorf("only %d files are copied: the pattern is broken", copied)
	}
}

// The container's own directories are those that hold what was built for one system, or name processes.
func TestTheLabContainerCoversWhatIsOfTheHost(t *testing.T) {
	text := contents(t, labDockerfile)
	m := regexp.MustCompile(`(?m)^VOLUME (\[.*\])$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no VOLUME")
	}
	var volumes []string
	labtest.Check(t, json.Unmarshal([]byte(m[1]), &volumes))
	for _, want := range []string{"bin", "tools/bin", "var"} {
		if !slices.Contains(volumes, "/lab/"+want) {
			t.Errorf("/lab/%s is not covered: %q", want, volumes)
		}
		if !strings.Contains(contents(t, ".gitignore"), "/"+want+"/\n") {
			t.Errorf("git knows files of %s/, and the container would hide them", want)
		}
	}
	if !strings.Contains(contents(t, "tools/shell.sh"), "mkdir -p bin tools/bin var\n") {
		t.Error("tools/shell.sh doesn't make these directories, so the engine would, as root")
	}
}

func TestTheDevContainerIsTheLabContainer(t *testing.T) {
	comments := regexp.MustCompile(`(?m)^\s*//.*$`) // JSON with comments; ours stand on lines of their own
	in := json.NewDecoder(strings.NewReader(comments.ReplaceAllString(contents(t, ".devcontainer/devcontainer.json"), "")))
	in.DisallowUnknownFields() // such as privileged, capAdd and runArgs: more rights than make shell has
	var c struct {
		Name, WorkspaceMount, WorkspaceFolder, RemoteUser, PostCreateCommand string
		Build                                                                struct{ Dockerfile, Context, Target string }
		UpdateRemoteUserUID, Init                                            bool
		ContainerEnv                                                         map[string]string
		ForwardPorts                                                         []int
		PortsAttributes                                                      map[string]struct{ Label, OnAutoForward string }
		OtherPortsAttributes                                                 struct{ OnAutoForward string }
	}
	labtest.Check(t, in.Decode(&c))
	dockerfile := contents(t, labDockerfile)
	if path.Join(".devcontainer", c.Build.Dockerfile) != labDockerfile || path.Join(".devcontainer", c.Build.Context) != "." ||
		!strings.Contains(dockerfile, " AS "+c.Build.Target+"\n") {
		t.Errorf("it is built from %+v", c.Build)
	}
	if c.ContainerEnv["RUNTIME"] != "native" || !slices.Equal(c.ForwardPorts, []int{18190}) || c.WorkspaceFolder != "/lab" ||
		!strings.Contains(c.WorkspaceMount, ",target=/lab,") || !strings.Contains(dockerfile, "useradd --uid 1000 ") ||
		c.RemoteUser != "lab" {
		t.Errorf("%+v", c)
	}
	for port, a := range c.PortsAttributes {
		if port != "18190" || !slices.Contains(onAutoForward, a.OnAutoForward) {
			t.Errorf("port %s: %+v", port, a)
		}
	}
	if !slices.Contains(onAutoForward, c.OtherPortsAttributes.OnAutoForward) {
		t.Errorf("other ports: %+v", c.OtherPortsAttributes)
	}
}

// onAutoForward is the schema's enumeration for otherPortsAttributes; portsAttributes has one more
// (devcontainers/spec, schemas/devContainer.base.schema.json).
var onAutoForward = []string{"notify", "openBrowser", "openPreview", "silent", "ignore"}

// socketOf returns the socket of an ecosystem's `h2lab pod-exec-serve`.
func socketOf(ecosystem string) string { return "@h2lab-pod-exec-" + ecosystem }

func TestEveryFolderOfClientsWithADockerfileIsAService(t *testing.T) {
	all := services(t)
	files, err := filepath.Glob("../clients/*/Dockerfile")
	if err != nil || len(files) == 0 {
		t.Fatalf("clients/*/Dockerfile: %d files, %v", len(files), err)
	}
	known := map[string]bool{}
	for _, file := range files {
		ecosystem := filepath.Base(filepath.Dir(file))
		name := compose.ClientService(ecosystem)
		known[name] = true
		s, ok := all[name]
		if !ok {
			t.Errorf("%s: there is no service %s", file, name)
			continue
		}
		if want := "clients/" + ecosystem + "/Dockerfile"; s.Build.Dockerfile != want {
			t.Errorf("%s is built from %s", name, s.Build.Dockerfile)
		}
		if want := []string{"pod-exec-serve", "--socket", socketOf(ecosystem)}; !slices.Equal(s.Command, want) {
			t.Errorf("%s runs %q, want %q", name, s.Command, want)
		}
		if !slices.Equal(s.Profiles, []string{"clients"}) || s.CPUs != "" {
			t.Errorf("%s: profiles %q, budget %q; a client has none and starts only when asked for", name,
				s.Profiles, s.CPUs)
		}
		if !compose.HasImage("..", ecosystem) {
			t.Errorf("%s is not seen", file)
		}
	}
	for name := range all {
		if strings.HasPrefix(name, "client-") && !known[name] {
			t.Errorf("service %s has no Dockerfile in clients/", name)
		}
	}
}

// Over a distance a client program that stayed in the pod's network would be measured without it.
func TestEveryClientIsAtTheFarEndOfADistance(t *testing.T) {
	far := servicesOf(t, "docker/distance.yml")
	if f := far["far"]; !slices.Equal(append([]string{"h2lab"}, f.Command...), compose.FarHold) || f.NetworkMode != "none" ||
		f.PID != "service:pod" || len(f.CapAdd) > 0 {
		t.Errorf("the far end: %+v", f)
	}
	for name := range services(t) {
		if strings.HasPrefix(name, "client-") && far[name].NetworkMode != "service:far" {
			t.Errorf("%s has the network %q", name, far[name].NetworkMode)
		}
	}
}

// A base image in a Dockerfile would duplicate its version in versions.env, and Go's is the project's.
func TestDockerfilesOfClientsTakeTheirBasesFromVersionsEnv(t *testing.T) {
	versions := assignments(t, "../versions.env")
	if !strings.HasPrefix(versions["GO_BASE"], "golang:"+versions["GO_VERSION"]+"-") {
		t.Errorf("GO_BASE is %s, and GO_VERSION %s", versions["GO_BASE"], versions["GO_VERSION"])
	}
	files, _ := filepath.Glob("../clients/*/Dockerfile")
	for _, file := range files {
		for line := range strings.Lines(labtest.Read(t, file)) {
			words := strings.Fields(line)
			if len(words) > 1 && words[0] == "FROM" && versions[strings.Trim(words[1], "${}")] == "" {
				t.Errorf("%s: FROM %s is none of versions.env", file, words[1])
			}
		}
	}
}

// likeness is what the lab relies on in an official image. The stand-ins that e2e/images.sh and
// e2e/bases.sh make without a registry share it, and a test compares whichever image is there: a
// difference between the lab's assumptions and an official image fails where the official one is
// pulled, and one between a stand-in and the table fails everywhere else.
type likeness struct {
	variable   string   // in versions.env
	user       string   // the image's own; "" is root
	entrypoint []string // nil is none
	program    string   // what the lab runs or copies, found by the image's PATH
	libc       string   // glibc, or static for a program that needs none
	needs      []string // other programs that the lab runs in it
	source     string
}

var likenesses = []likeness{
	{variable: "NGINX_IMAGE", entrypoint: []string{"/docker-entrypoint.sh"}, program: "/usr/sbin/nginx", libc: "glibc",
		needs: []string{"sh", "stat"}, source: "nginx/docker-nginx, mainline/debian/Dockerfile: debian:trixie-slim, no USER"},
	{variable: "ENVOY_IMAGE", entrypoint: []string{"/docker-entrypoint.sh"}, program: "/usr/local/bin/envoy",
		libc: "glibc", needs: []string{"sh"},
		source: "envoyproxy/envoy, distribution/docker/Dockerfile-envoy: ubuntu:22.04, no USER, envoy 0755"},
	{variable: "K6_IMAGE", user: "12345", entrypoint: []string{"k6"}, program: "/usr/bin/k6", libc: "static",
		needs: []string{"sh"}, source: "grafana/k6, Dockerfile: CGO_ENABLED=0, alpine, USER 12345"},
	{variable: "GO_BASE", program: "/usr/local/go/bin/go", libc: "glibc", needs: []string{"sh", "openssl", "stat"},
		source: "docker-library/golang, on buildpack-deps:bookworm-scm, whose ca-certificates bring openssl"},
	{variable: "PYTHON_BASE", program: "/usr/local/bin/python3", libc: "glibc", needs: []string{"sh"},
		source: "docker-library/python, 3.11/bookworm/Dockerfile"},
}

// row is the likeness as docs/docker.md has it.
func (l likeness) row() string {
	or := func(s, none string) string {
		if s == "" {
			return none
		}
		return "`" + s + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s | `%s` | %s | `%s` | %s |", l.variable, or(l.user, "root"),
		or(strings.Join(l.entrypoint, " "), "none"), l.program, l.libc, strings.Join(l.needs, "`, `"), l.source)
}

func TestDocsShowTheTableOfStandIns(t *testing.T) {
	page := labtest.Read(t, "../docs/docker.md")
	for _, l := range likenesses {
		if !strings.Contains(page, l.row()+"\n") {
			t.Errorf("docs/docker.md lacks the row\n%s", l.row())
		}
	}
}
