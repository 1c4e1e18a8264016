package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

func named(cells []facts.Planned) string {
	var out []string
	for _, c := range cells {
		out = append(out, fmt.Sprintf("%s/%s/%s", c.Client, c.Topology.Name, c.Protocol))
	}
	return strings.Join(out, " ")
}

func TestTheStoryHasItsCellsBehindEitherGateway(t *testing.T) {
	for gateway, want := range map[string]string{
		"envoy": "resttemplate-okhttp3/nginx-1000-envoy/h2 resttemplate-okhttp3-pool100/nginx-1000-envoy/h2 " +
			"resttemplate-okhttp3/envoy/h2 resttemplate-okhttp3-no-retry/nginx-1000-envoy/h2 " +
			"resttemplate-okhttp3/nginx-100000-envoy/h2 resttemplate-okhttp3/envoy-envoy/h2 " +
			"resttemplate-okhttp3-h1/nginx-1000-envoy/h1 resttemplate-okhttp4/nginx-1000-envoy/h2 " +
			"resttemplate-okhttp3-renew/nginx-1000-envoy/h2 resttemplate-okhttp3-no-retry/nginx-100000-envoy/h2",
		"scg": "resttemplate-okhttp3/nginx-1000-scg/h2 resttemplate-okhttp3-pool100/nginx-1000-scg/h2 " +
			"resttemplate-okhttp3/scg/h2 resttemplate-okhttp3-no-retry/nginx-1000-scg/h2 " +
			"resttemplate-okhttp3/nginx-100000-scg/h2 resttemplate-okhttp3/envoy-scg/h2 " +
			"resttemplate-okhttp3-h1/nginx-1000-scg/h1 resttemplate-okhttp4/nginx-1000-scg/h2 " +
			"resttemplate-okhttp3-renew/nginx-1000-scg/h2 resttemplate-okhttp3-no-retry/nginx-100000-scg/h2",
	} {
		k := UsualFor(Story)
		k.Gateway = gateway
		cells, err := StoryCells(storyRows(), k)
		labtest.Check(t, err)
		if got := named(cells); got != want {
			t.Errorf("GATEWAY=%s has\n%s, want\n%s", gateway, got, want)
		}
		for _, c := range cells {
			if c.Users != facts.K6ConnectionPerVU || c.Program == nil || len(c.Topology.Servers) == 0 ||
				c.Workload.DelayMS != 20 || c.Workload.MaxTLS != "1.2" {
				t.Errorf("%+v", c)
			}
		}
	}
	k := UsualFor(Story)
	k.Limit = 100
	cells, err := StoryCells(storyRows(), k)
	if err != nil || cells[0].Topology.Name != "nginx-100-envoy" || cells[0].Topology.Limit != 100 {
		t.Errorf("LIMIT=100: %s, %v", named(cells), err)
	}
}

// A trial takes its warm-up and its window, and about a second for counters and the start of k6.
func TestTheUsualStoryFitsIntoEightMinutes(t *testing.T) {
	k := UsualFor(Story)
	cells, err := StoryCells(storyRows(), k)
	labtest.Check(t, err)
	took := time.Duration(len(cells)*k.Trials) * (k.Warmup + k.Duration + 1500*time.Millisecond)
	if took > 7*time.Minute {
		t.Errorf("the trials take %s; the start of the services takes up to a minute more", took)
	}
}

func TestAStorysKnobsAndFiltersNameWhatTheyMayBe(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Knobs)
	for _, c := range []struct {
		name string
		set  func(*Knobs)
		says string
	}{
		{"a story behind an unknown gateway", func(k *Knobs) { k.Gateway = "kong" },
			"GATEWAY=kong is unknown: choose from envoy, scg"},
		{"a story behind no gateway", func(k *Knobs) { k.Gateway = "" }, "GATEWAY= is unknown"},
		{"a story with a topology of matrix", func(k *Knobs) { k.Topologies = []string{"nginx-1000"} },
			"no cell matches TOPOLOGY=nginx-1000; the cells are resttemplate-okhttp3 on nginx-1000-envoy, "},
		{"a story with a service that no cell has", func(k *Knobs) { k.Clients = []string{"server-sync"} },
			"no cell matches CLIENT=server-sync; the cells are "},
		{"a story with an empty name in a filter", func(k *Knobs) { k.Clients = []string{"resttemplate-okhttp3", ""} },
			"CLIENT=resttemplate-okhttp3,: no cell has ; the cells are "},
		{"a story whose filters match different cells", func(k *Knobs) {
			k.Clients, k.Topologies = []string{"resttemplate-okhttp4"}, []string{"envoy"}
		}, "no cell matches TOPOLOGY=envoy CLIENT=resttemplate-okhttp4; the cells are "},
		{"a story with more users than k6's scripts allow", func(k *Knobs) { k.Concurrency = 1001 }, "CONCURRENCY=1001"},
		{"a story with a delay below 0", func(k *Knobs) { k.Delay = -1 }, "DELAY=-1"},
	} {
		f.Try(c.name, func(t *testing.T) {
			k := UsualFor(Story)
			c.set(&k)
			err := k.ValidateStory()
			if err == nil {
				_, err = StoryCells(storyRows(), k)
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
	f.Try("services/ lacks a caller of the story", func(t *testing.T) {
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
	if users := UsersOf(served); !slices.Equal(users, []facts.Client{facts.K6ConnectionPerVU}) {
		t.Errorf("users %v", users)
	}
	delete(argv, "resttemplate-okhttp4")
	if _, err := Serviced(cells, argv); err == nil || !strings.Contains(err.Error(), "resttemplate-okhttp4") {
		t.Errorf("a service without a program: %v", err)
	}
}

func TestNoTwoServersOfAStoryShareAPort(t *testing.T) {
	ports := map[string]string{}
	for _, s := range EveryServer() {
		for _, addr := range []string{s.Front, s.Counters} {
			if other, taken := ports[addr]; taken {
				t.Errorf("%s and %s both have %s", s.Name, other, addr)
			}
			if addr >= "127.0.0.1:18301" && addr <= "127.0.0.1:18399" {
				t.Errorf("%s has %s, a service's port", s.Name, addr)
			}
			ports[addr] = s.Name
		}
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
