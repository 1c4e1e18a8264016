package accesslog

import "strings"

// combined is nginx's predefined format (ngx_http_log_module).
const combined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" ` +
	`"$http_user_agent"`

// added is what combined lacks, with labels so that the format is recognised. Every nginx since
// 1.3.8 has all three variables; $upstream_addr shows how many of the serials without a request
// nginx used for its own connections.
const added = ` conn=$connection req=$connection_requests upstream="$upstream_addr"`

// envoyDefault is Envoy's default format string, from its documentation.
const envoyDefault = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% ` +
	`%RESPONSE_FLAGS% ` +
	`%BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" ` +
	`"%REQ(USER-AGENT)%" ` +
	`"%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"`

const envoyAdded = ` conn=%CONNECTION_ID%`

// NginxOffer is what to add to http{} in nginx.conf so that h2lab can read the log.
func NginxOffer() string {
	return strings.Join([]string{
		"add these two lines to http{} in nginx.conf, reload, wait for a few thousand requests:",
		"  log_format h2lab '" + combined + "'",
		"                   '" + added + "';",
		"  access_log /var/log/nginx/h2lab.log h2lab;",
		"next: nginx -t && nginx -s reload   then: h2lab logs /var/log/nginx/h2lab.log",
	}, "\n")
}

// EnvoyOffer is the same for Envoy's text format.
func EnvoyOffer() string {
	return strings.Join([]string{
		"add %CONNECTION_ID% to the access log of the connection manager:",
		"  log_format: {text_format_source: {inline_string: '... conn=%CONNECTION_ID%' + a newline}}",
		`or in a JSON log: json_format: {start_time: "%START_TIME%", connection_id: "%CONNECTION_ID%", protocol: ` +
			`"%PROTOCOL%", response_code: "%RESPONSE_CODE%"}`,
		"next: h2lab logs --format '<the whole format string>' FILE",
	}, "\n")
}

// known are the formats that are recognised without being named, those with more fields first: a
// line of the first also matches the second.
func known() []*Format {
	var out []*Format
	for _, k := range []struct{ name, text string }{
		{"combined with conn= and req=", combined + added},
		{"combined with conn= and req=", combined + ` conn=$connection req=$connection_requests`},
		{
			"combined, then $connection $connection_requests $connection_time",
			combined + ` $connection $connection_requests $connection_time`,
		},
		{"combined, then $connection $connection_requests", combined + ` $connection $connection_requests`},
		{"Envoy's default with conn=", envoyDefault + envoyAdded},
	} {
		f, err := Compile(k.text)
		if err != nil {
			panic("accesslog: " + k.name + ": " + err.Error()) // a constant; a test compiles them all
		}
		f.Name = k.name
		out = append(out, f)
	}
	return out
}
