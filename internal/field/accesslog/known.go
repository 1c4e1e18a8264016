package accesslog

import (
	"maps"
	"sync"

	"h2lab/internal/field/cure"
)

// The formats that servers write unless they are configured otherwise, in the words of nginx's log_format
// or of Envoy's format string.
const (
	// combined is nginx's predefined format (ngx_http_log_module), and in shape Apache's.
	combined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" ` +
		`"$http_user_agent"`
	// common is Apache's, without the last two fields (httpd.apache.org, mod_log_config).
	common = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent`
	// packaged is the format main of nginx.org's packages.
	packaged = combined + ` "$http_x_forwarded_for"`
	// upstreaminfo is ingress-nginx's (docs/user-guide/nginx-configuration/log-format.md).
	upstreaminfo = combined + ` $request_length $request_time [$proxy_upstream_name] ` +
		`[$proxy_alternative_upstream_name] $upstream_addr $upstream_response_length $upstream_response_time ` +
		`$upstream_status $req_id`
	// traefikCommon is Traefik's format common (doc.traefik.io, access logs).
	traefikCommon = combined + ` $count "$router" "$server" ${duration}ms`
	// httplog is HAProxy's option httplog (configuration manual, 8.2.3). The captured headers before the
	// request are left out of a log without them.
	httplog = `$peer [$haproxy_time] $frontend $backend $timers $status $bytes $cookie_in $cookie_out $termination ` +
		`$connections $queues_and_headers"$request"`
	// tcplog begins alike and has no request (configuration manual, 8.2.2).
	tcplog = `$peer [$haproxy_time] $frontend $backend $timers $bytes $termination $connections $queues`

	// envoyDefault and istioDefault are from the documentation of Envoy's access logs and of Istio's.
	envoyDefault = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% ` +
		`%RESPONSE_FLAGS% ` + envoyEnd
	istioDefault = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% ` +
		`%RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% ` +
		`"%UPSTREAM_TRANSPORT_FAILURE_REASON%" ` + envoyEnd + ` %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS% ` +
		`%DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%`
	envoyEnd = `%BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% ` +
		`"%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"`
)

// What the formats lack, as it is offered.
const (
	// added has labels so that the format is recognised. Every nginx since 1.3.8 has all three variables;
	// $upstream_addr shows how many of the serials without a request nginx used for its own connections.
	added      = ` conn=$connection req=$connection_requests upstream="$upstream_addr"`
	addedShort = ` conn=$connection req=$connection_requests`
	envoyAdded = ` conn=%CONNECTION_ID%`
	portAdded  = ` port=$remote_port`
)

// shape is a format as a program writes it.
type shape struct{ name, text, server string }

// readable are the formats that are recognised without being named, those with more fields first: a line of
// the first also matches the second.
var readable = []shape{
	{"combined with conn= and req=", combined + added + ` msec=$msec`, cure.Nginx},
	{"combined with conn= and req=", combined + added + ` $msec`, cure.Nginx},
	{"combined with conn= and req=", combined + added, cure.Nginx},
	{"combined with conn= and req=", combined + addedShort + ` msec=$msec`, cure.Nginx},
	{"combined with conn= and req=", combined + addedShort + ` $msec`, cure.Nginx},
	{"combined with conn= and req=", combined + addedShort, cure.Nginx},
	{"combined, then $connection $connection_requests $connection_time",
		combined + ` $connection $connection_requests $connection_time`, cure.Nginx},
	{"combined, then $connection $connection_requests", combined + ` $connection $connection_requests`, cure.Nginx},
	{"main with conn= and req=", packaged + addedShort, cure.Nginx},
	{"ingress-nginx's with conn= and req=", upstreaminfo + addedShort, cure.IngressNginx},
	{"combined with port=", combined + portAdded, cure.Apache},
	{"Envoy's default with conn=", envoyDefault + envoyAdded, cure.Envoy},
	{"Istio's default", istioDefault, cure.Envoy},
	{"HAProxy's httplog", httplog, cure.HAProxy},
}

// lacking are formats that don't identify connections. The most specific come first.
var lacking = []struct {
	shape
	lacks string
}{
	{shape{"ingress-nginx's default format", upstreaminfo, cure.IngressNginx},
		"which has neither $connection nor $connection_requests"},
	{shape{"Traefik's common format", traefikCommon, cure.Traefik}, "which has no client port"},
	{shape{"the format main of nginx's packages", packaged, cure.Nginx},
		"which has neither $connection nor $connection_requests"},
	{shape{"nginx's combined format", combined, cure.Nginx},
		"which has neither $connection nor $connection_requests (Apache httpd's combined looks the same)"},
	{shape{"the common log format", common, cure.Apache}, "which has no client port"},
	{shape{"Envoy's default format", envoyDefault, cure.Envoy}, "which has no %CONNECTION_ID%"},
	{shape{"HAProxy's tcplog", tcplog, cure.HAProxy}, "which has no requests"},
}

// ownFields are the names that the formats above use beside nginx's variables.
var ownFields = func() map[string]field {
	names := maps.Clone(nginxFields)
	names["peer"], names["haproxy_time"] = fPeer, fTimeHAProxy
	return names
}()

// compile compiles a shape, whether or not it identifies connections. Each is a constant, and a test
// compiles them all.
func (s shape) compile() *Format {
	f := &Format{Name: s.name, Source: s.text, Server: s.server}
	err := error(nil)
	if s.server == cure.Envoy {
		err = f.parseEnvoy()
	} else {
		err = f.parse(ownFields)
	}
	if err != nil {
		panic("accesslog: " + s.name + ": " + err.Error())
	}
	return f
}

// known are the compiled formats that can be read.
var known = sync.OnceValue(func() []*Format {
	var out []*Format
	for _, s := range readable {
		f := s.compile()
		if err := f.finish(); err != nil {
			panic("accesslog: " + s.name + ": " + err.Error())
		}
		out = append(out, f)
	}
	return out
})
