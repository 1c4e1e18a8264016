package trace

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

var update = flag.Bool("update", false, "write the golden files")

// recorded is a renewal of a committed run, as h2lab trace would show it.
func recorded(t testing.TB, run, topology string) facts.FrameTrace {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../../testdata/recorded", run, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc facts.Result
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	limit, asked := 1000, 1000
	for _, r := range doc.Renewals {
		if r.Topology == topology {
			return facts.FrameTrace{SchemaVersion: 1, URL: "https://localhost:18101/lab/health?a=b",
				Address: "127.0.0.1:18101", Method: "GET",
				Began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), TLS: "TLS 1.3", Verified: true, Limit: &limit,
				AskedUpTo: &asked, Renewal: r,
				Heads: []facts.Head{{Connection: 1, Stream: 1999,
					Fields: []facts.HField{{Name: "content-type", Value: "text/plain"},
						{Name: "location", Value: "/x"}}}},
				Next: []string{"h2lab probe https://localhost:18101/lab/health"}}
		}
	}
	t.Fatalf("%s has no renewal of %s", run, topology)
	return facts.FrameTrace{}
}

func words(s string) facts.Note { return facts.Note(facts.Verbatim(s)) }

// synthetic has the cases that the recorded traces lack.
func synthetic() facts.FrameTrace {
	limit := 3
	return facts.FrameTrace{SchemaVersion: 1, URL: "https://h.test/", Address: "192.0.2.1:443", Method: "POST",
		TLS: "TLS 1.3", Limit: &limit, LimitGiven: true,
		Warnings: []facts.Note{words("a thing")}, Renewal: facts.Renewal{Protocol: "h2", Summary: words("What was seen."),
			Frames: []facts.Frame{
				{TMS: 0.2, Sent: true, Type: "TCP", Detail: "connected to 192.0.2.1:443"},
				{TMS: 3.4, Sent: true, Type: "TLS", Detail: "handshake done: TLS 1.3 TLS_AES_128_GCM_SHA256, ALPN h2"},
				{TMS: 3.5, Sent: true, Type: "SETTINGS", Length: 6, Detail: "ENABLE_PUSH=0"},
				{TMS: 3.6, Sent: true, Type: "HEADERS", StreamID: 1, Length: 40, Flags: "END_HEADERS",
					Detail: ":method POST :path /"},
				{TMS: 3.6, Sent: true, Type: "DATA", StreamID: 1, Length: 5, Flags: "END_STREAM"},
				{TMS: 5, Type: "SETTINGS", Length: 6, Detail: "MAX_CONCURRENT_STREAMS=100"},
				{TMS: 6, Type: "RST_STREAM", StreamID: 1, Length: 4, Detail: "REFUSED_STREAM",
					Note: words("refused: safe to send again")},
				{TMS: 7, Type: facts.FrameGap, Detail: "1 request"},
				{TMS: 8, Sent: true, Type: "HEADERS", StreamID: 3, Length: 9, Flags: "END_HEADERS",
					Detail: ":method POST :path /"},
				{TMS: 9, Type: "RST_STREAM", StreamID: 3, Length: 4, Detail: "CANCEL"},
				{TMS: 9, Sent: true, Type: "HEADERS", StreamID: 5, Length: 9, Flags: "END_STREAM|END_HEADERS",
					Detail: ":method POST :path /"},
				{TMS: 10, Type: "HEADERS", StreamID: 5, Length: 9, Flags: "END_HEADERS", Detail: ":status 103"},
				{TMS: 11, Type: "HEADERS", StreamID: 5, Length: 9, Flags: "END_HEADERS", Detail: ":status 200"},
				{TMS: 12, Type: "GOAWAY", Length: 12,
					Detail: `last_stream_id=5 ENHANCE_YOUR_CALM debug="to\x1b[31mo \"many\""`},
				{TMS: 13, Type: "TCP", Detail: "RST"},
				{TMS: 20, Sent: true, Type: "TCP", Detail: "new connection, TLS 1.3, TCP in 0.50 ms, TLS in 4.25 ms"},
				{TMS: 20.1, Sent: true, Type: "HEADERS", StreamID: 1, Length: 9, Flags: "END_STREAM|END_HEADERS",
					Detail: ":method POST :path /"},
				{TMS: 21, Type: "HEADERS", StreamID: 1, Length: 9, Flags: "END_STREAM|END_HEADERS",
					Detail: ":status 204"},
			}}}
}

// one is a connection of HTTP/1.1.
func one() facts.FrameTrace {
	return facts.FrameTrace{SchemaVersion: 1, URL: "https://h.test/", TLS: "TLS 1.3", Verified: true,
		Renewal: facts.Renewal{Protocol: "h1", Frames: []facts.Frame{
			{TMS: 1, Sent: true, Type: facts.FrameRequest, StreamID: 1, Length: 80, Detail: "GET /"},
			{TMS: 2, Type: facts.FrameResponse, StreamID: 1, Length: 3, Detail: "404 Not Found, Connection: close"},
			{TMS: 3, Type: "TLS", Detail: "close_notify"}}}}
}

func TestTracesAreDrawnAsTheyWere(t *testing.T) {
	for name, line := range map[string]facts.FrameTrace{
		"nginx": recorded(t, "repro", "nginx-1000"), "envoy": recorded(t, "clients", "envoy-1000"),
		"synthetic": synthetic(), "http1": one(),
	} {
		har, err := HAR(line)
		if err != nil {
			t.Fatal(name, err)
		}
		golden(t, name+".txt", []byte(Text(line, texts.English)))
		golden(t, name+".har", har)
	}
}

// A heading claims no limit that the probe did not find.
func TestTheHeadingSaysWhatTheProbeFound(t *testing.T) {
	limit := 60
	for want, line := range map[string]facts.FrameTrace{
		"limit: no single one; this trace goes to 60": {Limit: &limit, LimitVaries: true},
		"limit: 60 requests on one connection, found": {Limit: &limit},
		"limit: 1 request on one connection, found":   {Limit: new(1)},
	} {
		if got := Text(line, texts.English); !strings.Contains(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	labtest.Golden(t, name, got, *update)
}

// schemas are those of testdata, by their files' names.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	all := map[string]*jsonschema.Schema{}
	for _, name := range []string{"har-1.2.schema.json"} {
		all[name] = jsonschema.NewCompiler().MustCompile(filepath.Join("testdata", name))
	}
	return all
})

// fits validates a document against a schema of testdata.
func fits(t testing.TB, schema string, doc []byte) error {
	t.Helper()
	s := schemas()[schema]
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(doc)))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestHARIsOfVersion12(t *testing.T) {
	for _, line := range []facts.FrameTrace{recorded(t, "repro", "nginx-1000"), recorded(t, "clients", "envoy-1000"),
		synthetic(), one(), {}} {
		b, err := HAR(line)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(t, "har-1.2.schema.json", b); err != nil {
			t.Errorf("%s: %v", line.Renewal.Topology, err)
		}
	}
	for name, bad := range map[string]string{
		"no entries":   `{"log":{"version":"1.2","creator":{"name":"x","version":"1"}}}`,
		"a stray name": `{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[],"goaway":1}}`,
	} {
		if fits(t, "har-1.2.schema.json", []byte(bad)) == nil {
			t.Errorf("%s passes: the schema sees nothing", name)
		}
	}
}

func TestWhatAServerWroteCantMoveTheCursor(t *testing.T) {
	line := synthetic()
	for i := range line.Renewal.Frames {
		line.Renewal.Frames[i].Detail += "\x1b[2J\r\n\u009b31m\xff"
		line.Renewal.Frames[i].Note = words("\x1b[2J")
	}
	plain(t, Text(line, texts.English))
}

// plain fails on control characters.
func plain(t testing.TB, text string) {
	t.Helper()
	for _, r := range text {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 {
			t.Fatalf("control character %U in %q", r, text)
		}
	}
}

func FuzzFramesAreDrawn(f *testing.F) {
	for _, line := range []facts.FrameTrace{synthetic(), one()} {
		for _, x := range line.Renewal.Frames {
			f.Add(x.Type, x.Flags, x.Detail, texts.English.Note(x.Note), x.TMS, x.Sent, x.StreamID, x.Length)
		}
	}
	f.Add("GOAWAY", "", `last_stream_id=99999999999 X debug="`, "", -1.0, false, uint32(0), -5)
	f.Add("TCP", "", "new connection, TCP in 1e99 ms, TLS in -3 ms", "", 1e300, true, uint32(0), 0)
	f.Fuzz(func(t *testing.T, typ, flags, detail, note string, at float64, sent bool, stream uint32, length int) {
		if at != at || at > 1e300 || at < -1e300 {
			t.Skip("a clock gives numbers")
		}
		x := facts.Frame{Type: typ, Flags: flags, Detail: detail, Note: words(note), TMS: at, Sent: sent,
			StreamID: stream, Length: length}
		line := facts.FrameTrace{URL: "https://" + detail, Renewal: facts.Renewal{Protocol: note,
			Summary: words(note), Frames: []facts.Frame{
				x, {Sent: true, Type: "HEADERS", StreamID: stream, Detail: ":method GET :path /"}, x, x}}}
		plain(t, Text(line, texts.English))
		h, err := HAR(line)
		if err == nil {
			err = fits(t, "har-1.2.schema.json", h)
		}
		if err != nil {
			t.Errorf("har: %v", err)
		}
	})
}
