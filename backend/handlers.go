package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// handlers are the handlers of the front.
type handlers struct {
	ledger *ledger
	bodies *bodies
}

// newFront makes the front's handler. It counts every request, whatever its result, with the
// connection that carried it.
func newFront(l *ledger) http.Handler {
	h := &handlers{l, newBodies(maxBodiesBytes)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /delay", h.delay)
	mux.HandleFunc("GET /check", h.check)
	mux.HandleFunc("/echo", h.echo)
	mux.HandleFunc("POST /post/{ms}/{items}", h.post)
	mux.HandleFunc("GET /healthz", healthz)
	calls := newRPC(l, h.bodies)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.arrived(r)
		defer l.left()
		if isGRPC(r) {
			calls.serve(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func healthz(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// delay answers an empty 200 after ms.
func (h *handlers) delay(w http.ResponseWriter, r *http.Request) {
	wait, no := delayOf(r.URL.RawQuery)
	h.work(w, r, task{wait: wait, refused: no, answer: func(http.Header, []byte) []byte { return nil }})
}

// check answers "ok" after ms.
func (h *handlers) check(w http.ResponseWriter, r *http.Request) {
	wait, no := delayOf(r.URL.RawQuery)
	h.work(w, r, task{wait: wait, refused: no, contentType: "text/plain; charset=utf-8",
		answer: func(http.Header, []byte) []byte { return okay }})
}

// echo sends the body back after ms, for any method.
func (h *handlers) echo(w http.ResponseWriter, r *http.Request) {
	wait, no := delayOf(r.URL.RawQuery)
	h.work(w, r, task{wait: wait, refused: no, contentType: "application/octet-stream",
		answer: func(_ http.Header, body []byte) []byte { return body }})
}

// post accepts any JSON value and answers, after ms, with an object of that many random fields. The
// header textLengthHeader has the length of the text that it received.
func (h *handlers) post(w http.ResponseWriter, r *http.Request) {
	wait, no := milliseconds(r.PathValue("ms"))
	items := 0
	if no == nil {
		items, no = number("items", r.PathValue("items"), maxItems)
	}
	h.work(w, r, task{wait: wait, refused: no, contentType: "application/json",
		check: wantJSON, answer: func(header http.Header, body []byte) []byte {
			header.Set(textLengthHeader, strconv.Itoa(textLength(body)))
			return randomFields(items)
		}})
}

// task is a request whose URL and headers were read.
type task struct {
	wait        time.Duration
	refused     *refusal // the URL was wrong
	check       func(body []byte) *refusal
	contentType string
	answer      func(header http.Header, body []byte) []byte // header is that of the answer
}

// work carries out a task and enters it in the ledger. A request counts as executed as soon as it
// is known to be complete and valid, before the delay: a client that disconnects during the delay
// has caused the effect without seeing an answer.
func (h *handlers) work(w http.ResponseWriter, r *http.Request, t task) {
	began := time.Now()
	if t.refused != nil {
		t.refused.send(w)
		return
	}
	id := r.Header.Get(requestIDHeader)
	if len(id) > maxIDBytes {
		refuse(http.StatusBadRequest, "%s has %d bytes, but at most %d are allowed", requestIDHeader, len(id),
			maxIDBytes).send(w)
		return
	}
	body, done, no := h.bodies.read(r, maxBodyBytes)
	if no != nil {
		no.send(w)
		return
	}
	defer done()
	if t.check != nil {
		if no := t.check(body); no != nil {
			no.send(w)
			return
		}
	}
	h.ledger.execute(id)
	h.ledger.posting(r, id, body)
	if !sleep(r.Context(), t.wait) {
		return // the client has gone
	}
	out := t.answer(w.Header(), body)
	if t.contentType != "" {
		w.Header().Set("Content-Type", t.contentType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	if _, err := w.Write(out); err == nil || r.Method == http.MethodHead {
		h.ledger.handled(time.Since(began))
	}
}

// send writes the refusal as one line of text.
func (no *refusal) send(w http.ResponseWriter) { http.Error(w, no.reason, no.status) }

// sleep waits for d or until the client has gone, and reports whether it waited for d.
func sleep(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// okay is the answer of /check.
var okay = []byte("ok")

func wantJSON(body []byte) *refusal {
	if json.Valid(body) {
		return nil
	}
	return refuse(http.StatusBadRequest, `the body is not JSON, e.g. {"name":"value"}`)
}

// randomFields writes {"f0":"<16 hex digits>",…} with n fields.
func randomFields(n int) []byte {
	out := make([]byte, 0, 2+n*26)
	out = append(out, '{')
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `"f`...)
		out = strconv.AppendInt(out, int64(i), 10)
		out = append(out, `":"`...)
		for bits, digit := rand.Uint64(), 0; digit < 16; digit++ {
			out = append(out, "0123456789abcdef"[bits&15])
			bits >>= 4
		}
		out = append(out, '"')
	}
	return append(out, '}')
}

const (
	// maxDelayMS is less than readTimeout: net/http ends a waiting HTTP/1.1 handler when its
	// connection's read deadline passes.
	maxDelayMS = 30_000
	// maxItems limits an answer of /post to half a megabyte.
	maxItems = 10_000
)

// delayOf reads "ms=5". Without a query there is no delay; delayOf rejects anything else that is
// not exactly one ms, because a misspelt parameter would measure something else.
func delayOf(query string) (time.Duration, *refusal) {
	if query == "" {
		return 0, nil
	}
	value, plain := strings.CutPrefix(query, "ms=")
	if !plain || strings.ContainsAny(value, "&%+;") {
		q, err := url.ParseQuery(query)
		if err != nil || len(q) != 1 || len(q["ms"]) != 1 {
			return 0, refuse(http.StatusBadRequest, "the query %q is not ms=N, e.g. ?ms=5", shortened(query))
		}
		value = q["ms"][0]
	}
	return milliseconds(value)
}

func milliseconds(s string) (time.Duration, *refusal) {
	n, no := number("ms", s, maxDelayMS)
	return time.Duration(n) * time.Millisecond, no
}

// number reads a whole number from 0 to most.
func number(name, s string, most int) (int, *refusal) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n > uint64(most) {
		return 0, refuse(http.StatusBadRequest, "%s=%q is not a whole number from 0 to %d", name, shortened(s), most)
	}
	return int(n), nil
}

// shortened limits the length of what an answer quotes.
func shortened(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

const (
	// maxBodyBytes is the longest body that is accepted.
	maxBodyBytes = 1 << 20
	// maxBodiesBytes limits all bodies held at the same time.
	maxBodiesBytes = 256 << 20
	// maxPooledBytes is the largest buffer that returns to the pool; the garbage collector frees
	// larger ones.
	maxPooledBytes = 64 << 10
	// chunkBytes is how much of a body is read before it is charged to the budget.
	chunkBytes = 64 << 10
)

// refusal is an error answer, with the reason as its text.
type refusal struct {
	status int
	reason string
}

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// bodies reads request bodies into pooled buffers under one budget.
type bodies struct {
	budget int64
	held   atomic.Int64
	pool   sync.Pool
}

func newBodies(budget int64) *bodies {
	return &bodies{budget: budget, pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

// read returns a whole body of at most so many bytes. It charges memory to the budget as the bytes arrive, since many clients
// send no Content-Length. Without a refusal the caller must call done, which releases the body's memory.
func (b *bodies) read(r *http.Request, most int64) (body []byte, done func(), no *refusal) {
	tooLong := refuse(http.StatusRequestEntityTooLarge, "the body is longer than the %d bytes this server takes", most)
	switch {
	case r.ContentLength == 0 || r.Body == http.NoBody:
		return nil, func() {}, nil
	case r.ContentLength > most:
		return nil, nil, tooLong
	}
	buf := b.pool.Get().(*bytes.Buffer)
	buf.Reset()
	var size int64
	done = func() {
		b.held.Add(-size)
		if buf.Cap() <= maxPooledBytes {
			b.pool.Put(buf)
		}
	}
	for {
		n, err := io.CopyN(buf, r.Body, chunkBytes)
		size += n
		switch all := b.held.Add(n); {
		case size > most:
			no = tooLong
		case all > b.budget:
			no = refuse(http.StatusServiceUnavailable,
				"more than %d bytes of bodies are in flight; send fewer or smaller ones at a time", b.budget)
		case err == io.EOF:
			return buf.Bytes(), done, nil
		case err != nil:
			no = refuse(http.StatusBadRequest, "the body could not be read to its end: %v", err)
		}
		if no != nil {
			done()
			return nil, nil, no
		}
	}
}

// textLengthHeader is the header of an answer of /post with the sum of the lengths of the request's
// string values.
const textLengthHeader = "X-Lab-Text-Length"

// textLength is the sum of the lengths of all string values of a JSON document, at any depth,
// without the names of fields. A length is counted in UTF-16 units, as String.length() in Java and
// length in JavaScript count it. The document must be valid. textLength reads it once and allocates
// nothing, however deep it is nested.
func textLength(document []byte) (sum int) {
	for i := 0; i < len(document); i++ {
		if document[i] != '"' {
			continue
		}
		length, end := stringLength(document, i+1)
		if i = end; !isName(document[end+1:]) {
			sum += length
		}
	}
	return sum
}

// stringLength is the length of the string that begins at from, and where its closing quote is.
func stringLength(document []byte, from int) (length, end int) {
	for end = from; document[end] != '"'; {
		switch c := document[end]; {
		case c == '\\' && document[end+1] == 'u': // four hexadecimal digits: one unit
			length, end = length+1, end+6
		case c == '\\':
			length, end = length+1, end+2
		case c < utf8.RuneSelf:
			length, end = length+1, end+1
		default:
			r, size := utf8.DecodeRune(document[end:])
			length, end = length+utf16.RuneLen(r), end+size
		}
	}
	return length, end
}

// isName reports whether the string before rest is the name of a field: a colon follows it.
func isName(rest []byte) bool {
	for _, c := range rest {
		switch c {
		case ' ', '\t', '\n', '\r':
		default:
			return c == ':'
		}
	}
	return false
}

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
	body, done, no := s.bodies.read(r, maxCallBytes)
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
