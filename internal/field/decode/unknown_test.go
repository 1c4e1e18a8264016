package decode

import (
	"strings"
	"testing"
)

// A failure without any word of a network is nothing: what files, packages and quoted names are called says nothing.
func TestAFailureOfNoNetworkIsNothing(t *testing.T) {
	areQuiet(t,
		`ERROR[07-21|09:04:12.120] Beacon sync linkup unavailable           number=1,523,438 hash=e98bff..5d9a7b`,
		`error: unable to recognize "upstream.yaml": no matches for kind "GatewayUpstream" in version "example.org/v1"`,
		`2018-08-15 05:14:16 E | rafthttp: failed to find member fae45edff5cba178 in cluster 68a20fe25dffa9cd`,
		`ERROR com.example.language_server.client.RequestIndex - Error refreshing the context`,
		`WARN  GET https://npm.example.com/@a/ui/-/ui-2.92.4.tgz error (ERR_PNPM_TARBALL_EXTRACT). Will retry in 10 seconds.`,
		`Failed to extract /var/cache/downloads/http-client.tar`,
		"Error: failed to plan the route\n    at Planner.run (/app/node_modules/network/connection/index.js:10:3)",
		`Curl error 1: Protocol "webpack-internal" not supported or disabled in libcurl`,
		`Error: curl_easy_setopt: 48`,
		`PHP Fatal error:  Uncaught Error: Socket#7 has already been bound to another coroutine#3, reading at the same time is not allowed`,
		`UnsupportedOperationException: Not yet implemented: the pool of connections`,
		`Exception: errorCode=8 Invalid range header. Request: 5-9/10, Response: 0-9/10`,
		`ERROR: missing content-length header for request: https://registry.example.com/v2/a/blobs/sha256:c5`,
		`rospy.exceptions.TransportInitError: TCPROS remote error reported: node shutting down`,
		`panic: the schema "client" lacks a primary key`)
	for _, text := range []string{
		`Reason: BackendConnectionError`,
		`✘ [ERROR] fetch failed`,
		`Failed to fetch https://registry.example.com/a.tgz: error sending request for url (https://registry.example.com/a.tgz)`,
		`Exception: the "RequestTimeout" came back`,
		`com.example.TransportException: the exchange is over`,
		`ERROR upload of part 3 failed for an unknown reason`,
		`FATAL: the session of peer 3 ended in error`,
		`Error: request to https://api.example.com/a failed`,
		`500 Internal Server Error: Unable to write frame`,
		`Error code 12 in the proxy's response handler`,
	} {
		r := one(t, text)
		if r.Kind != Unclear && r.Reservation.String() == "" && r.Kind != Plain {
			t.Errorf("%s: %s", text, r.Kind)
		}
	}
}

// Where a client hides the cause, the answer names where the cause is.
func TestAWrapperNamesWhereItsCauseIs(t *testing.T) {
	for text, look := range map[string]string{
		"Problem in node 'Store': fetch failed\nNodeApiError: fetch failed at normalize (/usr/local/lib/a.ts:57:8)":           "error.cause",
		"Failed to fetch https://registry.example.com/a.tgz: error\n  sending request for url (https://registry.example.com)": "error.cause",
		"error sending request for url (https://registry.example.com/a)":                                                      "source()",
		"\"Error: net::ERR_FAILED\n    at SimpleURLLoaderWrapper.<anonymous> (electron/js2c/browser_init.js:105:6497)":        "net-export",
		"java.util.concurrent.ExecutionException: org.eclipse.jetty.http.BadMessageException: 500: null\n" +
			"\tat org.eclipse.jetty.client.HttpRequest.send(HttpRequest.java:770)\n\tat com.example.http2.core.HTTP2Client.sample(HTTP2Client.java:150)": "Caused by",
		`Transient error StatusCode.UNAVAILABLE encountered while exporting traces to otlp.example.net:4317`: "details",
	} {
		if r := one(t, text); len(r.Decides) == 0 || !strings.Contains(r.Decides[0].String(), look) {
			t.Errorf("%s: %s, decides %q", text, r.Kind, r.Decides)
		}
	}
}
