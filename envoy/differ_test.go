package envoy_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
)

// differences maps the paths at which two files differ to "value → value".
func differences(t *testing.T, from, to string) map[string]string {
	t.Helper()
	before, after := flat(t, labtest.Read(t, from)), flat(t, labtest.Read(t, to))
	out := map[string]string{}
	for path, value := range after {
		if before[path] != value {
			out[path] = before[path] + " → " + value
		}
	}
	for path, value := range before {
		if _, there := after[path]; !there {
			out[path] = value + " → "
		}
	}
	return out
}

// otherPorts are the differences of two files in the ports on which they listen.
func otherPorts(front1, counters1, front2, counters2 string) map[string]string {
	return map[string]string{
		"admin/address/pipe/path":                      "@h2lab-envoy-" + counters1 + " → @h2lab-envoy-" + counters2,
		adminCluster + "path":                          "@h2lab-envoy-" + counters1 + " → @h2lab-envoy-" + counters2,
		front + "address/socket_address/port_value":    front1 + " → " + front2,
		counters + "address/socket_address/port_value": counters1 + " → " + counters2,
		allowed + "domains/0":                          "127.0.0.1:" + counters1 + " → 127.0.0.1:" + counters2,
		allowed + "domains/1":                          "localhost:" + counters1 + " → localhost:" + counters2,
		allowed + "domains/2":                          "[::1]:" + counters1 + " → [::1]:" + counters2,
	}
}

// otherUpstream are the differences of two files in the name and port of what they call.
func otherUpstream(name1, port1, name2, port2 string) map[string]string {
	name := name1 + " → " + name2
	return map[string]string{
		manager + "route_config/virtual_hosts/0/routes/1/route/cluster": name,
		cluster + "name":                         name,
		cluster + "load_assignment/cluster_name": name,
		upstreamPort:                             port1 + " → " + port2,
	}
}

func TestTheFilesDifferOnlyInTheirLimitUpstreamAndPorts(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     []map[string]string
	}{
		{"unlimited.yaml", "max-requests-1000.yaml", []map[string]string{otherPorts("18121", "18122", "18131", "18132"),
			{manager + "common_http_protocol_options/max_requests_per_connection": " → 1000"}}},
		{"unlimited.yaml", "unlimited-envoy.yaml", []map[string]string{otherPorts("18121", "18122", "18251", "18252"),
			otherUpstream("backend", "18443", "envoy", "18121"), {
				upstream + "explicit_http_config/http_protocol_options":                         " → {}",
				upstream + "explicit_http_config/http2_protocol_options/max_concurrent_streams": "128 → ",
				upstreamALPN: " → http/1.1",
			}}},
		{"unlimited-envoy.yaml", "unlimited-scg.yaml", []map[string]string{
			otherPorts("18251", "18252", "18281", "18282"), otherUpstream("envoy", "18121", "scg", "18221")}},
	} {
		want := map[string]string{}
		for _, part := range c.want {
			maps.Copy(want, part)
		}
		if diff := cmp.Diff(want, differences(t, c.from, c.to)); diff != "" {
			t.Errorf("%s → %s (-want +got):\n%s", c.from, c.to, diff)
		}
	}
}
