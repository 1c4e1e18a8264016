package plan

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"h2lab/internal/base/kinds"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// object is the part of a Kubernetes object that the test reads.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Ports    []port
		Template struct {
			Spec struct{ Containers []container }
		}
	}
}

type container struct {
	Name          string
	Command, Args []string
	Ports         []port
	StartupProbe  struct{ Exec struct{ Command []string } } `yaml:"startupProbe"`
}

// port is one of a Service or of a container.
type port struct {
	Port          string `yaml:"port"`
	TargetPort    string `yaml:"targetPort"`
	ContainerPort string `yaml:"containerPort"`
}

func objects(t *testing.T, name string) (all []object) {
	t.Helper()
	in := yaml.NewDecoder(strings.NewReader(labtest.Read(t, "../../../deploy/kubernetes/"+name)))
	for {
		var o object
		err := in.Decode(&o)
		if err == io.EOF {
			return all
		}
		labtest.Check(t, err)
		all = append(all, o)
	}
}

// fronts are the servers that the cluster has: all of the plan but those of optional kinds, which have no image.
func fronts() map[string]facts.Server {
	all := map[string]facts.Server{}
	for _, s := range Servers(Topologies(DefaultLimit)) {
		if !kinds.Of(s.Kind).Optional {
			all[s.Name] = s
		}
	}
	return all
}

func portOf(s facts.Server) string {
	_, port, _ := strings.Cut(s.Front, ":")
	return port
}

func TestEveryServerOfThePlanIsAContainerOfTheClustersPod(t *testing.T) {
	var want []string
	for _, s := range fronts() {
		want = append(want, portOf(s))
	}
	slices.Sort(want)
	want = slices.Compact(want)
	pod := objects(t, "lab.yaml")[0].Spec.Template.Spec.Containers
	for name, s := range fronts() {
		i := slices.IndexFunc(pod, func(c container) bool { return c.Name == name })
		switch {
		case i < 0:
			t.Errorf("deploy/kubernetes/lab.yaml has no container %s", name)
		case s.Config == "" && !(slices.Contains(pod[i].Args, s.Front) && slices.Contains(pod[i].Args, s.Counters)):
			t.Errorf("container %s has the arguments %q, want %s and %s", name, pod[i].Args, s.Front, s.Counters)
		case s.Config != "" && !slices.Contains(pod[i].Command, s.Config):
			t.Errorf("container %s runs %q, want the file %s", name, pod[i].Command, s.Config)
		}
	}
	for _, c := range pod {
		if _, known := fronts()[c.Name]; !known && c.Name != "lab" {
			t.Errorf("container %s is no server of the plan", c.Name)
		}
		if c.Name != "lab" {
			continue
		}
		var declared []string
		for _, p := range c.Ports {
			declared = append(declared, p.ContainerPort)
		}
		slices.Sort(declared)
		if !slices.Equal(declared, want) {
			t.Errorf("the pod declares the ports %q, the servers listen on %q", declared, want)
		}
		forwarded := strings.Split(strings.TrimPrefix(c.Args[1], "--publish="), ",")
		slices.Sort(forwarded)
		if !slices.Equal(forwarded, want) {
			t.Errorf("the pod forwards %q, the servers listen on %q", forwarded, want)
		}
		if health := kinds.FrontHealth(fronts()["nginx-1000"]); !slices.Contains(c.StartupProbe.Exec.Command, health) {
			t.Errorf("the startup probe is %q, want %s", c.StartupProbe.Exec.Command, health)
		}
	}
}

func TestEveryServerOfThePlanIsAServiceOfTheCluster(t *testing.T) {
	want, got := map[string]string{}, map[string]string{}
	for name, s := range fronts() {
		want[name] = fmt.Sprint([]port{{Port: portOf(s), TargetPort: portOf(s)}})
	}
	names := labtest.Read(t, "../../../certs/openssl.cnf")
	for _, o := range objects(t, "services.yaml") {
		got[o.Metadata.Name] = fmt.Sprint(o.Spec.Ports)
		if !strings.Contains(names, "= "+o.Metadata.Name+"\n") {
			t.Errorf("the certificates don't hold for %s: certs/openssl.cnf", o.Metadata.Name)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("deploy/kubernetes/services.yaml has %v, the plan %v", got, want)
	}
}
