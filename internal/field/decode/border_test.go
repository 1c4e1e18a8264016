package decode

import (
	"slices"
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
		if r.Kind != Unclear && r.Reservation == "" && r.Kind != Plain {
			t.Errorf("%s: %s", text, r.Kind)
		}
	}
}

// An HTTP status that came back is an answer, in every wording. A gateway's doesn't say whether it had sent the request on.
func TestAStatusThatCameBackIsAnAnswer(t *testing.T) {
	for text, says := range map[string]string{
		"spurious network error: failed to get 200 response from `https://crates.example.com/a`, got 502":                 "A gateway",
		"│   exception = HTTP/2 502 while requesting https://pkg.example.com/registries":                                  "A gateway",
		"error: the registry request answered with status 503":                                                            "A gateway",
		"Recieved HTTP code (522) from https://changes.example.com/102/json: error":                                       "did not reach",
		"upload failed: server responded with a 524":                                                                      "may still execute",
		"✘ [ERROR] Received a malformed response from the API\n  <!DOCTYPE html>\n  PUT /accounts/a/storage/bulk -> 524 ": "may still execute",
		"fetch error: the origin returned 525":                                                                            "TLS",
		`{"error":"request failed","statusCode":520}`:                                                                     "empty or an invalid",
		"Failed to load resource: the server responded with a status of 502 ()":                                           "A gateway",
		"requests.exceptions.HTTPError: 502 Server Error: Bad Gateway for url: https://api.example.com/a":                 "A gateway",
		"AxiosError: Request failed with status code 502":                                                                 "A gateway",
		`fetch failed: 504 Gateway Timeout`:                                                                               "A gateway",
	} {
		r := one(t, text)
		if r.Kind != Status || r.Reservation != "" || r.Executed == nil || *r.Executed != Maybe || *r.Retry != Idempotents || len(r.Changes) > 0 && r.Changes[0].Class != Upstream ||
			!strings.Contains(r.Happened, says) || slices.Contains(r.MayBe, Malformed) {
			t.Errorf("%s: %s, executed %v, %q, may be %v", text, r.Kind, r.Executed, r.Happened, r.MayBe)
		}
	}
	areOf(t, map[string]Kind{
		"trailers: Metadata(:status=400,date=Tue, 02 Mar 2021 13:15:20 GMT,server=envoy): export failed":           Status,
		"trailers: Metadata(:status=400,server=envoy) error\nWARNING: failed. grpc INTERNAL: HTTP status code 400": Status,
		// numbers that are no status
		"fetch failed after 502 attempts":                   Unclear,
		"request error: got 5020 of 6000 bytes":             Unclear,
		"http2 request failed on 192.0.2.1:502":             Unclear,
		"Error: request 504 of 900 failed in the transport": Unclear,
	})
	areQuiet(t,
		`error exporting items, request to http://otel.example.com:4318/v1/traces responded with HTTP Status Code 400`,
		`{"code":"messaging/unknown-error","message":"Raw server response: {\"error\":{\"code\":501,\"status\":\"UNIMPLEMENTED\"}}"}`,
		"Error: Failed to fetch /accounts/0123/r2/objects/k - 500: Internal Server Error",
		`{"kind":"Status","status":"Failure","message":"Upgrade request required","reason":"BadRequest","code":400}`,
		"upload error: server returned 413",
		"14:27:26.204 INFO  [CallLogging.kt:45] - 503 Service Unavailable: GET - /a",
		"192.0.2.1 - - [12/Jan/2025:09:19:01 +0000] \"GET /error HTTP/1.1\" 502 157")
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
		if r := one(t, text); len(r.Decides) == 0 || !strings.Contains(r.Decides[0], look) {
			t.Errorf("%s: %s, decides %q", text, r.Kind, r.Decides)
		}
	}
}
