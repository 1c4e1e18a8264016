package kinds

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"h2lab/internal/facts"
)

var envoy = Kind{
	Name: facts.Envoy, Program: "envoy", Install: "make tools", Image: "ENVOY_IMAGE", Tier: 3,
	Least:      "1.37.0", // the first whose administration interface can be limited to some paths (Admin.allow_paths)
	AskVersion: []string{"--version"},
	Folder:     "envoy", Limit: "max_requests_per_connection:",
	// Hot restart is off: several Envoys then need no base ids, and none leaves shared memory behind in /dev/shm, as with
	// --use-dynamic-base-id (measured on 1.40.0).
	Argv: func(_ string, s facts.Server) []string {
		return []string{"-c", s.Config, "--concurrency", "1", "--disable-hot-restart", "--log-level", "warning"}
	},
	Recognise: func(_ string, args []string) bool {
		return configIn(args, " -c ", "envoy") && strings.Contains(strings.Join(args, " "), " --disable-hot-restart")
	},
	Health: "/lab/health", Ready: "/ready",
	// Without two parts one configuration has one hash: the load times, and the list of compiled-in extensions, which the
	// version determines and which is longer than the rest.
	Account: Account{Extension: ".json", Version: "/server_info", Dump: "/config_dump",
		Drop: []string{"last_updated", "extensions"}},
	// downstream_cx_total counts a connection when Envoy accepts it; http1_total and http2_total count it when its first
	// bytes have selected a codec, that is when it is used. Envoy counts other clients of the front, such as a health check,
	// in the same way.
	Counters: Counters{Path: envoyStats(envoySnapshot), Timeline: envoyStats(envoyTimeline), Shown: "/stats",
		Read:     readEnvoy,
		Accepted: []string{"downstream_cx_total"}, Requests: []string{"downstream_rq_total"},
		Used:  []string{"downstream_cx_http1_total", "downstream_cx_http2_total"},
		Names: [2]string{"downstream_cx_total", "downstream_rq_total"},
		Ended: []string{"downstream_cx_destroy_local", "downstream_cx_destroy_remote"}},
}

// envoyFront is the stat_prefix of the connection manager that clients dial. The connection manager and the cluster in
// front of the administration interface are called admin, so that a reading changes none of the front's counters.
const (
	envoyFront = "front"
	envoyAdmin = "admin"
)

// Filters, by Envoy's own names. A reading uses the server's own CPU: with Envoy 1.40, one reading takes 1.6 ms without a
// filter, 0.6 ms with the snapshot's and 0.3 ms with the timeline's, which is read 20 times a second (measured). The
// listener in front of the administration interface takes 0.1 ms.
const (
	envoyTimeline = `^http\.` + envoyFront + `\.downstream_(cx|rq)_total$`
	envoySnapshot = `^(http\.` + envoyFront +
		`\.downstream_(cx_(total|http1_total|http2_total|ssl_total|destroy_local|destroy_remote|drain_close|` +
		`max_requests_reached)|rq_total)` +
		`|http2\.goaway_sent` +
		`|cluster\..*\.upstream_(cx_(total|http1_total|http2_total|max_requests)|rq_total))$`
)

func envoyStats(filter string) string {
	return "/stats/prometheus?type=Counters&filter=" + url.QueryEscape(filter)
}

// readEnvoy maps the numbers to the names in Envoy's documentation. It adds up clusters: the lab's servers have one, the
// next hop, besides admin.
func readEnvoy(page []byte) (map[string]int64, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	raw := make(map[string]int64, len(families))
	for name, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if known := documented(name, labels); known != "" {
				raw[known] += int64(m.GetCounter().GetValue())
			}
		}
	}
	return raw, err
}

// documented is a counter's name in Envoy's documentation, "" when it belongs neither to the front nor to the next hop.
func documented(name string, labels map[string]string) string {
	if rest, ok := strings.CutPrefix(name, "envoy_cluster_"); ok && labels["envoy_cluster_name"] != envoyAdmin {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, "envoy_http2_"); ok {
		return "http2." + rest
	}
	if rest, ok := strings.CutPrefix(name, "envoy_http_"); ok && labels["envoy_http_conn_manager_prefix"] == envoyFront {
		return rest
	}
	return ""
}
