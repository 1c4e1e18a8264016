package counters

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"h2lab/internal/facts"
)

// front is the stat_prefix of the connection manager that clients dial. The connection manager and
// the cluster in front of the administration interface are called admin, so that a reading changes
// none of the front's counters.
const (
	front = "front"
	admin = "admin"
)

// Filters, by Envoy's own names. A reading uses the server's own CPU: with Envoy 1.40, one reading
// takes 1.6 ms without a filter, 0.6 ms with the snapshot's and 0.3 ms with the timeline's, which
// is read 20 times a second (measured). The listener in front of the administration interface takes
// 0.1 ms.
const (
	timelineFilter = `^http\.` + front + `\.downstream_(cx|rq)_total$`
	snapshotFilter = `^(http\.` + front +
		`\.downstream_(cx_(total|http1_total|http2_total|ssl_total|destroy_local|destroy_remote|drain_close|` +
		`max_requests_reached)|rq_total)` +
		`|http2\.goaway_sent` +
		`|cluster\..*\.upstream_(cx_(total|http1_total|http2_total|max_requests)|rq_total))$`
)

// envoy reads the statistics of the administration interface. downstream_cx_total counts a
// connection when Envoy accepts it; http1_total and http2_total count it when its first bytes have
// selected a codec, that is when it is used. Envoy counts other clients of the front, such as a
// health check, in the same way.
type envoy struct {
	*fetcher
	server facts.Server
	parser expfmt.TextParser
	codecs bool // http1_total and http2_total are read as well
}

func openEnvoy(s facts.Server) *envoy { return newEnvoy(s, snapshotFilter, new(own)) }

func newEnvoy(s facts.Server, filter string, o *own) *envoy {
	return &envoy{fetcher: newFetcher(s, "/stats/prometheus?type=Counters&filter="+url.QueryEscape(filter), o),
		server: s, parser: expfmt.NewTextParser(model.LegacyValidation), codecs: filter == snapshotFilter}
}

func (src *envoy) twin() Source { return newEnvoy(src.server, timelineFilter, src.own) }

// Observe implements Source.
func (src *envoy) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	o := facts.Observation{At: time.Now()}
	var err error
	if o.Raw, err = src.parse(); err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	for _, must := range []string{"downstream_cx_total", "downstream_rq_total"} {
		if _, ok := o.Raw[must]; !ok {
			return facts.Observation{}, src.unreadable(
				fmt.Errorf("no %s of a connection manager with stat_prefix %q", must, front),
			)
		}
	}
	o.Accepted = new(o.Raw["downstream_cx_total"])
	o.Requests = new(o.Raw["downstream_rq_total"])
	if src.codecs {
		o.Used = new(o.Raw["downstream_cx_http1_total"] + o.Raw["downstream_cx_http2_total"])
	}
	return o, nil
}

// parse maps the numbers to the names in Envoy's documentation. It adds up clusters: the lab's
// servers have one, the next hop, besides admin.
func (src *envoy) parse() (map[string]int64, error) {
	families, err := src.parser.TextToMetricFamilies(&src.body)
	raw := make(map[string]int64, len(families))
	for name, f := range families {
		for _, m := range f.GetMetric() {
			v := int64(m.GetCounter().GetValue())
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if known := documented(name, labels); known != "" {
				raw[known] += v
			}
		}
	}
	return raw, err
}

// documented is a counter's name in Envoy's documentation, "" when it belongs neither to the front
// nor to the next hop.
func documented(name string, labels map[string]string) string {
	if rest, ok := strings.CutPrefix(name, "envoy_cluster_"); ok && labels["envoy_cluster_name"] != admin {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, "envoy_http2_"); ok {
		return "http2." + rest
	}
	if rest, ok := strings.CutPrefix(name, "envoy_http_"); ok && labels["envoy_http_conn_manager_prefix"] == front {
		return rest
	}
	return ""
}
