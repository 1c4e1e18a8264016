package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// newCounters makes the handler of the loopback-only listener.
func newCounters(l *ledger) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(exporter{l})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ledger.json", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, l.read())
	})
	mux.HandleFunc("GET /timings.json", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, l.handling.page())
	})
	mux.HandleFunc("POST /ids/forget", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]int64{"forgotten": l.ids.forget()})
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", healthz)
	return mux
}

func writeJSON(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, fmt.Sprintf("could not write the counters: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n'))
}

// The metrics use the ledger's names.
var (
	descConnections = describe("connections_total",
		"Connections of the front: new (accepted, before TLS), used (carried a request), closed.", "event")
	descOpen     = describe("connections", "Connections of the front that are open now, by state.", "state")
	descRequests = describe("requests_total", "Requests on the front.", "protocol")
	descExecuted = describe("executed_total", "Requests with an "+requestIDHeader+" that were executed.")
	descIDs      = describe("request_ids_total",
		"Executed requests whose id was new (distinct) or had been seen (duplicate).", "kind")
	descSaturated = describe("request_ids_saturated", "1 when ids came that could not be remembered.")
	descHandling  = describe("handling_seconds",
		"From a request's headers to its written answer, the delay it asked for included.")
	descStreams    = describe("open_streams", "Requests that are being handled now.")
	descHandshakes = describe("handshake_errors_total",
		"Connections that ended before they could carry a request, as net/http logs them.")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("h2lab_backend_"+name, help, labels, nil)
}

// exporter exports the ledger to Prometheus; it stores no numbers.
type exporter struct{ ledger *ledger }

// Describe implements prometheus.Collector.
func (e exporter) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(e, ch) }

// Collect implements prometheus.Collector.
func (e exporter) Collect(ch chan<- prometheus.Metric) {
	p := e.ledger.read()
	counter := func(d *prometheus.Desc, v int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge := func(d *prometheus.Desc, v int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), labels...)
	}
	counter(descConnections, p.Connections.New, "new")
	counter(descConnections, p.Connections.Used, "used")
	counter(descConnections, p.Connections.Closed, "closed")
	gauge(descOpen, p.Connections.Active, "active")
	gauge(descOpen, p.Connections.Idle, "idle")
	counter(descRequests, p.Requests.H1, "h1")
	counter(descRequests, p.Requests.H2, "h2")
	counter(descExecuted, p.Executed)
	counter(descIDs, p.Distinct, "distinct")
	counter(descIDs, p.Duplicates, "duplicate")
	saturated := int64(0)
	if p.IDsSaturated {
		saturated = 1
	}
	gauge(descSaturated, saturated)
	gauge(descStreams, p.OpenStreams)
	counter(descHandshakes, e.ledger.handshakeErrors.Load())
	t := e.ledger.handling.read()
	ch <- prometheus.MustNewConstSummary(descHandling, uint64(t.count), t.sum.Seconds(),
		map[float64]float64{0.5: t.p50MS / 1000, 0.99: t.p99MS / 1000})
}
