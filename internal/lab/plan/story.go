package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// Story is the command that measures a service between its users and a topology.
const Story = "story"

// Gateways are the API gateways that a story can have: Envoy and Spring Cloud Gateway.
var Gateways = []string{"envoy", "scg"}

// The chains behind the caller.
const (
	lowChain    = "nginx-LIMIT-GATEWAY"  // as the incident was met
	gatewayOnly = "GATEWAY"              // without the reverse proxy
	highChain   = "nginx-100000-GATEWAY" // the reverse proxy with another limit
	envoyChain  = "envoy-GATEWAY"        // another reverse proxy
)

// theCaller is the service of the incident.
const theCaller facts.Client = "resttemplate-okhttp3"

// storyTable has the cells of story in the order in which its page shows them.
var storyTable = []struct {
	caller facts.Client
	chain  string
}{
	{theCaller, lowChain},
	{theCaller + "-pool100", lowChain},
	{theCaller, gatewayOnly},
	{theCaller + "-no-retry", lowChain},
	// The cures, one at a time.
	{theCaller, highChain},
	{theCaller, envoyChain},
	{theCaller + "-h1", lowChain},
	{"resttemplate-okhttp4", lowChain},
	{theCaller + "-renew", lowChain},
	{theCaller + "-no-retry", highChain},
}

// usualStory sets the knobs that story has other defaults for. Ten cells of six trials take less than
// 8 minutes; fewer than six trials give no interval. The backend's 20 ms are those of the incident.
func usualStory(k *Knobs) {
	k.Trials, k.Duration, k.Warmup, k.Delay = 6, 3500*time.Millisecond, time.Second, 20
	k.Gateway = Gateways[0]
}

// ValidateStory returns an error for the first knob of story or a sweep that is invalid by itself.
// StoryCells checks the filters, whose values depend on the services.
func (k Knobs) ValidateStory() error {
	if !slices.Contains(Gateways, k.Gateway) {
		return fmt.Errorf("GATEWAY=%s is unknown: choose from %s", k.Gateway, strings.Join(Gateways, ", "))
	}
	k.Topologies, k.Protocols, k.Clients = nil, nil, nil
	return k.Validate()
}

// StoryCells are the cells of story that match the filters TOPOLOGY and CLIENT. rows are the variants
// of services/.
func StoryCells(rows []Row, k Knobs) ([]facts.Planned, error) {
	byName := map[string]facts.Topology{}
	for _, t := range append(Topologies(k.Limit), StoryTopologies(k.Limit)...) {
		byName[t.Name] = t
	}
	name := strings.NewReplacer("LIMIT", strconv.Itoa(k.Limit), "GATEWAY", k.Gateway)
	var all []facts.Planned
	for _, x := range storyTable {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Client == x.caller })
		if i < 0 {
			return nil, fmt.Errorf("no client.json of services/ has the caller %s; restore them with: "+
				"git checkout services", x.caller)
		}
		all = append(all, facts.Planned{Topology: byName[name.Replace(x.chain)], Protocol: rows[i].Protocol, Client: x.caller,
			Program: rows[i].Program, Workload: k.Workload(), Users: facts.K6ConnectionPerVU})
	}
	out := slices.DeleteFunc(slices.Clone(all), func(c facts.Planned) bool {
		return !k.wants(c.Topology.Name, c.Protocol, c.Client)
	})
	var names []string
	for _, c := range all {
		names = append(names, string(c.Client)+" on "+c.Topology.Name)
	}
	return out, k.matched(out, "the cells are "+strings.Join(names, ", "))
}

// EveryServer is every server of the lab but the services, at the default limit.
func EveryServer() []facts.Server {
	return Servers(slices.Concat(Topologies(DefaultLimit), LowerTopologies(DefaultLimit), StoryTopologies(DefaultLimit),
		mattersTopologies()))
}

// firstServicePort is the port of a run's first service; the others follow. mostServices ends before
// the next block of the lab's ports.
const (
	firstServicePort = 18301
	mostServices     = 99
)

// Serviced gives each client of the cells one service that calls the fronts of all its topologies.
// argv has the command of each client without the arguments that all services share.
func Serviced(cells []facts.Planned, argv map[facts.Client][]string) ([]facts.Planned, error) {
	services := map[facts.Client]*facts.Server{}
	out := slices.Clone(cells)
	for i := range out {
		c := &out[i]
		if c.Users == "" { // the load calls the topology itself
			continue
		}
		s := services[c.Client]
		if s == nil {
			if len(argv[c.Client]) == 0 {
				return nil, fmt.Errorf("no client.json of services/ has the service %s", c.Client)
			}
			if len(services) == mostServices {
				return nil, fmt.Errorf("a run has %d services at most", mostServices)
			}
			s = &facts.Server{Name: string(c.Client), Kind: facts.Service, Argv: argv[c.Client],
				Front: fmt.Sprintf("127.0.0.1:%d", firstServicePort+len(services))}
			services[c.Client] = s
		}
		up := facts.Upstream{Name: c.Topology.Name, Front: c.Topology.Front().Front}
		if !slices.Contains(s.Upstreams, up) {
			s.Upstreams = append(s.Upstreams, up)
		}
		c.Service = s
	}
	return out, nil
}

// ServicesOf are the distinct services of some cells, in their order.
func ServicesOf(cells []facts.Planned) (out []facts.Server) {
	for _, c := range cells {
		if c.Service != nil && !slices.ContainsFunc(out, func(s facts.Server) bool { return s.Name == c.Service.Name }) {
			out = append(out, *c.Service)
		}
	}
	return out
}
