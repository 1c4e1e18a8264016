package envoyconf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

// bootstrap has one cluster, c, with more fields; the others are for Envoy's validation.
const bootstrap = `admin: {address: {socket_address: {address: 127.0.0.1, port_value: 0}}}
static_resources:
  clusters:
  - name: c
    %s
`

// spellings are values that Envoy takes (true) or refuses (false). The integration test asks the real
// Envoy about the same list.
var spellings = map[string]bool{
	"type: static": true,
	"type: Strict_Dns\n    load_assignment: {cluster_name: c, endpoints: []}": true,
	"type: strict-dns": false,
	`type: "0"`:        true,
	"type: nonsense":   false,
	"lb_policy: round_robin\n    dns_lookup_family: v4_only": true,
	"load_assignment: {cluster_name: c, endpoints: {lb_endpoints: {endpoint: {address: " +
		"{socket_address: {address: 127.0.0.1, port_value: 80}}}}}}": true,
	"load_assignment: [{cluster_name: c}]":                                  false,
	"common_lb_config: {override_host_status: {statuses: healthy}}":         true,
	"connect_timeout: 2s\n    connect_timeout: 1s":                          true,
	"connect_timeout: 2s\n    connectTimeout: 1s":                           true,
	`ignore_health_on_host_removal: "true"`:                                 true,
	"ignore_health_on_host_removal: Yes":                                    true,
	"ignore_health_on_host_removal: off":                                    true,
	"ignore_health_on_host_removal: maybe":                                  false,
	"per_connection_buffer_limit_bytes: {value: 100}":                       true,
	"per_connection_buffer_limit_bytes: 0x10":                               true,
	"per_connection_buffer_limit_bytes: 010":                                true,
	"per_connection_buffer_limit_bytes: +1":                                 true,
	"per_connection_buffer_limit_bytes: 1_000":                              false,
	"per_connection_buffer_limit_bytes: 1.5":                                false,
	"per_connection_buffer_limit_bytes: -1":                                 false,
	"health_checks: ~":                                                      true,
	"load_assignment:":                                                      true,
	"connect_timeout: 0.25s":                                                true,
	"connect_timeout: 250ms":                                                false,
	"connect_timeout: 5":                                                    false,
	"alt_stat_name: 5":                                                      false,
	"alt_stat_name: null":                                                   true,
	"metadata: {filter_metadata: {a: 5}}":                                   false,
	"metadata: {filter_metadata: {a: {b: [1, {c: d}]}}}":                    true,
	"hosts: [{socket_address: {address: 127.0.0.1, port_value: 80}}]":       false,
	"load_assignment: {cluster_name: c}\n    nonsense: 1":                   false,
	"dns_resolvers: {socket_address: {address: 127.0.0.1, port_value: 53}}": true,
}

func TestEnvoysSpellingsAreRead(t *testing.T) {
	for text, want := range spellings {
		_, err := Lint([]lint.File{{Name: "f.yaml", Data: fmt.Appendf(nil, bootstrap, text)}}, lint.Options{})
		if (err == nil) != want {
			t.Errorf("%s: %v; Envoy takes it: %v", text, err, want)
		}
	}
}

func TestARefusalNamesTheFieldAndTheCure(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	refusals := map[string]string{
		"load_assignment: {endpoints: [{lb_endpoints: [{endpoint: , address: {}}]}]}": "LbEndpoint has no field " +
			`"address": indent it below endpoint`,
		"load_assignment: [{}]":                       "a mapping is expected here: the fields of ClusterLoadAssignment, not a list",
		"alt_stat_name: {}":                           "a string is expected here, not a mapping",
		"type: nonsense":                              `static_resources.clusters[0].type: invalid value for enum`,
		"connect_timeout: 250ms":                      "write seconds, such as 0.25s",
		"per_connection_buffer_limit_bytes: ${LIMIT}": `"${LIMIT}" is a placeholder: fill in the template first`,
		"connect_timeout: '{{ timeout }}'":            `"{{ timeout }}" is a placeholder`,
		"hosts: []\n    lb_policy: x":                 `"hosts" belongs to version 2 of Envoy's API`,
		"tls_context: {}\n    connect_timeout: 1s":    `"tls_context" belongs to version 2`,
	}
	for _, text := range slices.Sorted(maps.Keys(refusals)) {
		want := refusals[text]
		faults.Try("an Envoy configuration with "+strings.Join(strings.Fields(text), " "), func(t *testing.T) {
			_, err := Lint([]lint.File{{Name: "f.yaml", Data: fmt.Appendf(nil, bootstrap, text)}}, lint.Options{})
			if err == nil || !strings.Contains(strings.Join(strings.Fields(err.Error()), " "), want) {
				t.Errorf("%v; want %s", err, want)
			}
		})
	}
}

const manager = `      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: s
          %s
`

// listeners in each form in which files hold them.
func TestResourcesAreFoundWhereverTheyStand(t *testing.T) {
	hcm := strings.ReplaceAll("\n"+fmt.Sprintf(manager, "common_http_protocol_options: {max_requests_per_connection: 5}"),
		"\n      ", "\n  ")[1:]
	listener := "name: l\naddress: {socket_address: {address: 127.0.0.1, port_value: 1}}\nfilter_chains:\n- filters:\n" + hcm
	in := func(indent string) string { return indent + strings.ReplaceAll(listener, "\n", "\n"+indent) }
	item := "- " + strings.TrimPrefix(in("  "), "  ")
	typed := "'@type': type.googleapis.com/envoy.config.listener.v3.Listener\n"
	for name, text := range map[string]string{
		"alone":            listener,
		"a list":           item,
		"resources":        "resources:\n- " + typed + in("  "),
		"egctl":            "xds:\n  default/eg:\n    '@type': type.googleapis.com/envoy.admin.v3.ListenersConfigDump\n    dynamicListeners:\n    - activeState:\n        listener:\n          " + typed + in("          "),
		"a port left open": strings.Replace(listener, "port_value: 1", "port_value: $PORT", 1),
		"Kuma's":           "resources:\n- name: l\n  resource:\n    " + typed + in("    "),
		"one as one":       "static_resources:\n  listeners:\n" + in("    "),
	} {
		f := lint.File{Name: "f.yaml", Data: []byte(text)}
		r, err := Lint([]lint.File{f}, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		if len(r.Listeners) != 1 || len(r.Findings) != 1 || r.Findings[0].Rule != limitSet.ID {
			t.Errorf("%s: %d listeners, %+v", name, len(r.Listeners), r.Findings)
		}
		if !Looks(f) {
			t.Errorf("%s isn't recognised", name)
		}
	}
}

// A cluster to which Envoy itself speaks, or no route leads, gets no advice about clients' requests.
func TestOnlyClustersOfClientsAreAdvised(t *testing.T) {
	const h2 = "\n    typed_extension_protocol_options:\n      " + httpOptions + ":\n        \"@type\": type.googleapis.com/" +
		httpOptions + "\n        explicit_http_config: {http2_protocol_options: {}}"
	listeners := func(routes string) string {
		return "  listeners:\n  - name: l\n    address: {socket_address: {address: 127.0.0.1, port_value: 1}}\n    filter_chains:\n" +
			"    - filters:\n" + fmt.Sprintf(manager, routes)
	}
	route := "route_config: {virtual_hosts: [{name: v, domains: ['*'], routes: [{match: {prefix: /}, route: {cluster: %s}}]}]}"
	rds := "rds: {route_config_name: r, config_source: {ads: {}}}"
	rated := "http_filters: [{name: x, typed_config: {'@type': type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3" +
		".ExtAuthz, grpc_service: {envoy_grpc: {cluster_name: c}}}}]\n          " + rds
	for name, c := range map[string]struct{ text, severity string }{
		"a route":            {fmt.Sprintf(bootstrap, h2) + listeners(fmt.Sprintf(route, "c")), "warning"},
		"another route":      {fmt.Sprintf(bootstrap, h2) + listeners(fmt.Sprintf(route, "d")), ""},
		"routes over RDS":    {fmt.Sprintf(bootstrap, h2) + listeners(rds), "note"},
		"a service":          {fmt.Sprintf(bootstrap, h2) + listeners(rated), ""},
		"ADS":                {fmt.Sprintf(bootstrap, h2) + "dynamic_resources: {ads_config: {api_type: GRPC, grpc_services: {envoy_grpc: {cluster_name: c}}}}\n", ""},
		"listeners over LDS": {fmt.Sprintf(bootstrap, h2) + "dynamic_resources: {lds_config: {ads: {}}}\n", ""},
		"a cluster alone":    {"name: c\nconnect_timeout: 1s" + strings.ReplaceAll(h2, "\n    ", "\n"), "note"},
	} {
		r, err := Lint([]lint.File{{Name: "f.yaml", Data: []byte(c.text)}}, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, c.text)
			continue
		}
		got := ""
		for _, f := range r.Findings {
			if f.Rule == upstreamGoaway.ID {
				got = string(f.Severity)
			}
		}
		if got != c.severity {
			t.Errorf("%s: %q, not %q", name, got, c.severity)
		}
	}
}

func TestFixesTogetherLeaveNothingToFix(t *testing.T) { kind.Fixes(t, 10) }

// A file that a control plane wrote says where the change belongs.
func TestTheControlPlaneOfAFileIsNamed(t *testing.T) {
	listener := "name: l\naddress: {pipe: {path: x}}\nfilter_chains: []\n"
	for text, want := range map[string]string{
		"- " + strings.ReplaceAll(strings.TrimSpace(listener), "\n", "\n  "):                     "is a list of resources",
		listener + "metadata: {filter_metadata: {envoy-gateway: {a: b}}}\n":                      "ClientTrafficPolicy",
		listener + "metadata: {filter_metadata: {istio: {services: [istiod]}}}\n":                "DestinationRule",
		"configs: [{'@type': x/envoy.admin.v3.ListenersConfigDump, static_listeners: []}]\n":     "has in memory: the lines say",
		"configs: [{'@type': x/envoy.admin.v3.ListenersConfigDump, version_info: 'kuma.io/'}]\n": "Kuma makes it",
		listener: "",
	} {
		r, err := Lint([]lint.File{{Name: "f.yaml", Data: []byte(text)}}, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := r.Assumptions(); !strings.Contains(got, want) || want == "" && strings.Contains(got, "change") {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

// One change in the control plane changes every line that it wrote.
func TestFindingsOfADumpAreGathered(t *testing.T) {
	cluster := "- {name: c%d, connect_timeout: 1s, http2_protocol_options: {}}\n"
	list := ""
	for i := range 20 {
		list += fmt.Sprintf(cluster, i)
	}
	r, err := Lint([]lint.File{{Name: "f.yaml", Data: []byte(list)}}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, f := range r.Findings {
		seen[f.Rule]++
		if !strings.Contains(f.Why.String(), "The same holds at lines 2, 3, 4") || !strings.HasSuffix(f.Why.String(), "and 7 more.") {
			t.Errorf("%s: %s", f.Rule, f.Why)
		}
	}
	if len(seen) != 3 || len(r.Findings) != 3 {
		t.Errorf("%v", seen)
	}
}

var untypedRouter = "static_resources:\n  listeners:\n  - name: l\n    address: {pipe: {path: x}}\n    filter_chains:\n" +
	"    - filters:\n" + fmt.Sprintf(manager, "http_filters: [{name: envoy.filters.http.router}]\n          route_config: {name: r}")

func TestAFilterWithoutATypeIsNamed(t *testing.T) {
	r, err := Lint([]lint.File{{Name: "f.yaml", Data: []byte(untypedRouter)}}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Assumptions(), "envoy.filters.http.router at f.yaml:11 has no typed_config") {
		t.Errorf("%q", r.Assumed)
	}
}
