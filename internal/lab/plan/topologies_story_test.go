package plan

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/facts"
)

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

func TestTheStorysServersStartAfterWhatTheyCall(t *testing.T) {
	var names []string
	for _, s := range Servers(StoryTopologies(1000)) {
		names = append(names, s.Name)
	}
	want := "backend envoy nginx-100000-envoy envoy-envoy scg nginx-1000-scg nginx-100000-scg envoy-scg"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("servers %s, want %s", got, want)
	}
}
