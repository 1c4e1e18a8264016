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
		`gRPC Error (code: 13, codeName: INTERNAL, message: no such tenant, details: [])`,
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
