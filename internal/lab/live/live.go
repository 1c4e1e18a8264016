// Package live shows a run while it lasts: the measuring process writes a journal, and a page on
// 127.0.0.1 follows it. The package replays a recorded run through the same events, on a machine
// that can't run the load.
//
// The journal is a file of JSON lines beside the runs (results/live.ndjson), so the page works
// natively and in Docker and may be opened at any time. It can't disturb the run, which never waits
// for a reader and continues when the journal can't be written.
//
// While servers run without a measurement (make up), Watch writes their counters to the same journal, so
// that a learner sees the load of any program on them.
//
// The package makes no judgements. Counts are the server's own, as in the timeline; what only the
// client counts (failures, goodput) appears when its window has closed.
package live

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/text/language"

	"h2lab/internal/base/counters"
	"h2lab/internal/base/loopback"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

//go:embed live.html live.css live.js zh.json
var files embed.FS

// watchers bounds how many pages follow at once.
const watchers = 64

// Serve serves a feed on l until ctx ends. report is the run's finished page, or nil. The page is in English, or in the
// other language that w has. Serve refuses pages of other origins (loopback.Only).
func Serve(ctx context.Context, l net.Listener, feed Feed, report func() []byte, w Words) error {
	english, err := assemble(Words{})
	if err != nil {
		return err
	}
	other, err := assemble(w)
	if err != nil {
		return err
	}
	room := make(chan struct{}, watchers)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(out http.ResponseWriter, r *http.Request) {
		if w.wanted(r) {
			other.write(out)
			return
		}
		english.write(out)
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
			stream(w, r, feed)
		default:
			http.Error(w, fmt.Sprintf("%d pages already follow the run: close one", watchers), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /report.html", func(w http.ResponseWriter, _ *http.Request) {
		page := report()
		if page == nil {
			http.Error(w, "there is no report yet: it is drawn when the run has ended", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(page)
	})
	s := &http.Server{Handler: loopback.Only(unsniffed(mux)), ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// unsniffed makes a browser use the Content-Type header, whatever the content is.
func unsniffed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// stream sends the feed as server-sent events (WHATWG HTML §9.2), a line an event.
func stream(w http.ResponseWriter, r *http.Request, feed Feed) {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	// A browser connects again by itself; it then gets every event again, and the page restarts at
	// the run's first event.
	fmt.Fprint(w, "retry: 1000\n\n")
	_ = out.Flush()
	_ = feed(r.Context(), func(line []byte) error {
		_ = out.SetWriteDeadline(time.Now().Add(5 * time.Second)) // for a page whose browser has stopped reading
		if _, err := fmt.Fprintf(w, "data: %s\n\n", line); err != nil {
			return err
		}
		return out.Flush()
	})
}

// document is the page and its Content-Security-Policy.
type document struct {
	body   []byte
	policy string
}

// Words are the page's texts in another language than English.
type Words struct {
	Lang string            // as HTML's lang attribute
	Of   map[string]string // by English text
	// Always is set where the user has chosen the language; otherwise the browser does.
	Always bool
}

// Chinese are the page's texts in Chinese; always is set where the user has chosen it.
func Chinese(always bool) Words {
	w := Words{Lang: string(texts.Chinese), Always: always}
	b, err := files.ReadFile("zh.json")
	if err == nil {
		err = json.Unmarshal(b, &w.Of)
	}
	if err != nil {
		panic(err) // embedded, and a test reads it
	}
	return w
}

// wanted reports whether a browser gets the page in this language (RFC 9110, section 12.5.4).
func (w Words) wanted(r *http.Request) bool {
	if w.Lang == "" || w.Always {
		return w.Always
	}
	matcher := language.NewMatcher([]language.Tag{language.English, language.Make(w.Lang)})
	asked, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return false
	}
	_, index, _ := matcher.Match(asked...)
	return index == 1
}

// say returns a text of the page in the language.
func (w Words) say(english string) string { return cmp.Or(w.Of[english], english) }

// assemble puts style, script and words into the page, so that it needs no other file.
func assemble(w Words) (*document, error) {
	css, err := files.ReadFile("live.css")
	if err != nil {
		return nil, err
	}
	js, err := files.ReadFile("live.js")
	if err != nil {
		return nil, err
	}
	t, err := template.New("live.html").Funcs(template.FuncMap{"say": w.say}).ParseFS(files, "live.html")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	of := w.Of
	if of == nil {
		of = map[string]string{}
	}
	if err := t.Execute(&b, map[string]any{"Lang": cmp.Or(w.Lang, "en"), "Words": of, "CSS": template.CSS(css),
		"JS": template.JS(js), "Panels": []string{"A", "B"}}); err != nil {
		return nil, err
	}
	return &document{b.Bytes(), fmt.Sprintf(
		"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; "+
			"style-src '%s'; script-src '%s'",
		digest(css), digest(js))}, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (d *document) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", d.policy)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept-Language")
	_, _ = w.Write(d.body)
}

// Up is the command in the journal of servers that run without a measurement.
const Up = "up"

const (
	// watchPace is the interval of readings: often enough for a storm of a second.
	watchPace = 200 * time.Millisecond
	// watchBeat is how often Watch looks which servers run, and writes one that nobody calls, so that the
	// page's clock advances and the journal stays small.
	watchBeat = 2 * time.Second
	readingIn = time.Second
)

// Front is a server that clients call, its name on the page, and its limit on the requests of a
// connection; 0 is none.
type Front struct {
	Name   string
	Server facts.Server
	Limit  int
}

// Watch writes the counters of servers that run without a measurement to the journal, until ctx ends.
// fronts returns them; none while there are none.
func Watch(ctx context.Context, root, dir string, fronts func() []Front) {
	w := &watch{root: root, dir: dir}
	defer w.end()
	tick := time.NewTicker(watchPace)
	defer tick.Stop()
	for looked := (time.Time{}); ctx.Err() == nil; {
		if time.Since(looked) >= watchBeat {
			looked = time.Now()
			w.look(fronts())
		}
		w.read(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// watch is one set of servers that is watched.
type watch struct {
	root, dir string
	asked     []Front
	fronts    []*watched // those of them whose counters can be read
	journal   *Journal
}

// watched is one server and its newest reading.
type watched struct {
	Front
	source  counters.Source
	last    facts.Observation
	written time.Time
}

// look starts anew where other servers run than before.
func (w *watch) look(now []Front) {
	same := slices.EqualFunc(w.asked, now, func(a, b Front) bool {
		return a.Name == b.Name && a.Server.Front == b.Server.Front && a.Limit == b.Limit
	})
	if same {
		return
	}
	w.end()
	if w.asked = now; len(now) > 0 {
		w.begin(now)
	}
}

// begin opens the counters of servers and starts their journal.
func (w *watch) begin(fronts []Front) {
	_ = os.MkdirAll(w.dir, 0o755) // before the first run there is none
	w.journal = Begin(w.dir, facts.Run{Command: Up})
	for _, f := range fronts {
		source, err := counters.Open(w.root, f.Server)
		if err != nil {
			continue // its logs can't be read
		}
		w.fronts = append(w.fronts, &watched{Front: f, source: source})
		w.journal.Front(f)
	}
}

// read reads each server once and writes what has changed. A server that doesn't answer, because it is
// just being reloaded or stopped, is left out.
func (w *watch) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, readingIn)
	defer cancel()
	for _, f := range w.fronts {
		o, err := f.source.Observe(ctx)
		if err != nil {
			continue
		}
		if moved(f.last, o) || o.At.Sub(f.written) >= watchBeat {
			w.journal.Reading(f.Name, o)
			f.written = o.At
		}
		f.last = o
	}
}

func moved(a, b facts.Observation) bool {
	differ := func(x, y *int64) bool { return (x == nil) != (y == nil) || x != nil && *x != *y }
	return differ(a.Accepted, b.Accepted) || differ(a.Requests, b.Requests)
}

// end closes the counters and the journal.
func (w *watch) end() {
	for _, f := range w.fronts {
		f.source.Close()
	}
	if w.journal != nil {
		w.journal.End(false)
	}
	w.fronts, w.journal = nil, nil
}

// pace is the interval for reading the journal: ten times a second, as fast as a person can follow.
const pace = 100 * time.Millisecond

// longestLine bounds how much of an unfinished line is kept.
const longestLine = 1 << 16

// Feed passes the lines of a run to send, old ones first, until ctx ends or send fails.
type Feed func(ctx context.Context, send func(line []byte) error) error

// Follow is the feed of a journal: its lines so far, and new ones. A new run replaces the file, and
// Follow then reads it from the start.
func Follow(path string) Feed {
	return func(ctx context.Context, send func([]byte) error) error {
		t := &tail{path: path}
		defer t.close()
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for {
			if err := t.read(send); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-tick.C:
			}
		}
	}
}

// tail is the position up to which a journal has been read.
type tail struct {
	path string
	file *os.File
	rest []byte // an unfinished line
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close()
	}
	t.file, t.rest = nil, nil
}

// read sends the complete lines that were added.
func (t *tail) read(send func([]byte) error) error {
	if err := t.newest(); err != nil || t.file == nil {
		return err
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := t.file.Read(buf)
		t.rest = append(t.rest, buf[:n]...)
		for {
			line, rest, whole := bytes.Cut(t.rest, []byte("\n"))
			if !whole {
				break
			}
			t.rest = rest
			event, known := parsed(line)
			if !known {
				continue
			}
			if err := send(event); err != nil {
				return err
			}
		}
		if len(t.rest) > longestLine {
			t.rest = nil
		}
		if errors.Is(err, io.EOF) || n == 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// newest opens the journal, and opens it again when a new run has replaced it. A missing journal is
// not an error: no run has begun yet.
func (t *tail) newest() error {
	there, err := os.Lstat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		t.close()
		return nil
	}
	if err != nil {
		return err
	}
	if !there.Mode().IsRegular() { // opening a pipe would block, and a link would be followed
		return fmt.Errorf("%s is not a regular file written by h2lab: move it away (mv %s %s.old)",
			t.path, t.path, t.path)
	}
	if t.file != nil {
		if mine, err := t.file.Stat(); err == nil && os.SameFile(mine, there) {
			return nil
		}
		t.close()
	}
	t.file, err = os.OpenFile(t.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return err
}

// parsed returns a line as a journal event. It skips a line that is no event and writes an event
// anew, since a CR within it would begin another line of the event stream (WHATWG HTML §9.2.6).
func parsed(line []byte) ([]byte, bool) {
	var e Event
	if json.Unmarshal(line, &e) != nil || !slices.Contains(kinds, e.Kind) {
		return nil, false
	}
	again, err := json.Marshal(e)
	return again, err == nil
}
