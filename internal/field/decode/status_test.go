package decode

import (
	"slices"
	"testing"
)

// A status in a service's own words is its answer, in every spelling of gRPC's libraries.
func TestAStatusInAServicesWordsIsItsAnswer(t *testing.T) {
	areQuiet(t,
		`rpc error: code = Internal desc = create order: row 77 is missing in the table of orders`,
		`level=error msg="tick failed" error="unknown: rpc error: code = Internal desc = pick job: plan 7217: tenant does not exist"`,
		`io.grpc.StatusRuntimeException: INTERNAL: could not compute the price of item 4`,
		"io.grpc.StatusRuntimeException: INTERNAL: Remote Build - internal server error\n"+
			"\tat io.grpc.stub.ClientCalls.toStatusRuntimeException(ClientCalls.java:262)",
		`Error: 2 UNKNOWN: the plan gold is not valid`,
		`ERROR: Grpc Stream Error: 8 RESOURCE_EXHAUSTED: Expected to activate jobs of type 'a'.`,
		`grpc-js Error: 8 RESOURCE_EXHAUSTED: the daily budget of project 12 is used up`,
		`Status { code: Internal, message: "lagged behind", source: None } (tonic::transport)`,
		`status: Unknown, message: "no such bucket", details: [], metadata: MetadataMap { headers: {} }`,
		`Grpc.Core.RpcException: Status(StatusCode="Unknown", Detail="Customer 12 is blocked")`,
		`<_InactiveRpcError of RPC that terminated with: status = StatusCode.INTERNAL details = "the model is not loaded"`,
		`error="session healthcheck failed fatally: Unimplemented: The server does not implement the method /grpc.health.v1.Health/Check"`,
		`GRPC status internal error (13): no such tenant`,
		`%GRPC.RPCError{status: 13, message: "the tenant is blocked"}`,
		`grpc call failed: grpc-status=2 grpc-message="the tenant is blocked"`,
		`ConnectError: [internal] could not compute the price`,
		`ConnectError: [not_found] no such item`,
		`<_InactiveRpcError of RPC that terminated with: status = StatusCode.UNKNOWN details = "Exception calling application: `+
			`'NoneType' object has no attribute 'x'" debug_error_string = "UNKNOWN:Error received from peer ipv4:192.0.2.1:50051">`,
		`rpc error: code = Unknown desc = OCI runtime exec failed: exec: "bash": executable file not found in $PATH: unknown`)
	// The words of a transport, or none, leave the status as it was.
	for text, want := range map[string]Kind{
		`ConnectError: [unavailable] upstream connection refused`:                                                      Unreached,
		`io.grpc.StatusRuntimeException: UNAVAILABLE: Credentials failed to obtain metadata`:                           NotSent,
		`{:error, %GRPC.RPCError{status: 2, message: ":down: :normal"}}`:                                               Lost,
		`%GRPC.RPCError{status: 13, message: "stream was reset"}`:                                                      Reset,
		`rpc error: code = Internal desc = internal error`:                                                             Unclear,
		`rpc error: code = Unavailable desc = `:                                                                        Unclear,
		`rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: CANCEL`:                    Cancelled,
		`rpc error: code = Internal desc = server closed the stream without sending trailers`:                          Reset,
		`13 INTERNAL: Received RST_STREAM with code 2`:                                                                 Reset,
		`io.grpc.StatusRuntimeException: UNKNOWN: channel closed`:                                                      Lost,
		`io.grpc.StatusRuntimeException: UNAVAILABLE: io exception`:                                                    Lost,
		`grpc: 14 UNAVAILABLE: No connection established`:                                                              Unreached,
		`<_InactiveRpcError: status = StatusCode.UNKNOWN details = "Stream removed"`:                                   Lost,
		`rpc error: code = Unavailable desc = name resolver error: produced zero addresses`:                            Unreached,
		`rpc error: code = ResourceExhausted desc = trying to send message larger than max (3 vs. 2)`:                  TooLarge,
		`io.grpc.StatusRuntimeException: INTERNAL: could not be served: java.io.IOException: Connection reset by peer`: Lost,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s: %s, want %s", text, r.Kind, want)
		}
	}
}

// UNAVAILABLE is a service's status and a library's: in the service's words it is a reading.
func TestUnavailableInAServicesWordsIsAReading(t *testing.T) {
	for _, text := range []string{
		`io.grpc.StatusRuntimeException: UNAVAILABLE: The service is currently unavailable.`,
		`rpc error: code = Unavailable desc = The server cannot handle this request right now. Please retry with backoff`,
		`rpc error: code = Unavailable desc = maintenance until 18:00`,
	} {
		r := one(t, text)
		if r.Kind != Unrelated || r.Reservation == "" || !slices.Contains(r.MayBe, Unreached) || len(r.Decides) == 0 {
			t.Errorf("%s: %s, %q, may be %v, decides %q", text, r.Kind, r.Reservation, r.MayBe, r.Decides)
		}
	}
}

// A service's own status is an answer in each language's spelling of it, whatever its description is called.
func TestAStatusOfTheServiceInAnySpelling(t *testing.T) {
	const rust = `, message: "Method not found: acme.v1.StreamService/Collect", metadata: MetadataMap { headers: {"content-type": "application/grpc"} }, source: None }`
	areQuiet(t,
		"report by stream failed status=Status { code: Unimplemented"+rust,
		"WARN: upload failed: status: Unimplemented"+rust,
		`Failed client connect: Status { code: PermissionDenied, message: "service answered 503", metadata: MetadataMap { headers: {} }, source: None }`,
		`status: NotFound, message: "no connection with this id", details: [], metadata: MetadataMap { headers: {} }`,
		`tonic::Status: code: 'The caller does not have permission to execute the specified operation', message: "channel is read-only"`,
		`{"code":2,"message":"rpc error: code = Unauthenticated desc = auth header missing ()"}`,
		`rpc error: code = Unauthenticated desc = x509: certificate signed by unknown authority`,
		`rpc error: code = PermissionDenied desc = stream orders is closed for this user`,
		`level=error msg="error processing request" err="rpc error: code = Code(500) desc = connection pool of the store is exhausted\n"`,
		`rpc error: code = Code(422) desc = stream rejected`,
		`Grpc.Core.RpcException: Status(StatusCode="PermissionDenied", Detail="The connection string is not yours.")`,
		"<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAUTHENTICATED\n\tdetails = \"session token missing\"\n>",
		`GRPC::Unauthenticated: 16:invalid header token. debug_error_string:{UNKNOWN:Error received from peer}`,
		`Error: 7 PERMISSION_DENIED: the channel is private`,
		`%GRPC.RPCError{status: 16, message: "socket token expired"}`,
		`grpc call: { code: 12, details: 'The server does not implement the method /acme.Stream/Get', metadata: Metadata {} }`,
		`io.grpc.StatusRuntimeException: UNIMPLEMENTED: Method not found: acme.TransportService/Connect`)
	for _, text := range []string{
		`status: Unavailable, message: "error trying to connect: tcp connect error", details: [], metadata: MetadataMap { headers: {} }`,
		`status: Unknown, message: "transport error", details: [], metadata: MetadataMap { headers: {} }`,
		`rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: INTERNAL_ERROR`,
		`rpc error: code = Unauthenticated desc = transport: per-RPC creds failed due to error: dial tcp 192.0.2.1:443: connect: connection refused`,
		`Error: 14 UNAVAILABLE: Connection dropped`,
		`io.grpc.StatusRuntimeException: UNAUTHENTICATED: Credentials failed to obtain metadata`,
		`status: Unauthenticated, message: "error fetching auth metadata: connection refused", details: []`,
		`grpc: connection aborted, message: reset by peer`,
		`status: PermissionDenied, message: "h2 protocol error: INADEQUATE_SECURITY", details: []`,
	} {
		if r := one(t, text); r.Kind == Unrelated {
			t.Errorf("%s\n  %s", text, r.Kind)
		}
	}
}

// The number of RESOURCE_EXHAUSTED counts as its name does, in every field that has it.
func TestTheNumberOfAnExhaustedService(t *testing.T) {
	for _, text := range []string{
		"grpc: status: ResourceExhausted, message: \"too many open connections\"",
		"grpc: status: 8, message: \"too many open connections\"",
		"grpc-status: 8 grpc-message: too many open connections",
	} {
		if r := one(t, text); r.Kind != Unrelated {
			t.Errorf("%s: %s, executed %v", text, r.Kind, r.Executed)
		}
	}
}
