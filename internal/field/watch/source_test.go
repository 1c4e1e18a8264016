package watch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const stub = "Active connections: 3 \nserver accepts handled requests\n 20 20 41 \nReading: 0 Writing: 1 Waiting: 2 \n"

const exporter = `# HELP nginx_connections_accepted Accepted client connections
# TYPE nginx_connections_accepted counter
nginx_connections_accepted 2051
# TYPE nginx_connections_active gauge
nginx_connections_active 7
# TYPE nginx_http_requests_total counter
nginx_http_requests_total 1.00002e+06
# TYPE nginx_up gauge
nginx_up 1
`

const ingress = `nginx_ingress_controller_nginx_process_connections{controller_class="k8s.io/ingress-nginx",state="active"} 4
nginx_ingress_controller_nginx_process_connections{controller_class="k8s.io/ingress-nginx",state="waiting"} 3
nginx_ingress_controller_nginx_process_connections_total{controller_class="k8s.io/ingress-nginx",state="accepted"} 90
nginx_ingress_controller_nginx_process_connections_total{controller_class="k8s.io/ingress-nginx",state="handled"} 90
nginx_ingress_controller_nginx_process_requests_total{controller_class="k8s.io/ingress-nginx"} 5000
`

const envoyProm = `# TYPE envoy_http_downstream_cx_total counter
envoy_http_downstream_cx_total{envoy_http_conn_manager_prefix="admin"} 9
envoy_http_downstream_cx_total{envoy_http_conn_manager_prefix="in"} 12
envoy_http_downstream_cx_total{envoy_http_conn_manager_prefix="out"} 1
envoy_http_downstream_rq_total{envoy_http_conn_manager_prefix="in"} 1000
envoy_http_downstream_cx_active{envoy_http_conn_manager_prefix="in"} 2
envoy_http_downstream_cx_max_requests_reached{envoy_http_conn_manager_prefix="in"} 3
envoy_http_downstream_cx_length_ms_bucket{envoy_http_conn_manager_prefix="in",le="0.5"} 3
`

const envoyStats = "cluster.b.upstream_cx_total: 4\nhttp.admin.rs_too_large: 0\nhttp.in.downstream_cx_length_ms: P0(nan,1) P25(nan,1)\nhttp.admin.downstream_cx_total: 9\n" +
	"http.in.downstream_cx_active: 2\nhttp.in.downstream_cx_max_requests_reached: 3\n" +
	"http.in.downstream_cx_total: 12\nhttp.in.downstream_rq_total: 1000\nhttp.out.downstream_cx_total: 1\n"

func TestWhatAPageIs(t *testing.T) {
	type n = map[string]int64
	for name, c := range map[string]struct {
		page string
		want counts
	}{
		"stub_status": {stub, counts{kind: StubStatus, n: n{accepted: 20, requests: 41, active: 3}}},
		"exporter":    {exporter, counts{kind: NginxExporter, n: n{accepted: 2051, requests: 1000020, active: 7}}},
		"OpenMetrics": {"nginx_connections_accepted_total 5\nnginx_http_requests_total 6\n",
			counts{kind: NginxExporter, n: n{accepted: 5, requests: 6}}},
		"ingress":    {ingress, counts{kind: Ingress, n: n{accepted: 90, requests: 5000, active: 4}}},
		"Envoy":      {envoyProm, counts{kind: EnvoyMetrics, n: n{accepted: 13, requests: 1000, active: 2, atLimit: 3}}},
		"Envoy text": {envoyStats, counts{kind: EnvoyStats, n: n{accepted: 13, requests: 1000, active: 2, atLimit: 3}}},
	} {
		got, err := parse([]byte(c.page))
		if d := cmp.Diff(c.want, got, cmp.AllowUnexported(counts{})); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}

func TestAPageThatIsNone(t *testing.T) {
	for page, want := range map[string]string{
		"":                                  "its answer is empty",
		"<!doctype html><html></html>":      "it answers HTML",
		`{"connections": 1}`:                "it answers JSON",
		"hello":                             `"hello" is neither stub_status`,
		"Active connections: many":          `"Active connections: many" is not a stub_status page`,
		strings.Replace(stub, "41", "x", 1): `requests: "x" is not a count`,
		"# TYPE go_goroutines gauge\ngo_goroutines 12\n":    "it has 1 metrics, and none of nginx's",
		"nginx_connections_accepted 5\n":                    "is nginx up behind it?",
		"nginx_connections_accepted five\n":                 "its metrics can't be read",
		"http.admin.downstream_cx_total: 5\n":               "without downstream_cx_total",
		`nginx_connections_accepted{state="` + "\n":         "its metrics can't be read",
		"http.in.downstream_cx_total: 99999999999999999999": "is not a count",
	} {
		if _, err := parse([]byte(page)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", page, err, want)
		}
	}
}

func FuzzPage(f *testing.F) {
	for _, seed := range []string{stub, exporter, ingress, envoyProm, envoyStats, "<html>", "{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		if c, err := parse(page); err == nil && c.kind == "" {
			t.Errorf("%q has no kind", page)
		}
	})
}
