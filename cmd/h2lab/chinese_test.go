package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
	"h2lab/internal/field/probe/document"
	"h2lab/internal/field/trace"
	"h2lab/internal/field/watch"
)

var updateChinese = flag.Bool("update-zh", false, "write the golden files of Chinese output")

var (
	digits = regexp.MustCompile(`\d+(?:[.,]\d+)*`)
	// pasted are lines of configurations and commands.
	pasted = regexp.MustCompile(`^(?:下一步：|next: |    )`)
)

func figuresOf(text string) []string {
	out := digits.FindAllString(text, -1)
	slices.Sort(out)
	return out
}

// sameIn compares what is printed in both languages: the numbers are the same, and no English is left.
func sameIn(t *testing.T, name, english, chinese string) {
	t.Helper()
	if diff := cmp.Diff(figuresOf(english), figuresOf(chinese)); diff != "" {
		t.Errorf("%s: other numbers in Chinese (-en +zh):\n%s\n%s\n%s", name, diff, english, chinese)
	}
	if strings.Contains(english+chinese, "%!") {
		t.Errorf("%s: a format without its argument:\n%s\n%s", name, english, chinese)
	}
	for line := range strings.Lines(chinese) {
		if found := labtest.English(strings.TrimSpace(line)); found != "" && !pasted.MatchString(line) {
			t.Errorf("%s: %q in %q", name, found, line)
		}
	}
}

func chineseGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "zh", name)
	if *updateChinese {
		labtest.Write(t, path, got)
	}
	// A bracket may stand at the beginning of a line within a label's text.
	for _, place := range labtest.Misset(strings.ReplaceAll(got, "\n             （", "（")) {
		t.Errorf("%s: %s", name, place)
	}
	if diff := cmp.Diff(labtest.Read(t, path), got); diff != "" {
		t.Errorf("%s (-want +got; -update-zh accepts it):\n%s", path, diff)
	}
}

func readJSON[T any](t *testing.T, path string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(labtest.Read(t, path)), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// hanging are the line ends within the text of a label.
var hanging = regexp.MustCompile(`\n {13}`)

func probed(t *testing.T, e facts.Endpoint, l texts.Language) string {
	t.Helper()
	d, err := document.New(e, document.Traffic{RPS: 900, InFlight: 50}, output.Question{URL: e.URL, Method: "GET"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := d.WriteText(&out, l); err != nil {
		t.Fatal(err)
	}
	return hanging.ReplaceAllString(out.String(), " ")
}

func TestProbeSpeaksChinese(t *testing.T) {
	t.Parallel()
	recorded, _ := filepath.Glob("../../internal/field/family/testdata/*.json")
	if len(recorded) < 40 {
		t.Fatalf("%d recorded endpoints", len(recorded))
	}
	for _, path := range recorded {
		e := readJSON[facts.Endpoint](t, path)
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		sameIn(t, name, probed(t, e, texts.English), probed(t, e, texts.Chinese))
		if slices.Contains([]string{"nginx-1.22-1000", "envoy-500", "node-destroy-300", "nginx-1000-h1"}, name) {
			d, _ := document.New(e, document.Traffic{}, output.Question{URL: e.URL, Method: "GET"})
			var out strings.Builder
			if err := d.WriteText(&out, texts.Chinese); err != nil {
				t.Fatal(err)
			}
			chineseGolden(t, "probe-"+name+".txt", out.String())
		}
	}
}

// endings are changes to a recorded endpoint, for the sentences that no recording has.
func endings() map[string]func(*facts.Endpoint) {
	seconds := func(v float64) *float64 { return &v }
	goaway := func(how string, frames ...facts.GoawayFrame) func(*facts.Endpoint) {
		return func(e *facts.Endpoint) {
			e.Ending = &facts.Ending{How: how, Goaways: frames, Closed: "rst", CloseMS: seconds(12)}
		}
	}
	life := func(s *float64, x *facts.Ending) *facts.Lifetime {
		return &facts.Lifetime{WatchedS: 60, Seconds: s, Ending: x}
	}
	one := &facts.Ending{How: facts.EndedByGoaway, Goaways: []facts.GoawayFrame{{LastStreamID: 1, Code: "NO_ERROR"}}}
	return map[string]func(*facts.Endpoint){
		"flood":   goaway(facts.EndedByError, facts.GoawayFrame{Code: "ENHANCE_YOUR_CALM", Debug: "too many. Stop; now", Answered: 4430}),
		"nghttp2": goaway(facts.EndedByError, facts.GoawayFrame{Code: "INTERNAL_ERROR", Answered: 1}),
		"error":   goaway(facts.EndedByError, facts.GoawayFrame{Code: "PROTOCOL_ERROR", Debug: "x", Answered: 5}),
		"bare":    goaway(facts.EndedByError), "future": goaway(facts.EndedByFutureID), "one": goaway(facts.EndedByGoaway),
		"ahead":  goaway(facts.EndedByFutureID, facts.GoawayFrame{LastStreamID: 799, Sent: 300}),
		"reset":  goaway(facts.EndedByReset),
		"closed": goaway(facts.EndedByClose),
		"fates": func(e *facts.Endpoint) {
			e.Crossing = &facts.Crossing{InFlight: facts.Fates{Sent: 10, Refused: 1, Reset: 2, Dropped: 3, Answered: 4},
				Covered: facts.Fates{Sent: 3, Reset: 3}, After: facts.Fates{Sent: 2, Refused: 2}}
		},
		"two stages, some lost": func(e *facts.Endpoint) {
			goaway(facts.EndedByTwoStages, facts.GoawayFrame{LastStreamID: 1<<31 - 1, Code: "NO_ERROR"})(e)
			e.Crossing = &facts.Crossing{InFlight: facts.Fates{Sent: 10, Answered: 4}}
		},
		"idle for long":        func(e *facts.Endpoint) { e.Idle = life(nil, nil) },
		"idle, the default":    func(e *facts.Endpoint) { e.Idle = life(seconds(75.2), one) },
		"idle, without GOAWAY": func(e *facts.Endpoint) { e.Idle = life(seconds(75.2), &facts.Ending{How: facts.EndedByClose}) },
		"light use":            func(e *facts.Endpoint) { e.Age = life(seconds(31), one) },
		"another header":       func(e *facts.Endpoint) { e.Server = "my app. It is; mine" },
		"a header of another":  func(e *facts.Endpoint) { e.Server = "envoy" },
		"unknown": func(e *facts.Endpoint) {
			e.Settings, e.Ending, e.Asked, e.Server = []facts.Setting{{Name: "SETTINGS_X", Value: 7}}, nil, nil, "Caddy"
		},
		"unknown key": func(e *facts.Endpoint) { e.TLS.Key, e.TLS.Verified = "", false },
		"out of time": func(e *facts.Endpoint) { e.Budget.Stopped = facts.NewNote("stop.time", "1m0s") },
		"weighs much": func(e *facts.Endpoint) {
			e.Budget.Stopped = facts.NewNote("stop.too-much", "h:1", 64, 9)
		},
		"one of three": func(e *facts.Endpoint) { e.Asked = e.Asked[:1] },
	}
}

func TestProbeSpeaksChineseOfEveryEnding(t *testing.T) {
	t.Parallel()
	for name, change := range endings() {
		for _, of := range []string{"nginx-1.22-1000", "nginx-1.30-none-met", "node-20", "grpc-go-age-2s"} {
			e := readJSON[facts.Endpoint](t, "../../internal/field/family/testdata/"+of+".json")
			if change(&e); e.Ending == nil {
				e.Crossing = nil
			}
			sameIn(t, name+" of "+of, probed(t, e, texts.English), probed(t, e, texts.Chinese))
		}
	}
}

// What is printed before the probe.
func TestTheAnnouncementIsChinese(t *testing.T) {
	t.Parallel()
	status, _, said := h2lab(t.Context(), "probe", "https://127.0.0.1:1/", "--lang", "zh", "--insecure", "--method", "POST")
	if status != 1 || !strings.HasPrefix(said, "h2lab: --insecure：没有验证证书，响应可能来自任何主机\n") ||
		!strings.Contains(said, "127.0.0.1:1 can't be reached") {
		t.Errorf("%d: %s", status, said)
	}
}

// tracing is a trace with each frame and each note.
func tracing() facts.FrameTrace {
	limit, asked := 1000, 2500
	note := facts.NewNote
	frames := []facts.Frame{
		{TMS: .2, Sent: true, Type: "TCP", Says: facts.T("trace.connected", "192.0.2.1:443")},
		{TMS: 3.4, Sent: true, Type: "TLS", Says: facts.T("trace.handshake-done", "TLS 1.3", "TLS_AES_128_GCM_SHA256", "h2")},
		{TMS: 3.5, Type: "SETTINGS", Length: 6, Detail: "MAX_CONCURRENT_STREAMS=128"},
		{TMS: 4, Type: facts.FrameGap, Says: facts.T("trace.walked", 997, 1993, "812")},
		{TMS: 820, Type: facts.FrameGap, Says: facts.T("trace.frames-skipped", 12)},
		{TMS: 821, Sent: true, Type: "HEADERS", StreamID: 1999, Length: 9, Flags: "END_STREAM|END_HEADERS",
			Detail: ":method GET :path /the/path/of/it", Note: note("note.request-at-limit", 1000)},
		{TMS: 821, Sent: true, Type: "HEADERS", StreamID: 2001, Length: 9, Note: note("note.dropped-above")},
		{TMS: 821, Sent: true, Type: "HEADERS", StreamID: 2003, Length: 9, Note: note("note.dropped-above")},
		{TMS: 822, Type: "HEADERS", StreamID: 1997, Length: 90, Flags: "END_HEADERS", Says: facts.T("trace.in-continuation")},
		{TMS: 822, Type: "HEADERS", StreamID: 1997, Length: 9, Flags: "END_STREAM|END_HEADERS", Says: facts.T("trace.trailers")},
		{TMS: 822, Type: "HEADERS", StreamID: 1999, Length: 9, Flags: "END_HEADERS", Says: facts.T("trace.undecodable")},
		{TMS: 822, Type: "DATA", StreamID: 1997, Length: 3000, Says: facts.T("trace.several-frames")},
		{TMS: 823, Type: "GOAWAY", Length: 8, Detail: `last_stream_id=1999 NO_ERROR debug="the same. An end"`,
			Note: note("note.goaway-limit", 1000, 1999)},
		{TMS: 823, Type: "TCP", Detail: "FIN", Note: note("note.close", "1.5")},
		{TMS: 830, Sent: true, Type: "TCP", Detail: "new connection",
			Says: facts.T("trace.new-connection", "TLS 1.3", "0.50", "4.25"), Note: note("note.handshake")},
		{TMS: 840, Sent: true, Type: "TCP", Says: facts.T("trace.closed-by-client")},
	}
	return facts.FrameTrace{SchemaVersion: 1, URL: "https://h.test/", Address: "192.0.2.1:443", TLS: "TLS 1.3", Limit: &limit,
		AskedUpTo: &asked, Warnings: []facts.Note{note("note.capture-lacks", 3),
			note("note.error", facts.T("family.several", facts.Join("join.semicolon",
				facts.T("family.group", facts.T("family.connections", 3), facts.T("family.requests", 100)),
				facts.T("family.group", facts.T("family.connections", 3), facts.T("family.requests", 1000)))))},
		Next: []string{"h2lab probe https://h.test/"},
		Renewal: facts.Renewal{Protocol: "h2", Frames: frames, Summary: facts.NewNote("note.summary", facts.Join("join.semicolon",
			facts.T("note.ended-at-limit", 1000, 1999, "NO_ERROR"),
			facts.T("note.dropped-many", 2, facts.Join("join.list", facts.Verbatim("2001"), facts.Verbatim("2003"))), facts.T("note.server-closed", "1.5"),
			facts.T("note.sent-again", 2001)))}}
}

func TestTraceSpeaksChinese(t *testing.T) {
	t.Parallel()
	traces := []facts.FrameTrace{tracing(), tracing(), tracing()}
	traces[1].LimitGiven = true
	traces[2].Limit, traces[2].Verified = nil, true
	for _, x := range traces {
		sameIn(t, "trace", trace.Text(x, texts.English), trace.Text(x, texts.Chinese))
	}
	chineseGolden(t, "trace-nginx.txt", trace.Text(tracing(), texts.Chinese))
}

// The lines of watch are translated whole: one that isn't has an English word before its first colon or at all.
func TestWatchSpeaksChinese(t *testing.T) {
	word := regexp.MustCompile(`(?:^|[ ：（(])([a-z]{4,})(?: |$)`)
	for name, c := range map[string]struct {
		accepts, requests int64
		want              string
	}{
		"wasted": {100, 1000, "告警：连接被浪费："}, "used": {1, 1000, "没有告警："}, "quiet": {0, 0, "没有新建连接。"},
		"below nginx's default": {100, 5000, "阈值就是 200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := counting(t, c.accepts, c.requests)
			_, said, errs := h2lab(t.Context(), "watch", h.URL+"/stub_status", "--every", "100ms", "--window", "200ms",
				"--for", "600ms", "--lang", "zh")
			if !strings.Contains(said, c.want) || strings.Contains(errs, "中文") {
				t.Errorf("%s\n%s", said, errs)
			}
			for line := range strings.Lines(said) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "修改：") || strings.HasPrefix(line, "下一步：") || strings.HasPrefix(line, "  ") {
					continue // reasons, commands and configuration lines
				}
				if m := word.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "http") &&
					!slices.Contains([]string{"logs", "nginx"}, m[1]) {
					t.Errorf("%q has %q", line, m[1])
				}
			}
		})
	}
}

// What watch can say besides: every form is translated.
func TestTheCausesOfWatchAreChinese(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, s := range []watch.Summary{
		{Cause: watch.ByLimit, AtLimit: n(7)}, {Cause: watch.ByAge, AtAge: n(7)}, {Cause: watch.ByBoth, AtLimit: n(1), AtAge: n(2)},
		{Cause: watch.ByIdle, Idle: n(3)}, {Cause: watch.NotServer}, {Cause: watch.Unknown},
	} {
		s.Next = texts.Sentence(facts.Verbatim("h2lab logs access.log"))
		s.Alarms, s.Restarts, s.GoneFor, s.Requests, s.New = 2, 1, 3, 100, 50
		s.Worst = &watch.Evidence{New: 50, Requests: 100, Seconds: 5}
		var out bytes.Buffer
		print := watch.Text(&out, watch.Rule{}, texts.Chinese)
		if err := print(watch.Event{Kind: watch.Over, Summary: &s}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if line != "\n" && !regexp.MustCompile(`\p{Han}`).MatchString(line) {
				t.Errorf("%s: %q isn't translated", s.Cause, line)
			}
		}
	}
}
