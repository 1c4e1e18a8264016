package intake

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/rooted"
	"h2lab/internal/base/text"
)

// Kind is what a file holds.
type Kind struct {
	What string // "a packet capture"
	Log  bool   // lines of text, among which a collector may have mixed others
	next string // the line that reads it, with the file in the place of FILE
	// A file is of the kind that begins with one of the marks, or that has the shape; a server writes such lines about
	// itself, and a container's output has them beside its access log, so most lines must be of that shape.
	marks []string
	shape *regexp.Regexp
	most  bool
	// sealed is what is no text to read until tshark opens it: packets, and the secrets for them.
	sealed bool
}

// Next is the command that reads a file of this kind.
func (k Kind) Next(file string) string {
	if k.next == "" {
		return Log(text.ShellWord(file))
	}
	return strings.ReplaceAll(k.next, "FILE", text.ShellWord(file))
}

// Log is the command that reads a log of errors or frames.
func Log(file string) string { return "h2lab decode " + file }

// HeadSize is how much of a file's beginning Of examines.
const HeadSize = 1 << 14

// OfFile is Of for a file; an error says why it can't be read.
func OfFile(name string) (Kind, bool, error) {
	f, err := rooted.OpenLog(name)
	if err != nil {
		return Kind{}, false, err
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, HeadSize))
	if err != nil {
		return Kind{}, false, err
	}
	k, known := Of(head)
	return k, known, nil
}

// Of tells what a file holds by its beginning.
func Of(head []byte) (Kind, bool) {
	head = head[:min(len(head), HeadSize)]
	i := slices.IndexFunc(kinds, func(k Kind) bool {
		switch {
		case k.shape == nil:
			return slices.ContainsFunc(k.marks, func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) })
		case k.most:
			return 2*len(k.shape.FindAll(head, -1)) > bytes.Count(head, []byte("\n"))
		}
		return k.shape.Match(head)
	})
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// Sealed is Of for what is no text to read until tshark opens it.
func Sealed(head []byte) (Kind, bool) {
	k, known := Of(head)
	return k, known && k.sealed
}

// kinds are packets (libpcap's files, in either byte order and resolution of time, and pcapng's), NSS's key log, documents,
// and logs that have frames or the steps of a connection, by the shape of their lines.
var kinds = []Kind{
	{What: "a packet capture", sealed: true,
		next:  "tshark -r FILE -o tls.keylog_file:KEYS -Y http2   # KEYS: the client's TLS secrets (SSLKEYLOGFILE), unless it holds them",
		marks: []string{"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x0a\x0d\x0d\x0a"}},
	{What: "a log of TLS secrets, without packets", sealed: true,
		next: "tshark -r CAPTURE -o tls.keylog_file:FILE -Y http2   # CAPTURE: the packets of the same connections",
		shape: regexp.MustCompile(
			`(?m)^(CLIENT_RANDOM|(CLIENT|SERVER)_(HANDSHAKE_)?TRAFFIC_SECRET(_\d)?|EXPORTER_SECRET) [0-9a-f]{64} [0-9a-f]+`)},
	{What: "what h2lab trace wrote", next: "jq -r .renewal.summary FILE",
		shape: regexp.MustCompile(`(?s)^\s*\{\s*"schema_version".*"limit_given"`)},
	{What: "an archive of requests (HAR)", shape: regexp.MustCompile(`(?s)^\s*\{\s*"log"\s*:\s*\{.*"(creator|entries|pages)"`)},
	{What: "what curl -v or --trace prints", Log: true, shape: regexp.MustCompile(
		`(?m)^([\d:.]+ |\[\d+-\d+\] )*(\*|== Info:) (  Trying |Connected to |ALPN|\[HTTP/2\]|h2h3 )`)},
	{What: "what nghttp -v prints", Log: true, shape: regexp.MustCompile(
		`(?m)^\S*\[ *[\d.]+\]\S* \S*(recv|send)\S* \S*\w+ frame <length=`)},
	{What: "what h2load prints", Log: true, shape: regexp.MustCompile(
		`(?m)^starting benchmark\.\.\.$`)},
	{What: "a log of Go's HTTP/2 (GODEBUG=http2debug)", Log: true, shape: regexp.MustCompile(
		`(?m)^\S+ \S+ http2: (Transport|Framer|server) `)},
	{What: "a log of Node's HTTP/2 (NODE_DEBUG=http2)", Log: true, shape: regexp.MustCompile(
		`(?m)^HTTP2 \d+: `)},
	{What: "a log of the JDK's HTTP client", Log: true, shape: regexp.MustCompile(
		`jdk\.internal\.net\.http\.|jdk\.httpclient\.HttpClient`)},
	{What: "a log of OkHttp's frames", Log: true, shape: regexp.MustCompile(
		`okhttp3\.internal\.http2|(?m)^FINE: (<<|>>) 0x[0-9a-f]{8} `)},
	{What: "a log of Netty's frames", Log: true, shape: regexp.MustCompile(
		`\b(INBOUND|OUTBOUND) (SETTINGS|HEADERS|DATA|GO_AWAY|PING|RST_STREAM|WINDOW_UPDATE): `)},
	{What: "a log of gRPC's transport", Log: true, shape: regexp.MustCompile(
		`chttp2_transport\.cc|\[transport\] \[(client|server)-transport 0x`)},
	{What: "a log of Rust's h2", Log: true, shape: regexp.MustCompile(
		`\bh2::(codec|proto|client|server|frame|hpack)\b`)},
	{What: "a log of httpcore or Python's h2", Log: true, shape: regexp.MustCompile(
		`\bhttpcore\.(connection|http2|http11)\b|\bhpack\.hpack\b`)},
	{What: "what tshark prints of a capture", Log: true, shape: regexp.MustCompile(
		`(?m)^Frame \d+: \d+ bytes on wire|^ *\d+ +[\d.]+ +\S+ (→|->) \S+ +(HTTP2|TLS|TCP)`)},
	{What: "nginx's error log", Log: true, most: true, shape: regexp.MustCompile(
		`(?m)^\d{4}/\d\d/\d\d [\d:]+ \[(debug|info|notice|warn|error|crit|alert|emerg)\] \d+#\d+: `)},
	{What: "Apache httpd's error log", Log: true, most: true, shape: regexp.MustCompile(
		`(?m)^\[[A-Z][^\]]+\] \[\w+:(trace\d|debug|info|notice|warn|error|crit|alert|emerg)\] \[pid \d+`)},
	{What: "Envoy's application log", Log: true, most: true, shape: regexp.MustCompile(
		`(?m)^\[\d{4}-\d\d-\d\d [\d:.]+\]\[\d+\]\[(trace|debug|info|warning|error|critical)\]\[\w+\] `)},
}
