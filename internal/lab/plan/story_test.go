package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// storyRows are the variants that services/ must have, and others.
func storyRows() (out []Row) {
	for _, name := range []string{"resttemplate-okhttp3", "resttemplate-okhttp3-pool100", "resttemplate-okhttp3-no-retry",
		"resttemplate-okhttp3-h1", "resttemplate-okhttp3-renew", "resttemplate-okhttp4", "scg", "server-sync"} {
		p := facts.H2
		if strings.HasSuffix(name, "-h1") {
			p = facts.H1
		}
		out = append(out, Row{Client: facts.Client(name), Protocol: p, Program: &facts.Program{Ecosystem: "spring"}})
	}
	return out
}

func TestAStoryWithoutItsCallerSaysHowToGetIt(t *testing.T) {
	labtest.NewFaults(t, labtest.Knobs).Try("services/ lacks a caller of the story", func(t *testing.T) {
		_, err := StoryCells(storyRows()[1:], UsualFor(Story))
		if err == nil || !strings.Contains(err.Error(), "has the caller resttemplate-okhttp3; restore them with: git") {
			t.Error(err)
		}
	})
}

func TestEveryServiceCallsTheFrontsOfItsTopologies(t *testing.T) {
	k := UsualFor(Story)
	cells, err := StoryCells(storyRows(), k)
	labtest.Check(t, err)
	argv := map[facts.Client][]string{}
	for _, r := range storyRows() {
		argv[r.Client] = []string{"services/spring/out/run", string(r.Client)}
	}
	served, err := Serviced(cells, argv)
	labtest.Check(t, err)
	services := ServicesOf(served)
	if len(services) != 6 || services[0].Front != "127.0.0.1:18301" || services[5].Front != "127.0.0.1:18306" {
		t.Errorf("%+v", services)
	}
	var fronts []string
	for _, u := range services[0].Upstreams {
		fronts = append(fronts, u.Name+"="+u.Front)
	}
	want := []string{"nginx-1000-envoy=127.0.0.1:18141", "envoy=127.0.0.1:18121", "nginx-100000-envoy=127.0.0.1:18241",
		"envoy-envoy=127.0.0.1:18251"}
	if !slices.Equal(fronts, want) {
		t.Errorf("the first service calls %q, want %q", fronts, want)
	}
	for _, c := range served {
		if c.Service == nil || c.Service.Name != string(c.Client) || c.Service.Kind != facts.Service {
			t.Errorf("%s on %s has the service %+v", c.Client, c.Topology.Name, c.Service)
		}
	}
	if cells[0].Service != nil {
		t.Error("the cells that were given have changed")
	}
	delete(argv, "resttemplate-okhttp4")
	if _, err := Serviced(cells, argv); err == nil || !strings.Contains(err.Error(), "resttemplate-okhttp4") {
		t.Errorf("a service without a program: %v", err)
	}
}

func TestTheStorysServersShareNoNamePortOrFileWithOthers(t *testing.T) {
	topologies := slices.Concat(Topologies(1000), LowerTopologies(1000), StoryTopologies(1000), mattersTopologies()[2:3])
	owner := map[string]string{}
	claim := func(what, who string) {
		if before, taken := owner[what]; taken && what != "" {
			t.Errorf("%s and %s both have %s", before, who, what)
		}
		owner[what] = who
	}
	for _, topology := range topologies {
		claim("topology "+topology.Name, "topology "+topology.Name)
	}
	for _, s := range Servers(topologies) {
		for _, what := range []string{s.Front, s.Counters, s.Config, s.UsedLog} {
			claim(what, s.Name)
		}
	}
}

// A chain that ends elsewhere, or whose gateway is missing, would measure something else.
func TestEveryChainOfTheStoryEndsWithAGatewayAndTheBackend(t *testing.T) {
	for _, topology := range StoryTopologies(1000) {
		var kinds []string
		for _, s := range topology.Servers {
			kinds = append(kinds, string(s.Kind))
			for _, u := range s.Upstreams {
				if u.Front != backend.Front {
					t.Errorf("%s: %s calls %s", topology.Name, s.Name, u.Front)
				}
			}
		}
		chain, gateway := strings.Join(kinds, " "), string(facts.Envoy)
		if strings.HasSuffix(topology.Name, "scg") {
			gateway = string(facts.Gateway)
		}
		if !strings.HasSuffix(chain, gateway+" "+string(facts.Backend)) || len(kinds) > 3 {
			t.Errorf("%s is the chain %s", topology.Name, chain)
		}
		if (topology.Limit > 0) != strings.HasPrefix(topology.Name, "nginx-") {
			t.Errorf("%s has the limit %d", topology.Name, topology.Limit)
		}
	}
}

func TestALowerLimitRenamesTheStorysLowTopologyOnly(t *testing.T) {
	var names []string
	for _, topology := range StoryTopologies(100) {
		names = append(names, topology.Name)
		if topology.Limit == 100 && topology.Front().Config != "nginx/keepalive-1000-scg.conf" {
			t.Errorf("%s is derived from %s", topology.Name, topology.Front().Config)
		}
	}
	want := "nginx-100000-envoy envoy-envoy scg nginx-100-scg nginx-100000-scg envoy-scg"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("LIMIT=100: %s, want %s", got, want)
	}
}

func TestEveryServerStartsAfterWhatItCalls(t *testing.T) {
	for _, all := range [][]facts.Topology{Topologies(1000), StoryTopologies(1000)} {
		started := map[string]bool{}
		for _, s := range Servers(all) {
			if started[s.Name] {
				t.Errorf("%s starts twice", s.Name)
			}
			started[s.Name] = true
			for _, topology := range all {
				if i := slices.IndexFunc(topology.Servers, func(x facts.Server) bool { return x.Name == s.Name }); i >= 0 &&
					slices.ContainsFunc(topology.Servers[i+1:], func(x facts.Server) bool { return !started[x.Name] }) {
					t.Errorf("%s starts before what it calls in %s", s.Name, topology.Name)
				}
			}
		}
	}
}

// everyTopology are the topologies of all commands.
func everyTopology() []facts.Topology {
	return slices.Concat(Topologies(DefaultLimit), LowerTopologies(DefaultLimit), StoryTopologies(DefaultLimit), mattersTopologies())
}

func TestEveryConfigurationHasAServerAndEveryServerItsFile(t *testing.T) {
	planned := map[string]bool{}
	for _, s := range Servers(everyTopology()) {
		if planned[s.Config] = true; s.Config == "" {
			continue
		}
		if _, err := os.Stat("../../../" + s.Config); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	for _, pattern := range []string{"nginx/*.conf", "envoy/*.yaml", "haproxy/*.cfg"} {
		files, _ := filepath.Glob("../../../" + pattern)
		if len(files) == 0 {
			t.Errorf("no %s", pattern)
		}
		for _, f := range files {
			if rel := strings.TrimPrefix(filepath.ToSlash(f), "../../../"); !planned[rel] {
				t.Errorf("%s has no server in the plan", rel)
			}
		}
	}
}
