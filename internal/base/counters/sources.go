package counters

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"h2lab/internal/facts"
)

// nginx reads the log of first requests and stub_status, whose numbers include the server's other
// listeners and the reading in progress (ngx_http_stub_status_module).
type nginx struct {
	*fetcher
	server facts.Server
	used   *usedLog // nil when there is none
	marks  *hundreds
}

// openNginx returns the interface Source: a nil *nginx in it would not be nil.
func openNginx(root string, s facts.Server) (Source, error) {
	src := newNginx(s, new(own))
	var err error
	if s.UsedLog != "" {
		src.used, err = openUsedLog(root, s)
	}
	if err == nil && s.HundredsLog != "" {
		src.marks, err = openHundreds(root, s)
	}
	if err != nil {
		src.Close()
		return nil, err
	}
	return src, nil
}

func newNginx(s facts.Server, o *own) *nginx {
	return &nginx{fetcher: newFetcher(s, "/stub_status", o), server: s}
}

// twin does not read the log: a timeline has no column for it.
func (src *nginx) twin() Source { return newNginx(src.server, src.own) }

// Observe implements Source.
func (src *nginx) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	o := facts.Observation{At: time.Now()}
	page, err := ParseStubStatus(src.body.Bytes())
	if err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	o.Raw = page
	o.Accepted = new(o.Raw["accepts"] - src.own.dials.Load())
	o.Requests = new(o.Raw["requests"] - src.own.reads)
	if src.used != nil {
		lines, err := src.used.lines()
		if err != nil {
			return facts.Observation{}, err
		}
		o.Used = new(lines)
		o.Raw["used_log_lines"] = lines
	}
	if src.marks != nil {
		if err := src.marks.read(o.Raw); err != nil {
			return facts.Observation{}, err
		}
	}
	return o, nil
}

// Close implements Source.
func (src *nginx) Close() {
	src.fetcher.Close()
	if src.used != nil {
		_ = src.used.file.Close()
	}
	if src.marks != nil {
		_ = src.marks.file.Close()
	}
}

// StubStatus has the numbers under nginx's own names. A gauge is absent when the page has no valid value
// for it; accepts, handled and requests are always present.
type StubStatus map[string]int64

const (
	first   = "Active connections:"
	columns = "accepts handled requests"
	gauges  = 3 // Reading, Writing, Waiting
)

// IsStubStatus reports whether a text begins as the page does.
func IsStubStatus(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte(first)) }

// ParseStubStatus reads
//
//	Active connections: 3
//	server accepts handled requests
//	 20 20 41
//	Reading: 0 Writing: 1 Waiting: 2
//
// Tengine adds a column, request_time
// (https://tengine.taobao.org/document/http_stub_status.html), so the second
// line names the columns and further ones are kept under their own names.
func ParseStubStatus(text []byte) (StubStatus, error) {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 4 || !IsStubStatus(text) {
		return nil, fmt.Errorf("%.60q is not a stub_status page", text)
	}
	page := make(StubStatus, 8)
	if err := page.gauge("active", strings.TrimPrefix(lines[0], first)); err != nil {
		return nil, err
	}
	if err := page.counters(lines[1], lines[2]); err != nil {
		return nil, err
	}
	return page, page.states(lines[3])
}

// counters reads the two lines of the table.
func (p StubStatus) counters(head, row string) error {
	names, ours := strings.CutPrefix(strings.TrimSpace(head), "server ")
	if !ours || !strings.HasPrefix(names+" ", columns+" ") {
		return fmt.Errorf("stub_status: %.60q lacks the columns server %s", head, columns)
	}
	values := strings.Fields(row)
	for i, name := range strings.Fields(names) {
		if i >= len(values) {
			return fmt.Errorf("stub_status: %.60q has no number for %s", row, name)
		}
		v, err := strconv.ParseInt(values[i], 10, 64)
		if err != nil || v < 0 {
			return fmt.Errorf("stub_status: %s: %.20q is not a count", name, values[i])
		}
		p[name] = v
	}
	if more := len(values) - len(strings.Fields(names)); more > 0 {
		return fmt.Errorf("stub_status: %.60q has more numbers than columns", row)
	}
	return nil
}

// states reads the last line.
func (p StubStatus) states(line string) error {
	words := strings.Fields(line)
	if len(words) != 2*gauges {
		return fmt.Errorf("stub_status: %.60q is not Reading, Writing and Waiting", line)
	}
	for i, name := range []string{"Reading", "Writing", "Waiting"} {
		if words[2*i] != name+":" {
			return fmt.Errorf("stub_status: %.20q is where %s: is expected", words[2*i], name)
		}
		if err := p.gauge(strings.ToLower(name), words[2*i+1]); err != nil {
			return err
		}
	}
	return nil
}

// gauge reads a number of connections. Workers add to and subtract from nginx's unsigned integer,
// which nginx prints with %uA: after a worker was killed it can wrap below zero. Such a value is
// unknown, not an error.
func (p StubStatus) gauge(name, text string) error {
	v, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return fmt.Errorf("stub_status: %s: %.20q is not a count", name, text)
	}
	if signed := int64(v); signed >= 0 {
		p[name] = signed
	}
	return nil
}

// usedLog counts the lines of a log that nginx writes only for the first request of a connection
// (map $connection_requests, access_log … if=). It reads only the lines appended since the last
// reading.
type usedLog struct {
	server string
	file   *os.File
	offset int64
	count  int64
	buf    []byte
}

// openUsedLog starts at the log's end: earlier lines belong to other runs.
func openUsedLog(root string, s facts.Server) (*usedLog, error) {
	path := filepath.Join(root, filepath.FromSlash(s.UsedLog))
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("used log of %s: %w; nginx makes it when it starts; next: make down, then the same "+
			"command again", s.Name, err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("used log of %s: %w; is %s a regular file?", s.Name, err, path)
	}
	return &usedLog{server: s.Name, file: f, offset: end, buf: make([]byte, 1<<16)}, nil
}

// lines is the number of lines added since the log was opened.
func (u *usedLog) lines() (int64, error) {
	for {
		got, err := u.file.ReadAt(u.buf, u.offset)
		u.offset += int64(got)
		u.count += int64(bytes.Count(u.buf[:got], []byte{'\n'}))
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("used log of %s: %w; look at %s", u.server, err, u.file.Name())
		}
	}
	info, err := u.file.Stat()
	if err != nil {
		return 0, fmt.Errorf("used log of %s: %w; look at %s", u.server, err, u.file.Name())
	}
	if info.Size() < u.offset {
		return 0, fmt.Errorf("used log of %s: %s was cut short while it was read; leave it alone during a run",
			u.server, u.file.Name())
	}
	return u.count, nil
}

// hundreds reads the log of every hundredth request of a connection, to which all nginx servers of
// the lab write. It reads only the lines that one server appended since the last reading.
type hundreds struct {
	server string
	port   []byte
	file   *os.File
	offset int64
	counts map[string]int64 // by the request's number on its connection
}

// openHundreds starts at the log's end: earlier lines belong to other runs.
func openHundreds(root string, s facts.Server) (*hundreds, error) {
	path := filepath.Join(root, filepath.FromSlash(s.HundredsLog))
	_, port, err := net.SplitHostPort(s.Front)
	if err != nil {
		return nil, fmt.Errorf("the front of %s: %w", s.Name, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("log of counted requests of %s: %w; nginx makes it when it starts: make up", s.Name, err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("log of counted requests of %s: %w; is %s a regular file?", s.Name, err, path)
	}
	return &hundreds{server: s.Name, port: []byte(port), file: f, offset: end, counts: map[string]int64{}}, nil
}

// read adds to raw how many requests of each number the server logged since the source was opened.
func (h *hundreds) read(raw map[string]int64) error {
	buf := make([]byte, 1<<16)
	for {
		got, err := h.file.ReadAt(buf, h.offset)
		whole := bytes.LastIndexByte(buf[:got], '\n') + 1 // only complete lines are read
		for line := range bytes.Lines(buf[:whole]) {
			if port, number, ok := bytes.Cut(bytes.TrimSpace(line), []byte{' '}); ok && bytes.Equal(port, h.port) {
				h.counts[string(number)]++
			}
		}
		h.offset += int64(whole)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("log of counted requests of %s: %w; look at %s", h.server, err, h.file.Name())
		}
		if err != nil || whole == 0 {
			break
		}
	}
	for number, n := range h.counts {
		raw[requestNumber+number] = n
	}
	return nil
}

// requestNumber is the prefix of these counts in an observation's Raw.
const requestNumber = "request_number_"

// UsedUp is how many connections carried their limit-th request since the source was opened; nil
// where the server doesn't count them. Envoy doesn't: it increments
// downstream_cx_max_requests_reached for every request that a draining connection still carries
// (measured).
func UsedUp(o facts.Observation, s facts.Server, limit int) *int64 {
	if o.Raw == nil || s.Kind != facts.Nginx || s.HundredsLog == "" || limit < 1 || !logged(limit) {
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
	of := func(a, b string, sign int64) *int64 {
		x, ok := o.Raw[a]
		y, also := o.Raw[b]
		if !ok || !also {
			return nil
		}
		return new(x + sign*y)
	}
	switch s.Kind {
	case facts.Nginx:
		return of("accepts", "active", -1)
	case facts.Envoy:
		return of("downstream_cx_destroy_local", "downstream_cx_destroy_remote", 1)
	}
	return nil
}

// front is the stat_prefix of the connection manager that clients dial. The connection manager and
// the cluster in front of the administration interface are called admin, so that a reading changes
// none of the front's counters.
const (
	front = "front"
	admin = "admin"
)

// Filters, by Envoy's own names. A reading uses the server's own CPU: with Envoy 1.40, one reading
// takes 1.6 ms without a filter, 0.6 ms with the snapshot's and 0.3 ms with the timeline's, which
// is read 20 times a second (measured). The listener in front of the administration interface takes
// 0.1 ms.
const (
	timelineFilter = `^http\.` + front + `\.downstream_(cx|rq)_total$`
	snapshotFilter = `^(http\.` + front +
		`\.downstream_(cx_(total|http1_total|http2_total|ssl_total|destroy_local|destroy_remote|drain_close|` +
		`max_requests_reached)|rq_total)` +
		`|http2\.goaway_sent` +
		`|cluster\..*\.upstream_(cx_(total|http1_total|http2_total|max_requests)|rq_total))$`
)

// envoy reads the statistics of the administration interface. downstream_cx_total counts a
// connection when Envoy accepts it; http1_total and http2_total count it when its first bytes have
// selected a codec, that is when it is used. Envoy counts other clients of the front, such as a
// health check, in the same way.
type envoy struct {
	*fetcher
	server facts.Server
	parser expfmt.TextParser
	codecs bool // http1_total and http2_total are read as well
}

func openEnvoy(s facts.Server) *envoy { return newEnvoy(s, snapshotFilter, new(own)) }

func newEnvoy(s facts.Server, filter string, o *own) *envoy {
	return &envoy{fetcher: newFetcher(s, "/stats/prometheus?type=Counters&filter="+url.QueryEscape(filter), o),
		server: s, parser: expfmt.NewTextParser(model.LegacyValidation), codecs: filter == snapshotFilter}
}

func (src *envoy) twin() Source { return newEnvoy(src.server, timelineFilter, src.own) }

// Observe implements Source.
func (src *envoy) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	o := facts.Observation{At: time.Now()}
	var err error
	if o.Raw, err = src.parse(); err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	for _, must := range []string{"downstream_cx_total", "downstream_rq_total"} {
		if _, ok := o.Raw[must]; !ok {
			return facts.Observation{}, src.unreadable(
				fmt.Errorf("no %s of a connection manager with stat_prefix %q", must, front),
			)
		}
	}
	o.Accepted = new(o.Raw["downstream_cx_total"])
	o.Requests = new(o.Raw["downstream_rq_total"])
	if src.codecs {
		o.Used = new(o.Raw["downstream_cx_http1_total"] + o.Raw["downstream_cx_http2_total"])
	}
	return o, nil
}

// parse maps the numbers to the names in Envoy's documentation. It adds up clusters: the lab's
// servers have one, the next hop, besides admin.
func (src *envoy) parse() (map[string]int64, error) {
	families, err := src.parser.TextToMetricFamilies(&src.body)
	raw := make(map[string]int64, len(families))
	for name, f := range families {
		for _, m := range f.GetMetric() {
			v := int64(m.GetCounter().GetValue())
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if known := documented(name, labels); known != "" {
				raw[known] += v
			}
		}
	}
	return raw, err
}

// documented is a counter's name in Envoy's documentation, "" when it belongs neither to the front
// nor to the next hop.
func documented(name string, labels map[string]string) string {
	if rest, ok := strings.CutPrefix(name, "envoy_cluster_"); ok && labels["envoy_cluster_name"] != admin {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, "envoy_http2_"); ok {
		return "http2." + rest
	}
	if rest, ok := strings.CutPrefix(name, "envoy_http_"); ok && labels["envoy_http_conn_manager_prefix"] == front {
		return rest
	}
	return ""
}

// backend reads the ledger from a separate listener, whose connections and requests the ledger
// doesn't count.
type backend struct {
	*fetcher
	server facts.Server
}

func openBackend(s facts.Server) *backend { return newBackend(s, new(own)) }

func newBackend(s facts.Server, o *own) *backend {
	return &backend{newFetcher(s, "/ledger.json", o), s}
}

func (src *backend) twin() Source { return newBackend(src.server, src.own) }

// ledger has the fields of the backend's ledger.json that are used here.
type ledger struct {
	Connections *struct {
		New  int64 `json:"new"`
		Used int64 `json:"used"`
	} `json:"connections"`
	Requests *struct {
		H1 int64 `json:"h1"`
		H2 int64 `json:"h2"`
	} `json:"requests"`
	Executed   int64 `json:"executed"`
	Distinct   int64 `json:"distinct"`
	Duplicates int64 `json:"duplicates"`
	// Saturated means that the backend saw more ids than it can remember: distinct and duplicates
	// are no longer exact, so they are unknown.
	Saturated bool `json:"ids_saturated"`
}

// Observe implements Source.
func (src *backend) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	o := facts.Observation{At: time.Now()}
	var l ledger
	if err := json.Unmarshal(src.body.Bytes(), &l); err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	if l.Connections == nil || l.Requests == nil {
		return facts.Observation{}, src.unreadable(errors.New("no connections or requests in the ledger"))
	}
	o.Accepted, o.Used, o.Requests = new(l.Connections.New), new(l.Connections.Used), new(l.Requests.H1+l.Requests.H2)
	o.Raw = map[string]int64{"executed": l.Executed, "connections_new": l.Connections.New,
		"connections_used": l.Connections.Used,
		"requests_h1":      l.Requests.H1, "requests_h2": l.Requests.H2}
	if !l.Saturated {
		o.Raw["distinct"], o.Raw["duplicates"] = l.Distinct, l.Duplicates
	}
	return o, nil
}

// gateway reads the counters of Spring Cloud Gateway's front (services/spring). They are on a
// separate listener, whose connections and requests they don't count.
type gateway struct {
	*fetcher
	server facts.Server
}

func openGateway(s facts.Server) *gateway { return newGateway(s, new(own)) }

func newGateway(s facts.Server, o *own) *gateway {
	return &gateway{newFetcher(s, "/lab/counters.json", o), s}
}

func (src *gateway) twin() Source { return newGateway(src.server, src.own) }

// Observe implements Source.
func (src *gateway) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	o := facts.Observation{At: time.Now()}
	var page struct{ Accepted, Used, Requests *int64 }
	if err := json.Unmarshal(src.body.Bytes(), &page); err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	o.Accepted, o.Used, o.Requests = page.Accepted, page.Used, page.Requests
	for _, number := range []*int64{o.Accepted, o.Used, o.Requests} {
		if number == nil || *number < 0 {
			return facts.Observation{}, src.unreadable(
				errors.New("accepted, used and requests must be numbers from 0 up"))
		}
	}
	o.Raw = map[string]int64{"accepted": *o.Accepted, "used": *o.Used, "requests": *o.Requests}
	return o, nil
}
