package envoyconf

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"h2lab/internal/field/cure"
	"h2lab/internal/field/lint"
)

// shortDrain is longer than any round trip: below it, requests on their way miss the drain.
const shortDrain = time.Second

// renewal checks the settings that end a client's connection while it is in use.
func (j *judge) renewal(c *chain, common *corev3.HttpProtocolOptions) {
	n := common.GetMaxRequestsPerConnection().GetValue()
	age := common.GetMaxConnectionDuration()
	if n > 0 {
		j.limited(c, int64(n))
	}
	switch d := age.AsDuration(); {
	case d > 0 && d < lint.ShortAge:
		j.shortAge(c, common)
	case d > 0 && common.GetMaxConnectionDurationJitter().GetValue() == 0:
		j.noJitter(c)
	}
	if d := c.hcm.GetDrainTimeout(); d != nil && d.AsDuration() < shortDrain && c.speaksH2() {
		f := j.find(drainZero, c.file, c.at("drain_timeout"),
			"drain_timeout is %s: the final GOAWAY follows the first at once, and requests that were on their way "+
				"are dropped.", d.AsDuration())
		if d.AsDuration() == 0 && (n > 0 || age.AsDuration() > 0) {
			f.Severity = lint.Error
		}
		j.swap(f, c.file, c.manager, "5s", "drain_timeout")
	}
	if idle := common.GetIdleTimeout(); idle != nil {
		j.idle(c, idle.AsDuration())
	}
	if d := c.hcm.GetDelayedCloseTimeout(); d != nil && d.AsDuration() == 0 {
		j.swap(j.find(closeNow, c.file, c.at("delayed_close_timeout"),
			"The socket is closed as soon as the last byte is written."),
			c.file, c.manager, "1s", "delayed_close_timeout")
	}
}

func (j *judge) limited(c *chain, n int64) {
	streams := j.options.Streams()
	line := c.at("common_http_protocol_options", "max_requests_per_connection")
	why := fmt.Sprintf("Every %d requests the connection is replaced. A client with %d in flight that dials once for "+
		"each of them, as Go's net/http does, opens up to %d connections then.", n, streams, streams)
	if n == 1 {
		why = "1 turns keep-alive off: every request needs a connection and a TLS handshake of its own, HTTP/2 as well."
	}
	f := j.find(limitSet, c.file, line, "%s", why)
	f.Severity = lint.Weigh(n, streams)
	if !c.speaksH2() && n > 1 {
		f.Severity = lint.Note // HTTP/1.1 replaces one connection for one request
	}
	if f.Severity == lint.Note {
		return
	}
	j.swap(f, c.file, c.manager, strconv.Itoa(cure.Requests(int(n))), "common_http_protocol_options",
		"max_requests_per_connection")
}

// shortAge is the finding on an age of seconds or minutes. Its fix brings the jitter that the longer age needs.
func (j *judge) shortAge(c *chain, common *corev3.HttpProtocolOptions) {
	path := []string{"common_http_protocol_options", "max_connection_duration"}
	d := common.GetMaxConnectionDuration().AsDuration()
	f := j.find(ageShort, c.file, c.at(path...), "Every %s each connection ends, however few requests it has had, and a "+
		"client dials for all that wait then: up to %d in flight.", d, j.options.Streams())
	f.WeighAge(d)
	if !c.speaksH2() {
		f.Severity, f.Ahead = lint.Note, false // HTTP/1.1 replaces one connection for one request
	}
	j.swap(f, c.file, c.manager, "3600s", path...)
	if common.GetMaxConnectionDurationJitter().GetValue() > 0 || !j.version.AtLeast(1, 39) {
		return
	}
	if key, _, _ := strings.Cut(f.Fix, ":"); key == paste(c.file, "max_connection_duration") && !asJSON(c.file) {
		f.Fix += "\n" + paste(c.file, jitter)
	}
}

// jitter spreads the ends of connections that were opened together.
const jitter = "max_connection_duration_jitter: {value: 20}"

func (j *judge) noJitter(c *chain) {
	line := c.at("common_http_protocol_options", "max_connection_duration")
	if !j.version.AtLeast(1, 39) {
		f := j.find(ageTogether, c.file, line, "Envoy %s has no jitter for it; 1.39 does.", j.version)
		f.Severity = lint.Note
		return
	}
	common, _ := under(c.manager, "common_http_protocol_options")
	add(j.find(ageTogether, c.file, line, "Connections that were opened together end together."), c.file, common,
		jitter)
}

func (j *judge) idle(c *chain, d time.Duration) {
	path := []string{"common_http_protocol_options", "idle_timeout"}
	switch {
	case d == 0:
		j.swap(j.find(idleZero, c.file, c.at(path...), "idle_timeout 0 turns the timeout off."), c.file, c.manager,
			"3600s", path...)
	case d < lint.ShortIdle:
		f := j.find(idleShort, c.file, c.at(path...), "After %s without a request the connection ends.", d)
		f.WeighIdle(d)
		j.swap(f, c.file, c.manager, "3600s", path...)
	}
}

// http2 checks the flood limits of a connection that may use HTTP/2.
func (j *judge) http2(c *chain) {
	o := c.hcm.GetHttp2ProtocolOptions()
	if n := o.GetMaxConcurrentStreams(); n != nil && int(n.GetValue()) < j.options.Streams() {
		j.swap(j.find(streamsLow, c.file, c.at("http2_protocol_options", "max_concurrent_streams"),
			"%d streams at once, for clients with %d requests in flight.", n.GetValue(), j.options.Streams()),
			c.file, c.manager, "128", "http2_protocol_options", "max_concurrent_streams")
	}
	for _, g := range guards(o) {
		if g.set && g.value < g.otherwise {
			j.swap(j.find(g.rule, c.file, c.at("http2_protocol_options", g.field), "%s is %d; the default is %d.",
				g.field, g.value, g.otherwise),
				c.file, c.manager, fmt.Sprint(g.otherwise), "http2_protocol_options", g.field)
		}
	}
}

// guard is a limit that ends the connection when a client exceeds it.
type guard struct {
	rule             lint.Rule
	field            string
	set              bool
	value, otherwise uint64
}

// guards are Envoy's limits with their defaults. Those of stream_reset are nghttp2's, which Envoy leaves
// alone (nghttp2, lib/nghttp2_session.h).
func guards(o *corev3.Http2ProtocolOptions) []guard {
	u32 := func(field string, v *wrapperspb.UInt32Value, otherwise uint64) guard {
		return guard{floodLow, field, v != nil, uint64(v.GetValue()), otherwise}
	}
	u64 := func(field string, v *wrapperspb.UInt64Value, otherwise uint64) guard {
		return guard{resetBucket, field, v != nil, v.GetValue(), otherwise}
	}
	return []guard{
		u32("max_outbound_frames", o.GetMaxOutboundFrames(), 10000),
		u32("max_outbound_control_frames", o.GetMaxOutboundControlFrames(), 1000),
		u32("max_consecutive_inbound_frames_with_empty_payload", o.GetMaxConsecutiveInboundFramesWithEmptyPayload(), 1),
		u32("max_inbound_priority_frames_per_stream", o.GetMaxInboundPriorityFramesPerStream(), 100),
		u32("max_inbound_window_update_frames_per_data_frame_sent",
			o.GetMaxInboundWindowUpdateFramesPerDataFrameSent(), 10),
		u64("stream_reset_burst", o.GetStreamResetBurst(), 1000),
		u64("stream_reset_rate", o.GetStreamResetRate(), 33),
	}
}

// alpn compares the protocols that the codec accepts with those that ALPN offers.
func (j *judge) alpn(c *chain) {
	protocols := c.protocols()
	if !c.tls || c.quic || c.alpnNode == nil {
		return
	}
	line := lineOf(c.alpnNode, "common_tls_context", "alpn_protocols")
	offered := false
	for _, p := range c.alpn {
		offered = offered || p == "h2"
	}
	switch {
	case protocols[0] == "h2" && len(protocols) == 1 && !offered:
		j.offer(j.find(onlyH2, c.file, line, "codec_type is HTTP2 and alpn_protocols is %v.", c.alpn), c, "[h2]")
	case !c.speaksH2() && !offered && protocols[0] == "http/1.1":
		j.offer(j.find(noALPN, c.file, line, "alpn_protocols is %v: every client speaks HTTP/1.1, one request at a time on "+
			"a connection.", c.alpn), c, "[h2, http/1.1]")
	}
}

// offer sets alpn_protocols. A list that is there already is the reader's to change: it may have several
// lines.
func (j *judge) offer(f *lint.Finding, c *chain, protocols string) {
	common, there := under(c.alpnNode, "common_tls_context")
	if there && field(common, "alpn_protocols") == nil {
		add(f, c.file, common, "alpn_protocols: "+protocols)
		return
	}
	f.Fix = paste(c.file, "alpn_protocols: "+protocols)
}
