package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const (
	grpcContentType = "application/grpc"
	// grpcMetadataID is requestIDHeader in lower case, as gRPC metadata requires.
	grpcMetadataID = "x-lab-request-id"
	// maxMessageBytes is the longest body as a StringValue, with its tag and length.
	maxMessageBytes = maxBodyBytes + 4
	// maxCallBytes is the longest message with gRPC's five-byte prefix (flag and length).
	maxCallBytes = maxMessageBytes + 5
)

// rpc is the gRPC service h2lab.Echo. It runs in the same net/http server as the other handlers, so
// that its connections and requests are in the same ledger.
type rpc struct {
	ledger *ledger
	bodies *bodies
	server *grpc.Server
}

// echoServer is the interface of the service's implementation.
type echoServer interface {
	say(context.Context, *wrapperspb.StringValue) (*wrapperspb.StringValue, error)
}

// echoService is the description that protoc would generate from:
//
//	service Echo { rpc Say(google.protobuf.StringValue) returns (google.protobuf.StringValue); }
var echoService = grpc.ServiceDesc{
	ServiceName: "h2lab.Echo",
	HandlerType: (*echoServer)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Say", Handler: handleSay}},
}

// handleSay ignores interceptors, because the server has none.
func handleSay(impl any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	in := new(wrapperspb.StringValue)
	if err := decode(in); err != nil {
		return nil, err
	}
	return impl.(echoServer).say(ctx, in)
}

func newRPC(l *ledger, b *bodies) *rpc {
	s := &rpc{ledger: l, bodies: b, server: grpc.NewServer(grpc.MaxRecvMsgSize(maxMessageBytes))}
	s.server.RegisterService(&echoService, s)
	return s
}

// isGRPC also accepts types that grpc.Server rejects with 415, such as application/grpc-web.
func isGRPC(r *http.Request) bool {
	types := r.Header["Content-Type"]
	return len(types) > 0 && strings.HasPrefix(types[0], grpcContentType)
}

type executedKey struct{}

// serve handles one call. It reads the request to its end first, so that only complete requests are
// executed and no answer is sent before the request has ended: net/http resets such a stream, and
// nginx then answers 502.
func (s *rpc) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	if r.ProtoMajor != 2 {
		refuse(http.StatusBadRequest, "gRPC needs HTTP/2, and this connection negotiated %s", r.Proto).send(w)
		return
	}
	body, done, no := s.bodies.readCall(r)
	if no != nil {
		no.sendGRPC(w)
		return
	}
	defer done()                 // grpc.Server's reader of the body has ended when ServeHTTP returns
	executed := new(atomic.Bool) // the handler's goroutine may still run, so this is atomic
	r = r.WithContext(context.WithValue(r.Context(), executedKey{}, executed))
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.server.ServeHTTP(w, r)
	if executed.Load() && r.Context().Err() == nil {
		s.ledger.handled(time.Since(began))
	}
}

// sendGRPC sends a refusal as a call's status. It never sends UNAVAILABLE, which clients also
// report for a lost connection and retry.
func (no *refusal) sendGRPC(w http.ResponseWriter) {
	code := codes.ResourceExhausted
	if no.status == http.StatusBadRequest {
		code = codes.Internal
	}
	h := w.Header()
	h.Set("Content-Type", grpcContentType)
	h.Set("Grpc-Status", strconv.Itoa(int(code)))
	h.Set("Grpc-Message", no.reason)
	w.WriteHeader(http.StatusOK)
}

// say sends the text back without a delay, as /echo?ms=0 does.
func (s *rpc) say(ctx context.Context, in *wrapperspb.StringValue) (*wrapperspb.StringValue, error) {
	id := ""
	if ids := metadata.ValueFromIncomingContext(ctx, grpcMetadataID); len(ids) > 0 {
		id = ids[0]
	}
	if len(id) > maxIDBytes {
		return nil, status.Errorf(codes.InvalidArgument, "%s has %d bytes, but at most %d are allowed", grpcMetadataID,
			len(id), maxIDBytes)
	}
	s.ledger.execute(id)
	ctx.Value(executedKey{}).(*atomic.Bool).Store(true)
	return in, nil
}
