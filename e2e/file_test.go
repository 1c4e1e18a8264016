package e2e_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"

	"go.yaml.in/yaml/v3"

	"h2lab/internal/facts"
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
func services(t *testing.T) map[string]service {
	t.Helper()
	return servicesOf(t, "docker-compose.yml")
}

func servicesOf(t *testing.T, name string) map[string]service {
	t.Helper()
	data, err := os.ReadFile("../" + name)
	labtest.Check(t, err)
	var file struct {
		Services map[string]service `yaml:"services"`
	}
	labtest.Check(t, yaml.Unmarshal(data, &file))
	return file.Services
}

// lower are the servers that only `clients` starts.
var lower = []string{"nginx-100", "envoy-100"}

// every returns each server of the plan.
func every() []facts.Server {
	return plan.Servers(append(plan.Topologies(plan.DefaultLimit), plan.LowerTopologies(plan.DefaultLimit)...))
}

func TestEveryServerOfThePlanIsAServiceOnTheSameAddress(t *testing.T) {
	all := services(t)
	for _, s := range every() {
		c, ok := all[s.Name]
		if !ok {
			t.Errorf("server %s is no service", s.Name)
			continue
		}
		health := "https://" + s.Front + "/lab/health"
		if s.Kind == facts.Backend {
			health = "https://" + s.Front + "/healthz"
		}
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

func TestEveryServiceButThePodJoinsIt(t *testing.T) {
	for name, s := range services(t) {
		// `prepare` makes files and ends before the others start.
		if name != "pod" && name != "prepare" && (s.NetworkMode != "service:pod" || s.PID != "service:pod" || len(s.Ports) > 0) {
			t.Errorf("%s: network %q, pid %q, ports %q", name, s.NetworkMode, s.PID, s.Ports)
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

func TestImagesComeFromVersionsEnvAndNowhereElse(t *testing.T) {
	for name, s := range services(t) {
		ours := s.Image == "h2lab:local" || s.Image == "h2lab-"+name+":local" // also prepare's
		if !ours && !strings.HasPrefix(s.Image, "${NGINX_IMAGE:?") && !strings.HasPrefix(s.Image, "${ENVOY_IMAGE:?") {
			t.Errorf("%s: image %q", name, s.Image)
		}
		for arg, value := range s.Build.Args {
			if (strings.HasSuffix(arg, "_IMAGE") || strings.HasSuffix(arg, "_BASE")) &&
				(value == nil || !strings.HasPrefix(*value, "${"+arg+":?")) {
				t.Errorf("%s: build argument %s is not that of versions.env", name, arg)
			}
		}
	}
}
