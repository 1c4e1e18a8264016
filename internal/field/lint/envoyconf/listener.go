package envoyconf

import (
	"fmt"
	"h2lab/internal/facts"
	"slices"
	"strings"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	listenerv3 "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	hcmv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	quicv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/quic/v3"
	tlsv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	// Common types that hold other messages: importing them registers them for decoding.
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/tcp_proxy/v3"

	"h2lab/internal/field/lint"
)

// chain is a filter chain that ends in an HttpConnectionManager.
type chain struct {
	file     *lint.Source
	listener *listenerv3.Listener
	node     *lint.Node // of the chain
	hcm      *hcmv3.HttpConnectionManager
	manager  *lint.Node // the typed_config of the HttpConnectionManager
	alpn     []string
	alpnNode *lint.Node
	tls      bool
	quic     bool
	servers  []string // server_names of the chain's match
}

func (j *judge) listener(l resource[*listenerv3.Listener]) {
	list := items(l.node, "filter_chains")
	for i, fc := range l.msg.GetFilterChains() {
		if c, http := newChain(l, fc, list[i]); http {
			j.chain(c, fc.GetFilterChainMatch() == nil)
		} else {
			j.tcp++
		}
	}
	if fc := l.msg.GetDefaultFilterChain(); fc != nil {
		node, _ := under(l.node, "default_filter_chain")
		if c, http := newChain(l, fc, node); http {
			j.chain(c, true)
		} else {
			j.tcp++
		}
	}
}

func newChain(l resource[*listenerv3.Listener], fc *listenerv3.FilterChain, node *lint.Node) (*chain, bool) {
	c := &chain{file: l.file, listener: l.msg, node: node, servers: fc.GetFilterChainMatch().GetServerNames()}
	list := items(node, "filters")
	for i, filter := range fc.GetFilters() {
		hcm := new(hcmv3.HttpConnectionManager)
		if unpack(filter.GetTypedConfig(), hcm) {
			c.hcm = hcm
			c.manager, _ = under(list[i], "typed_config")
		}
	}
	if c.hcm == nil {
		return nil, false
	}
	socket, _ := under(node, "transport_socket", "typed_config")
	c.alpnNode = socket
	tls, quic := new(tlsv3.DownstreamTlsContext), new(quicv3.QuicDownstreamTransport)
	switch packed := fc.GetTransportSocket().GetTypedConfig(); {
	case unpack(packed, tls):
		c.tls, c.alpn = true, tls.GetCommonTlsContext().GetAlpnProtocols()
	case unpack(packed, quic):
		c.tls, c.quic = true, true
	case fc.GetTransportSocket() != nil:
		c.tls = strings.Contains(fc.GetTransportSocket().GetName(), "tls")
	}
	return c, true
}

// unpack decodes packed into m, and reports whether it is of m's type.
func unpack(packed *anypb.Any, m proto.Message) bool {
	return packed.MessageIs(m) && packed.UnmarshalTo(m) == nil
}

// protocols are those that a client can use. With codec AUTO, Envoy follows ALPN, and without ALPN the
// first bytes of the connection.
func (c *chain) protocols() []string {
	h2 := "h2c"
	if c.tls {
		h2 = "h2"
	}
	switch c.hcm.GetCodecType() {
	case hcmv3.HttpConnectionManager_HTTP1:
		return []string{"http/1.1"}
	case hcmv3.HttpConnectionManager_HTTP2:
		return []string{h2}
	case hcmv3.HttpConnectionManager_HTTP3:
		return []string{"h3"}
	}
	switch {
	case c.quic:
		return []string{"h3"}
	case !c.tls:
		return []string{"http/1.1", "h2c"}
	case slices.Contains(c.alpn, "h2") && len(c.alpn) == 1:
		return []string{"h2"}
	case slices.Contains(c.alpn, "h2"):
		return []string{"http/1.1", "h2"}
	}
	return []string{"http/1.1"}
}

// speaksH2 reports whether the chain accepts HTTP/2.
func (c *chain) speaksH2() bool {
	p := c.protocols()
	return slices.Contains(p, "h2") || slices.Contains(p, "h2c")
}

func (j *judge) chain(c *chain, catchAll bool) {
	common := c.hcm.GetCommonHttpProtocolOptions()
	j.report.Listeners = append(j.report.Listeners, lint.Listener{
		File:      c.file.Name,
		Line:      c.node.Line,
		Name:      c.name(),
		Host:      c.host(),
		Address:   address(c.listener.GetAddress()),
		TLS:       c.tls,
		Protocols: c.protocols(),
		Default:   catchAll,
		Limit:     j.limit(c, common),
		Idle:      j.time(c, common.GetIdleTimeout(), 3600, "common_http_protocol_options", "idle_timeout"),
		Age: j.time(c, common.GetMaxConnectionDuration(), 0,
			"common_http_protocol_options", "max_connection_duration"),
		Streams:  j.streams(c),
		Upstream: lint.Leads(j.upstreams(c)),
	})
	j.renewal(c, common)
	if c.speaksH2() {
		j.http2(c)
	}
	j.alpn(c)
	j.untyped(c)
}

// name is the listener's name, with what distinguishes its chains.
func (c *chain) name() string {
	return strings.TrimSpace(c.listener.GetName() + " " + strings.Join(c.servers, ","))
}

// host is a name that the chain's clients send in TLS.
func (c *chain) host() string {
	for _, name := range c.servers {
		if !strings.HasPrefix(name, "*") {
			return name
		}
	}
	return ""
}

func address(a *corev3.Address) string {
	switch {
	case a.GetPipe() != nil:
		return "unix:" + a.GetPipe().GetPath()
	case a.GetSocketAddress() != nil:
		s := a.GetSocketAddress()
		host := s.GetAddress()
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return fmt.Sprintf("%s:%d", host, s.GetPortValue())
	case a.GetEnvoyInternalAddress() != nil:
		return "internal:" + a.GetEnvoyInternalAddress().GetServerListenerName()
	}
	return ""
}

func (j *judge) limit(c *chain, common *corev3.HttpProtocolOptions) lint.Limit {
	n := common.GetMaxRequestsPerConnection()
	if n == nil || n.GetValue() == 0 {
		return lint.NoLimit("Envoy's default")
	}
	return lint.Requests(int64(n.GetValue()), c.setAt("common_http_protocol_options", "max_requests_per_connection"))
}

func (j *judge) streams(c *chain) lint.Limit {
	switch n := c.hcm.GetHttp2ProtocolOptions().GetMaxConcurrentStreams(); {
	case n != nil:
		return lint.Requests(int64(n.GetValue()), c.setAt("http2_protocol_options", "max_concurrent_streams"))
	case j.version.AtLeast(1, 36): // "safe_http2_options", release notes of 1.36.0
		return lint.Requests(1024, "default since 1.36")
	}
	return lint.NoLimit("default before 1.36")
}

// time is the configured duration, or the default; 0 means never in both.
func (j *judge) time(c *chain, d *durationpb.Duration, otherwise float64, path ...string) lint.Time {
	switch {
	case d == nil && otherwise == 0:
		return lint.Never("Envoy's default")
	case d == nil:
		return lint.Seconds(otherwise, "Envoy's default")
	case d.AsDuration() == 0:
		return lint.Never(c.setAt(path...))
	}
	return lint.Seconds(d.AsDuration().Seconds(), c.setAt(path...))
}

// at is the line of a field of the HttpConnectionManager; when the field is absent, the line of the
// nearest block that would contain it.
func (c *chain) at(path ...string) int { return lineOf(c.manager, path...) }

func (c *chain) setAt(path ...string) facts.Text { return lint.SetAt(c.file.Name, c.at(path...)) }

func lineOf(n *lint.Node, path ...string) int {
	line := n.Line
	for _, name := range path {
		f := field(n, name)
		if f == nil {
			return line
		}
		n, line = f.Value, f.Line
	}
	return line
}
