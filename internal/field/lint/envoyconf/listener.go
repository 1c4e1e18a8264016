package envoyconf

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

// The types of the messages that have settings of a client's connection.
const (
	httpManager = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
	tlsContext  = "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"
	quicContext = "envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport"
)

// chain is a filter chain that ends in an HttpConnectionManager.
type chain struct {
	listener, node part
	manager        part // the typed_config of the HttpConnectionManager
	common         part // its common_http_protocol_options
	socket         part // the typed_config of the transport socket
	tls, quic      bool
	servers        []string // server_names of the chain's match
	protocols      []string // that a client can use
}

// chains are a listener's filter chains, the default one last.
func chains(l part) []part {
	out := l.items("filter_chains")
	if d := l.at("default_filter_chain"); d.there() {
		out = append(out, d)
	}
	return out
}

// manager is the last HttpConnectionManager of a filter chain.
func manager(fc part) (out part) {
	for _, filter := range fc.items("filters") {
		if m := filter.at("typed_config"); m.is(httpManager) {
			out = m
		}
	}
	return out
}

func (j *judge) listener(l part) {
	for _, node := range chains(l) {
		m := manager(node)
		if !m.there() {
			j.tcp++
			continue
		}
		c := &chain{listener: l, node: node, manager: m, common: m.at("common_http_protocol_options"),
			socket: node.at("transport_socket/typed_config"), servers: node.texts("filter_chain_match/server_names")}
		c.quic = c.socket.is(quicContext)
		c.tls = c.quic || c.socket.is(tlsContext) || strings.Contains(node.text("transport_socket/name"), "tls")
		c.protocols = c.speaks()
		j.report.Listeners = append(j.report.Listeners, j.row(c))
		j.renewal(c)
		if lint.HTTP2(c.protocols) {
			j.http2(c)
		}
		j.alpn(c)
	}
}

// speaks lists the protocols. With codec AUTO, Envoy follows ALPN, and without ALPN the first bytes of the connection.
func (c *chain) speaks() []string {
	h2 := "h2c"
	if c.tls {
		h2 = "h2"
	}
	offers := c.offered()
	switch codec := strings.ToUpper(c.manager.text("codec_type")); {
	case codec == "HTTP1":
		return []string{"http/1.1"}
	case codec == "HTTP2":
		return []string{h2}
	case codec == "HTTP3" || c.quic:
		return []string{"h3"}
	case !c.tls:
		return []string{"http/1.1", "h2c"}
	case slices.Contains(offers, "h2") && len(offers) == 1:
		return []string{"h2"}
	case slices.Contains(offers, "h2"):
		return []string{"http/1.1", "h2"}
	}
	return []string{"http/1.1"}
}

// offered are the protocols that ALPN offers.
func (c *chain) offered() []string { return c.socket.texts("common_tls_context/alpn_protocols") }

// row is what the report's table shows.
func (j *judge) row(c *chain) lint.Listener {
	host := ""
	if i := slices.IndexFunc(c.servers, func(name string) bool { return !strings.HasPrefix(name, "*") }); i >= 0 {
		host = c.servers[i] // a name that the chain's clients send in TLS
	}
	limit, streams := lint.NoLimit(facts.T("lintenvoy.default")), lint.NoLimit(facts.T("lintenvoy.before"))
	if n, _ := c.common.number("max_requests_per_connection"); n > 0 {
		limit = lint.Requests(n, c.common.setAt("max_requests_per_connection"))
	}
	if j.version.AtLeast(1, 36) { // "safe_http2_options", release notes of 1.36.0
		streams = lint.Requests(1024, facts.T("lintenvoy.since"))
	}
	if n, set := c.manager.number("http2_protocol_options/max_concurrent_streams"); set {
		streams = lint.Requests(n, c.manager.setAt("http2_protocol_options/max_concurrent_streams"))
	}
	return lint.Listener{
		File:      c.node.file.Name,
		Line:      c.node.node.Line,
		Name:      strings.TrimSpace(c.listener.text("name") + " " + strings.Join(c.servers, ",")),
		Host:      host,
		Address:   address(c.listener.at("address")),
		TLS:       c.tls,
		Protocols: c.protocols,
		Default:   !c.node.at("filter_chain_match").there() || c.node.node == c.listener.at("default_filter_chain").node,
		Limit:     limit,
		Idle:      c.time(lint.Seconds(3600, facts.T("lintenvoy.default")), "idle_timeout"),
		Age:       c.time(lint.Never(facts.T("lintenvoy.default")), "max_connection_duration"),
		Streams:   streams,
	}
}

func address(a part) string {
	switch s := a.at("socket_address"); {
	case s.there():
		return net.JoinHostPort(s.text("address"), s.text("port_value"))
	case a.at("pipe").there():
		return "unix:" + a.text("pipe/path")
	case a.at("envoy_internal_address").there():
		return "internal:" + a.text("envoy_internal_address/server_listener_name")
	}
	return ""
}

// time is the configured duration, or the default; a configured 0 means never.
func (c *chain) time(otherwise lint.Time, name string) lint.Time {
	switch d, set := c.common.duration(name); {
	case !set:
		return otherwise
	case d == 0:
		return lint.Never(c.common.setAt(name))
	default:
		return lint.Seconds(d.Seconds(), c.common.setAt(name))
	}
}

// shortDrain is longer than any round trip: below it, requests on their way miss the drain.
const shortDrain = time.Second

// jitter spreads the ends of connections that were opened together.
const jitter = "max_connection_duration_jitter: {value: 20}"

// renewal checks the settings that end a client's connection while it is in use.
func (j *judge) renewal(c *chain) {
	n, _ := c.common.number("max_requests_per_connection")
	age, _ := c.common.duration("max_connection_duration")
	if n > 0 {
		j.limited(c, n)
	}
	jittered, _ := strconv.ParseFloat(c.common.text("max_connection_duration_jitter/value"), 64)
	switch {
	case age > 0 && age < lint.ShortAge:
		j.shortAge(c, age, jittered > 0)
	case age > 0 && jittered == 0 && j.version.AtLeast(1, 39):
		f := j.find("envoy/age-without-jitter", c.common, "max_connection_duration", "", facts.T("lintenvoy.together"))
		c.common.add(f, jitter)
	case age > 0 && jittered == 0:
		j.find("envoy/age-without-jitter", c.common, "max_connection_duration", "",
			facts.T("lintenvoy.no-jitter", j.version.String())).Severity = lint.Note
	}
	if d, set := c.manager.duration("drain_timeout"); set && d < shortDrain && lint.HTTP2(c.protocols) {
		f := j.find("envoy/drain-short", c.manager, "drain_timeout", "5s", facts.T("lintenvoy.drain", d.String()))
		if d == 0 && (n > 0 || age > 0) {
			f.Severity = lint.Error
		}
	}
	switch d, set := c.common.duration("idle_timeout"); {
	case set && d == 0:
		j.find("envoy/idle-never", c.common, "idle_timeout", "3600s", facts.T("lintenvoy.idle-off"))
	case set && d < lint.ShortIdle:
		j.find("envoy/idle-short", c.common, "idle_timeout", "3600s", facts.T("lint.idle-ends", d.String())).WeighIdle(d)
	}
	if d, set := c.manager.duration("delayed_close_timeout"); set && d == 0 {
		j.find("envoy/delayed-close-zero", c.manager, "delayed_close_timeout", "1s", facts.T("lintenvoy.close"))
	}
}

func (j *judge) limited(c *chain, n int64) {
	why, severity, fix := facts.T("lintenvoy.limit", int(n), j.streams, j.streams), lint.Weigh(n, j.streams), ""
	if n == 1 {
		why = facts.T("lintenvoy.one")
	} else if !lint.HTTP2(c.protocols) {
		severity = lint.Note // HTTP/1.1 replaces one connection for one request
	}
	if severity != lint.Note {
		fix = strconv.Itoa(cure.Requests(int(n)))
	}
	j.find("envoy/limit", c.common, "max_requests_per_connection", fix, why).Severity = severity
}

// shortAge is the finding on an age of seconds or minutes. Its fix brings the jitter that the longer age needs.
func (j *judge) shortAge(c *chain, d time.Duration, jittered bool) {
	f := j.find("envoy/age-short", c.common, "max_connection_duration", "3600s",
		facts.T("lintenvoy.age", d.String(), j.streams))
	f.WeighAge(d)
	if !lint.HTTP2(c.protocols) {
		f.Severity, f.Ahead = lint.Note, false // HTTP/1.1 replaces one connection for one request
	}
	key, _, _ := strings.Cut(f.Fix, ":")
	if file := c.common.file; !jittered && j.version.AtLeast(1, 39) && key == paste(file, "max_connection_duration") && !asJSON(file) {
		f.Fix += "\n" + paste(file, jitter)
	}
}

// guards are Envoy's limits that end the connection when a client exceeds them, with their defaults. Those of
// stream_reset are nghttp2's, which Envoy leaves alone (nghttp2, lib/nghttp2_session.h).
var guards = []struct {
	rule      string
	field     string
	otherwise int64
}{
	{"envoy/flood-guard-low", "max_outbound_frames", 10000},
	{"envoy/flood-guard-low", "max_outbound_control_frames", 1000},
	{"envoy/flood-guard-low", "max_consecutive_inbound_frames_with_empty_payload", 1},
	{"envoy/flood-guard-low", "max_inbound_priority_frames_per_stream", 100},
	{"envoy/flood-guard-low", "max_inbound_window_update_frames_per_data_frame_sent", 10},
	{"envoy/reset-bucket", "stream_reset_burst", 1000},
	{"envoy/reset-bucket", "stream_reset_rate", 33},
}

// http2 checks the flood limits of a connection that may use HTTP/2.
func (j *judge) http2(c *chain) {
	options := c.manager.at("http2_protocol_options")
	if n, set := options.number("max_concurrent_streams"); set && int(n) < j.streams {
		j.find("envoy/streams-low", options, "max_concurrent_streams", "128", facts.T("lint.streams-low", int(n), j.streams))
	}
	for _, g := range guards {
		if n, set := options.number(g.field); set && n < g.otherwise {
			j.find(g.rule, options, g.field, strconv.FormatInt(g.otherwise, 10),
				facts.T("lintenvoy.guard", g.field, int(n), int(g.otherwise)))
		}
	}
}

// alpn compares the protocols that the codec accepts with those that ALPN offers.
func (j *judge) alpn(c *chain) {
	offers := c.offered()
	if !c.tls || c.quic || !c.socket.there() || slices.Contains(offers, "h2") {
		return
	}
	const list = "common_tls_context/alpn_protocols"
	switch {
	case slices.Equal(c.protocols, []string{"h2"}):
		c.offer(j.find("envoy/h2-without-alpn", c.socket, list, "", facts.T("lintenvoy.only-h2", fmt.Sprint(offers))), "[h2]")
	case c.protocols[0] == "http/1.1" && !lint.HTTP2(c.protocols):
		c.offer(j.find("envoy/no-h2", c.socket, list, "", facts.T("lintenvoy.no-h2", fmt.Sprint(offers))), "[h2, http/1.1]")
	}
}

// offer sets alpn_protocols. A list that is there already is the reader's to change: it may have several
// lines.
func (c *chain) offer(f *lint.Finding, protocols string) {
	if common := c.socket.at("common_tls_context"); common.there() && !common.at("alpn_protocols").there() {
		common.add(f, "alpn_protocols: "+protocols)
		return
	}
	f.Fix = paste(c.socket.file, "alpn_protocols: "+protocols)
}
