package decode

import "testing"

// Statistics state no failure of a request, however they are spelled and whatever they count.
func TestCountsStateNothing(t *testing.T) {
	areQuiet(t,
		"self_admin::192.0.2.1:19001::cx_active::2\nself_admin::192.0.2.1:19001::cx_connect_fail::0\n"+
			"self_admin::192.0.2.1:19001::rq_timeout::0",
		"grpc_backend::192.0.2.1:443::cx_connect_fail::12\ngrpc_backend::192.0.2.1:443::rq_timeout::3",
		"cluster.grpc.http2.rx_reset: 4\ncluster.grpc.upstream_rq_timeout: 3",
		`{"h2":{"goaways":3,"resets":12,"timeouts":1,"refused":0,"streams":40}}`,
		`{"http2client": {"goaway_received": 2, "rst_stream_received": 1, "conn_lost": 1}}`,
		`{'http2_connection_lost': 3, 'refused_streams': 1, 'stream_timeouts': 2}`,
		"h2:\n  goaways: 3\n  resets: 1\n  timeouts: 12",
		"10:00:00 INFO h2 stats conns=12 resets=4 goaways=2 timeouts=1 errors=3",
		"http2.connection.refused = 1\nhttp2.stream.reset = 2",
		"Metric            Count\nhttp2.goaways         3\nhttp2.resets         12\ngrpc.timeouts         1",
		"http2 connection resets:   12\nhttp2 goaway received:      3\nhttp2 stream timeouts:      0",
		"| metric | value |\n|---|---|\n| http2_rst_stream_received | 12 |\n| connection_resets | 1 |",
		"Tcp:\n    17 failed connection attempts\n    230 connection resets received\n    12 resets sent",
		"MAIN.backend_fail             12         0.01 Backend conn. failures\n"+
			"MAIN.sess_closed_err           3         0.00 Session Closed with error")
}

// A number that is a fact of one failure stands in the same forms.
func TestFactsLookLikeCounts(t *testing.T) {
	areOf(t, map[string]Kind{
		"h2.exceptions.StreamClosedError: 5":                                 Reset,
		"grpc-status: 14\ngrpc-message: connection refused":                  Unreached,
		"http2 stream 5 was reset\nh2_error_code: 7":                         Refused,
		"http2: client connection lost after 3 resets, goaways=2":            Lost,
		"grpc call failed, retries=3, last error: connection refused":        Unreached,
		"java.io.IOException: FRAME_SIZE_ERROR: 4740180":                     Malformed,
		"http2 error ECONNRESET: 104":                                        Lost,
		"104 connection reset by peer (h2)":                                  Lost,
		"GOAWAY received\n  error code:     2\n  last stream:    1999":       Failed,
		"http2: client connection lost\nexit_status: 1":                      Lost,
		"ERROR   h2 client   stream was reset: REFUSED_STREAM   attempt   3": Refused,
	})
}
