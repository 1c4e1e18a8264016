package counters

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/base/kinds"
	"h2lab/internal/facts"
)

// source reads a server's counters as its kind describes them, over its own connection, and the logs that nginx writes
// for the lab. A shared http.Client could reuse or close a connection that the source doesn't count.
type source struct {
	server facts.Server
	says   kinds.Counters
	url    string
	own    *own
	client *http.Client
	body   bytes.Buffer // reused by every reading
	used   *tail        // of first requests, one line for each used connection; nil when there is none
	uses   int64
	marked *tail // of every hundredth request of a connection; nil when there is none
	marks  map[string]int64
}

func newSource(s facts.Server, path string, o *own) *source {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil {
			o.dials.Add(1)
		}
		return c, err
	}
	return &source{server: s, says: kinds.Of(s.Kind).Counters, url: "http://" + s.Counters + path, own: o,
		client: &http.Client{Timeout: readTimeout, Transport: &http.Transport{MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1,
			DisableCompression: true, DialContext: dial}},
		marks: map[string]int64{}}
}

// get reads the counters into the body buffer. The caller holds own's lock until it has subtracted
// dials and reads.
func (src *source) get(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, src.url, nil)
	if err != nil {
		return err
	}
	resp, err := src.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	src.own.reads++
	src.body.Reset()
	if _, err := src.body.ReadFrom(io.LimitReader(resp.Body, maxBody)); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("they answer %s", resp.Status)
	}
	return nil
}

// Open prepares the source of a server by its kind. root is the project's root, which contains
// nginx's log of first requests. Open dials nothing; the first Observe does.
//
// Open a server's source only once: a second source of the same nginx counts the first one's
// connections as a client's.
func Open(root string, s facts.Server) (Source, error) {
	says := kinds.Of(s.Kind).Counters
	if says.Read == nil {
		return nil, fmt.Errorf("server %s is of kind %q, whose counters can't be read", s.Name, s.Kind)
	}
	src := newSource(s, says.Path, new(own))
	var err error
	if s.UsedLog != "" {
		src.used, err = openTail(root, s.UsedLog, "used log of "+s.Name)
	}
	if err == nil && s.HundredsLog != "" {
		src.marked, err = openTail(root, s.HundredsLog, "log of counted requests of "+s.Name)
	}
	if err != nil {
		src.Close()
		return nil, err
	}
	return src, nil
}

// twin does not read the logs: a timeline has no column for them.
func (src *source) twin() Source {
	path := src.says.Timeline
	if path == "" {
		path = src.says.Path
	}
	return newSource(src.server, path, src.own)
}

// Observe implements Source.
func (src *source) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	o, err := src.counted(ctx)
	if err != nil {
		return facts.Observation{}, fmt.Errorf("counters of %s: %w; try: curl -i '%s'", src.server.Name, err, src.url)
	}
	return o, src.readLogs(&o)
}

func (src *source) counted(ctx context.Context) (facts.Observation, error) {
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	raw, err := src.says.Read(src.body.Bytes())
	o := facts.Observation{At: time.Now(), Raw: raw, Accepted: sum(raw, src.says.Accepted), Used: sum(raw, src.says.Used),
		Requests: sum(raw, src.says.Requests)}
	switch {
	case err != nil:
		return o, err
	case o.Accepted == nil || o.Requests == nil:
		return o, fmt.Errorf("no %s or no %s in it", strings.Join(src.says.Accepted, ", "), strings.Join(src.says.Requests, ", "))
	case src.says.CountsItself:
		*o.Accepted -= src.own.dials.Load()
		*o.Requests -= src.own.reads
	}
	return o, nil
}

// sum adds up numbers, of which one that begins with "-" is subtracted; nil where one is unknown, or none is named.
func sum(raw map[string]int64, names []string) *int64 {
	var total int64
	for _, name := range names {
		name, less := strings.CutPrefix(name, "-")
		n, known := raw[name]
		switch {
		case !known:
			return nil
		case less:
			n = -n
		}
		total += n
	}
	if len(names) == 0 {
		return nil
	}
	return &total
}

func (src *source) readLogs(o *facts.Observation) error {
	if src.used != nil {
		if err := src.used.read(func([]byte) { src.uses++ }); err != nil {
			return err
		}
		o.Used, o.Raw["used_log_lines"] = new(src.uses), src.uses
	}
	if src.marked == nil {
		return nil
	}
	_, port, err := net.SplitHostPort(src.server.Front)
	if err != nil {
		return fmt.Errorf("the front of %s: %w", src.server.Name, err)
	}
	err = src.marked.read(func(line []byte) {
		if at, number, ok := bytes.Cut(bytes.TrimSpace(line), []byte{' '}); ok && string(at) == port {
			src.marks[string(number)]++
		}
	})
	for number, n := range src.marks {
		o.Raw[requestNumber+number] = n
	}
	return err
}

// Close implements Source.
func (src *source) Close() {
	src.client.CloseIdleConnections()
	for _, log := range []*tail{src.used, src.marked} {
		if log != nil {
			_ = log.file.Close()
		}
	}
}

// tail reads the lines that were appended to a log since it was opened: earlier lines belong to other runs.
type tail struct {
	what   string
	file   *os.File
	offset int64
	buf    []byte
}

func openTail(root, rel, what string) (*tail, error) {
	path := filepath.Join(root, filepath.FromSlash(rel))
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; nginx makes it when it starts; next: make down, then make up or the same command again", what, err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w; is %s a regular file?", what, err, path)
	}
	return &tail{what: what, file: f, offset: end, buf: make([]byte, 1<<16)}, nil
}

// read gives each complete line that was added since the last call.
func (t *tail) read(each func(line []byte)) error {
	for {
		got, err := t.file.ReadAt(t.buf, t.offset)
		whole := bytes.LastIndexByte(t.buf[:got], '\n') + 1
		for line := range bytes.Lines(t.buf[:whole]) {
			each(line)
		}
		t.offset += int64(whole)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w; look at %s", t.what, err, t.file.Name())
		}
		if err != nil || whole == 0 {
			break
		}
	}
	info, err := t.file.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w; look at %s", t.what, err, t.file.Name())
	}
	if info.Size() < t.offset {
		return fmt.Errorf("%s: %s was cut short while it was read; leave it alone during a run", t.what, t.file.Name())
	}
	return nil
}

// requestNumber is the prefix of the counts of requests by their number on a connection in an observation's Raw.
const requestNumber = "request_number_"

// UsedUp is how many connections carried their limit-th request since the source was opened; nil
// where the server doesn't log them. Envoy doesn't count them: it increments
// downstream_cx_max_requests_reached for every request that a draining connection still carries
// (measured).
func UsedUp(o facts.Observation, s facts.Server, limit int) *int64 {
	if o.Raw == nil || s.HundredsLog == "" || limit < 1 || !logged(limit) {
		return nil
	}
	return new(o.Raw[requestNumber+strconv.Itoa(limit)])
}

// logged reports whether nginx logs the requests of this number, by the map $counted_request in its
// configurations.
func logged(number int) bool {
	return number%100 == 0 || number == 10 || number == 20 || number == 50
}

// Closed is how many of its accepted connections a server has closed or seen closed; nil where its
// counters don't say.
func Closed(o facts.Observation, s facts.Server) *int64 {
	return sum(o.Raw, kinds.Of(s.Kind).Counters.Ended)
}
