package intake

import (
	"bytes"
	"encoding/binary"
	"io"
	"regexp"

	"h2lab/internal/base/rooted"
	"h2lab/internal/base/text"
)

// Kind is what a file holds.
type Kind struct {
	What string                   // "a packet capture"
	Log  bool                     // lines of text, among which a collector may have mixed others
	next func(file string) string // the line that reads it
}

// Next is the command that reads a file of this kind.
func (k Kind) Next(file string) string { return k.next(text.ShellWord(file)) }

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

// Sealed recognises what is no text to read until tshark opens it: packets, and the secrets for them.
func Sealed(head []byte) (Kind, bool) {
	head = head[:min(len(head), HeadSize)]
	switch {
	case packets(head):
		if opens(head) {
			return Kind{What: "a packet capture that holds its TLS secrets", next: func(f string) string {
				return "tshark -r " + f + " -Y http2"
			}}, true
		}
		return Kind{What: "a packet capture", next: func(f string) string {
			return "tshark -r " + f + " -o tls.keylog_file:KEYS -Y http2   # KEYS: the client's TLS secrets (SSLKEYLOGFILE)"
		}}, true
	case secrets.Match(head):
		return Kind{What: "a log of TLS secrets, without packets", next: func(f string) string {
			return "tshark -r CAPTURE -o tls.keylog_file:" + f + " -Y http2   # CAPTURE: the packets of the same connections"
		}}, true
	}
	return Kind{}, false
}

// Of tells what a file holds by its beginning.
func Of(head []byte) (Kind, bool) {
	if k, sealed := Sealed(head); sealed {
		return k, true
	}
	head = head[:min(len(head), HeadSize)]
	switch {
	case ours.Match(head):
		return Kind{What: "what h2lab trace wrote", next: func(f string) string { return "jq -r .renewal.summary " + f }}, true
	case archive.Match(head):
		return Kind{What: "an archive of requests (HAR)", next: Log}, true
	}
	for _, w := range writers {
		if w.shape.Match(head) {
			return Kind{What: w.what, Log: true, next: Log}, true
		}
	}
	for _, w := range servers {
		if lines := bytes.Count(head, []byte("\n")); 2*len(w.shape.FindAll(head, -1)) > lines {
			return Kind{What: w.what, Log: true, next: Log}, true
		}
	}
	return Kind{}, false
}

// Log is the command that reads a log of errors or frames.
func Log(file string) string { return "h2lab decode " + file }

// packets recognises libpcap's files, in either byte order and resolution of time, and pcapng's.
func packets(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	switch binary.LittleEndian.Uint32(head) {
	case 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1, pcapng:
		return true
	}
	return false
}

// The types of pcapng's blocks (draft-ietf-opsawg-pcapng, sections 4.1 and 4.7).
const (
	pcapng     = 0x0a0d0d0a
	decryption = 0x0000000a
)

// opens reports whether pcapng's first blocks hold TLS secrets; editcap puts them before the packets.
func opens(head []byte) bool {
	if len(head) < 12 || binary.LittleEndian.Uint32(head) != pcapng {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.Equal(head[8:12], []byte{0x1a, 0x2b, 0x3c, 0x4d}) {
		order = binary.BigEndian
	}
	for len(head) >= 8 {
		kind, size := order.Uint32(head), order.Uint32(head[4:])
		if kind == decryption {
			return true
		}
		if size < 12 || uint64(size) > uint64(len(head)) {
			return false
		}
		head = head[size:]
	}
	return false
}

// secrets is a line of NSS's key log.
var secrets = regexp.MustCompile(`(?m)^(CLIENT_RANDOM|(CLIENT|SERVER)_(HANDSHAKE_)?TRAFFIC_SECRET(_\d)?|EXPORTER_SECRET) [0-9a-f]{64} [0-9a-f]+`)

// archive is the beginning of an HTTP archive.
var archive = regexp.MustCompile(`(?s)^\s*\{\s*"log"\s*:\s*\{.*"(creator|entries|pages)"`)

// ours is the beginning of a trace in JSON.
var ours = regexp.MustCompile(`(?s)^\s*\{\s*"schema_version".*"limit_given"`)

// writers are the programs whose logs have frames, or the steps of a connection, by the shape of their lines.
var writers = []struct {
	what  string
	shape *regexp.Regexp
}{
	{"what curl -v or --trace prints", regexp.MustCompile(`(?m)^([\d:.]+ |\[\d+-\d+\] )*(\*|== Info:) (  Trying |Connected to |ALPN|\[HTTP/2\]|h2h3 )`)},
	{"what nghttp -v prints", regexp.MustCompile(`(?m)^\S*\[ *[\d.]+\]\S* \S*(recv|send)\S* \S*\w+ frame <length=`)},
	{"what h2load prints", regexp.MustCompile(`(?m)^starting benchmark\.\.\.$`)},
	{"a log of Go's HTTP/2 (GODEBUG=http2debug)", regexp.MustCompile(`(?m)^\S+ \S+ http2: (Transport|Framer|server) `)},
	{"a log of Node's HTTP/2 (NODE_DEBUG=http2)", regexp.MustCompile(`(?m)^HTTP2 \d+: `)},
	{"a log of the JDK's HTTP client", regexp.MustCompile(`jdk\.internal\.net\.http\.|jdk\.httpclient\.HttpClient`)},
	{"a log of OkHttp's frames", regexp.MustCompile(`okhttp3\.internal\.http2|(?m)^FINE: (<<|>>) 0x[0-9a-f]{8} `)},
	{"a log of Netty's frames", regexp.MustCompile(`\b(INBOUND|OUTBOUND) (SETTINGS|HEADERS|DATA|GO_AWAY|PING|RST_STREAM|WINDOW_UPDATE): `)},
	{"a log of gRPC's transport", regexp.MustCompile(`chttp2_transport\.cc|\[transport\] \[(client|server)-transport 0x`)},
	{"a log of Rust's h2", regexp.MustCompile(`\bh2::(codec|proto|client|server|frame|hpack)\b`)},
	{"a log of httpcore or Python's h2", regexp.MustCompile(`\bhttpcore\.(connection|http2|http11)\b|\bhpack\.hpack\b`)},
	{"what tshark prints of a capture", regexp.MustCompile(`(?m)^Frame \d+: \d+ bytes on wire|^ *\d+ +[\d.]+ +\S+ (→|->) \S+ +(HTTP2|TLS|TCP)`)},
}

// servers write such lines about themselves; a container's output has them beside its access log, so most lines must
// be of that shape.
var servers = []struct {
	what  string
	shape *regexp.Regexp
}{
	{"nginx's error log", regexp.MustCompile(`(?m)^\d{4}/\d\d/\d\d [\d:]+ \[(debug|info|notice|warn|error|crit|alert|emerg)\] \d+#\d+: `)},
	{"Apache httpd's error log", regexp.MustCompile(`(?m)^\[[A-Z][^\]]+\] \[\w+:(trace\d|debug|info|notice|warn|error|crit|alert|emerg)\] \[pid \d+`)},
	{"Envoy's application log", regexp.MustCompile(`(?m)^\[\d{4}-\d\d-\d\d [\d:.]+\]\[\d+\]\[(trace|debug|info|warning|error|critical)\]\[\w+\] `)},
}
