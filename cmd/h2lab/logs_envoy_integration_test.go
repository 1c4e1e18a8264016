//go:build integration

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/accesslog"
	"h2lab/internal/field/cure"
)

// envoysLogs are Envoy's default log, the same with the connection's id, and JSON with the client's address.
const envoysLogs = `
common_http_protocol_options: {%s}
access_log:
- name: envoy.access_loggers.file
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
    path: default.log
- name: envoy.access_loggers.file
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
    path: conn.log
    log_format: {text_format_source: {inline_string: '%s'}}
- name: envoy.access_loggers.file
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
    path: address.log
    log_format:
      json_format: {start_time: "%%START_TIME%%", response_flags: "%%RESPONSE_FLAGS%%", protocol: "%%PROTOCOL%%",
        response_code: "%%RESPONSE_CODE%%", downstream_remote_address: "%%DOWNSTREAM_REMOTE_ADDRESS%%",
        user-agent: "%%REQ(USER-AGENT)%%"}
`

// envoysFormat is Envoy's documented default with the connection's id, as YAML has it.
const envoysFormat = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% ` +
	`%RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% ` +
	`"%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%" ` +
	"conn=%CONNECTION_ID%\n\n"

// Logs of a real Envoy whose connections end at an age, or at a limit.
func TestRealEnvoyLogsNameTheCause(t *testing.T) {
	for options, want := range map[string]string{
		"max_connection_duration: 2s":      accesslog.Aged,
		"max_requests_per_connection: 100": accesslog.AtLimit,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			envoyLogs(t, options, want)
		})
	}
}

func envoyLogs(t *testing.T, options, want string) {
	dir := t.TempDir()
	cert, port, admin := labtest.WriteCert(t, dir), labtest.FreePort(t), labtest.FreePort(t)
	labtest.Envoy(t, dir, port, labtest.EnvoyYAML(port, admin, fmt.Sprintf(envoysLogs, options, envoysFormat)))
	var visitors []visitor
	for i := range 6 {
		visitors = append(visitors, visitor{url: fmt.Sprintf("https://localhost:%d/", port), cert: cert,
			agent: fmt.Sprint("pool/", i), pause: every(time.Duration(5+8*i) * time.Millisecond)})
	}
	visitAll(t, 20*time.Second, visitors)
	time.Sleep(11 * time.Second) // Envoy writes its logs every ten seconds
	for _, file := range []string{"conn.log", "address.log"} {
		r := logsOf(t, 0, filepath.Join(dir, file))
		if r.Verdict.ID != want || r.Server != cure.Envoy {
			t.Errorf("%s, %s: %s: %s", options, file, r.Verdict.ID, fmt.Sprint(r.Verdict.Says))
			keepLog(t, filepath.Join(dir, file), want)
		}
	}
	var out, said bytes.Buffer
	if status := run(t.Context(), []string{"logs", filepath.Join(dir, "default.log")}, &out, &said); status != 1 ||
		!strings.Contains(said.String(), "Envoy's default format, which has no %CONNECTION_ID%") {
		t.Errorf("Envoy's default: status %d, %s", status, said.String())
	}
}
