package clientreport

import (
	"fmt"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// All data in this file is invented: it has the shape and the proportions of a run, but nothing was
// measured.

// made is a client under construction.
type made struct {
	name, eco, title, library, says string
	protocol                        facts.Protocol
	cures                           facts.Client
	snippet, language, price        string
	noIDs                           bool
	unsupported                     string
	low, high, envoy                *numbers
}

// numbers are one trial's.
type numbers struct {
	rps                                int64
	accepted, failed, hung, dup, unans int64
	lie                                int64
	class, message                     string
	errors                             []facts.Error
	fault                              *facts.Fault
}

func (n numbers) trial(limit int, p facts.Protocol) facts.Trial {
	if n.fault != nil {
		return facts.Trial{Index: 1, Fault: n.fault, Errors: []facts.Error{}}
	}
	attempts, warm := n.rps*4+n.failed, n.rps
	ok := attempts - n.failed
	w := facts.Workload{Concurrency: 100, Pools: 1}
	need := facts.Expected(p, "x", w, limit, warm+attempts) - facts.Expected(p, "x", w, limit, warm)
	executed := ok + n.dup + n.unans - n.lie
	t := facts.Trial{Index: 1, ElapsedS: 4, Attempts: attempts, Succeeded: ok, Failed: n.failed, Errors: n.errors,
		Hung: &n.hung, GoodputRPS: float64(ok) / 4,
		Library: "Library 1.2.3", Runtime: "Runtime 17", TLS: facts.TLS{Version: "1.3"},
		Connections: facts.Connections{Accepted: &n.accepted, Used: new(min(n.accepted, need+1)), Expected: &need,
			UsedUp: usedUp(need, limit, p)}, ColdStart: facts.ColdStart{Requests: &warm},
		Backend: facts.BackendDelta{Executed: &executed, Distinct: new(executed - n.dup), Duplicates: &n.dup}}
	if n.message != "" {
		t.Errors = append([]facts.Error{{Class: n.class, Count: n.failed, Message: n.message}}, t.Errors...)
	}
	return t
}

// usedUp is the number that a server counts for a client that reached its limit.
func usedUp(need int64, limit int, p facts.Protocol) *int64 {
	if limit < 100000 && p == facts.H1 {
		need = max(need, 6)
	}
	return &need
}

func result(clients ...made) *facts.Result {
	r := &facts.Result{SchemaVersion: 1,
		Run: facts.Run{ID: "synthetic-clients", Command: "clients", Repeat: "make clients SEED=42", Runtime: "native",
			Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Seed:    42, Trials: 1, Limit: 1000, WarmupS: 1, DurationS: 4, Concurrency: 100, CPUs: new(0.5),
			Key: "rsa"},
		Environment: facts.Environment{CPU: "Processor of a test", Cores: 2, Kernel: "6.0", OS: "Linux of a test",
			Git:      facts.Git{Commit: "0123456789abcdef"},
			Versions: map[string]string{"nginx": "1.22.1", "envoy": "1.40.0", "go": "go1.26.8"}}}
	for _, topology := range []string{"nginx-1000", "nginx-100000", "envoy-1000"} {
		for _, m := range clients {
			m.add(r, topology)
		}
	}
	return r
}

func (m made) add(r *facts.Result, topology string) {
	n, limit := m.low, 1000
	switch topology {
	case "nginx-100000":
		n, limit = m.high, 100000
	case "envoy-1000":
		n = m.envoy
	}
	if n == nil && (m.unsupported == "" || topology == "envoy-1000") {
		return
	}
	c := facts.Cell{Topology: topology, Protocol: m.protocol, Client: facts.Client(m.name), Unsupported: verbatim(m.unsupported),
		Workload: facts.Workload{Method: "POST", BodyBytes: 1, Concurrency: 100, Pools: 1, WarmupS: 1, DurationS: 4,
			MaxTLS: "1.3"},
		Limit: facts.Limit{Configured: &limit, Effective: &limit},
		Program: &facts.Program{Ecosystem: m.eco, Title: m.title, Library: m.library, Says: m.says, Cures: m.cures,
			Price: m.price, IDs: !m.noIDs}}
	if m.snippet != "" {
		c.Program.Snippet = facts.Snippet{File: "clients/" + m.eco + "/cure", Language: m.language, Text: m.snippet}
	}
	if n != nil && m.unsupported == "" {
		c.Trials = []facts.Trial{n.trial(limit, m.protocol)}
	}
	r.Cells = append(r.Cells, c)
	r.Run.Planned = append(r.Run.Planned, c.ID())
}

const (
	goMessage = "http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown GOAWAY] " +
		"after Request.Body was written; define Request.GetBody to avoid this error"
	javaMessage = "java.io.IOException: /127.0.0.1:18101: GOAWAY received"
	nodeMessage = "Error [ERR_HTTP2_GOAWAY_SESSION]: New streams cannot be created after receiving a GOAWAY"
	hungMessage = "no answer within 4s (the call never settled)"
)

var (
	calm  = &numbers{rps: 15000}
	sound = &numbers{rps: 12000, accepted: 49}
)

// fieldOf is a run in which every case occurs once.
func fieldOf() []made {
	h2 := facts.H2
	return []made{
		{name: "go-once", eco: "go", title: "Go", library: "net/http", says: "a body that can be read once",
			protocol: h2, low: &numbers{rps: 6500, accepted: 2880, failed: 1505, class: facts.ErrGoawayNotReplayable,
				message: goMessage}, high: calm, envoy: &numbers{rps: 8000, accepted: 2033}},
		{name: "go-replayable", eco: "go", title: "Go", library: "net/http", says: "bodies that can be sent again",
			protocol: h2, cures: "go-once", price: "The body stays in memory.", language: "go",
			snippet: "request, err := http.NewRequest(\"POST\", url, bytes.NewReader(body))",
			low:     &numbers{rps: 6500, accepted: 2880}, high: calm, envoy: &numbers{rps: 8000, accepted: 2033}},
		{name: "go-single-dial", eco: "go", title: "Go", library: "net/http", says: "one dial at a time", protocol: h2,
			cures: "go-once", price: "A slow dial holds everybody up.", language: "go",
			snippet: "transport := &http.Transport{\n\tForceAttemptHTTP2: true,\n\tMaxConnsPerHost:   1,\n}",
			low:     sound, high: calm},
		{name: "jdk-17", eco: "java", title: "Java", library: "java.net.http of JDK 17",
			says: "one HttpClient as it comes", protocol: h2,
			low: &numbers{rps: 5000, accepted: 44, failed: 700, unans: 12, class: facts.ErrGoawayAfterProcessing,
				message: javaMessage, errors: []facts.Error{{Class: facts.ErrOther, Count: 0,
					Message: "java.io.IOException: closed | by `peer`\n\tat java.base/x.y(Z.java:7)"}}}, high: calm,
			envoy: sound},
		{name: "jdk-17-h1", eco: "java", title: "Java", library: "java.net.http of JDK 17", says: "HTTP/1.1",
			protocol: facts.H1, cures: "jdk-17", price: "A connection for each request in flight.", language: "java",
			snippet: "HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)", low: &numbers{rps: 12000},
			high: calm},
		{name: "okhttp-3.14", eco: "java", title: "Java", library: "OkHttp 3.14", says: "one OkHttpClient",
			protocol: h2, low: &numbers{rps: 9000, accepted: 46, dup: 31, failed: 31, unans: 31, class: facts.ErrOther,
				message: "okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM"}, high: calm},
		{name: "okhttp-4.12", eco: "java", title: "Java", library: "OkHttp 4.12", says: "one OkHttpClient",
			protocol: h2, low: sound, high: calm},
		{name: "node-http2", eco: "node", title: "Node", library: "node:http2", says: "one session for ever",
			protocol: h2, low: &numbers{rps: 500, failed: 39000, class: facts.ErrGoawayNotReplayable,
				message: nodeMessage}, high: calm, envoy: &numbers{rps: 900, failed: 30000,
				class: facts.ErrGoawayNotReplayable, message: nodeMessage}},
		{name: "node-http2-renew", eco: "node", title: "Node", library: "node:http2", says: "a new session at GOAWAY",
			protocol: h2, cures: "node-http2", price: "A few lines of your own.", language: "js",
			snippet: "session.once('goaway', () => { session = connect() })", low: sound, high: calm},
		{name: "undici-6", eco: "node", title: "Node", library: "undici 6", says: "h2 on, one stream a connection",
			protocol: h2, low: &numbers{rps: 6000, accepted: 30, failed: 400, hung: 400, class: facts.ErrTimeout,
				message: hungMessage}, high: calm},
		{name: "undici-5", eco: "node", title: "Node", library: "undici 5", says: "h2 on", protocol: h2,
			low: &numbers{fault: &facts.Fault{Kind: facts.FaultCrashed,
				Message: "exit status 1\nnode:internal/process/promises:288\n            " +
					"triggerUncaughtException(err, true /* fromPromise */);\nTypeError: " +
					"Cannot read properties of null (reading 'x')"}}, high: calm},
		{name: "hey", eco: "tools", title: "Load generators", library: "hey 0.1.5", says: "-h2", protocol: h2,
			low: &numbers{rps: 9000, accepted: 40, lie: 900}, high: calm},
		{name: "h2load", eco: "tools", title: "Load generators", library: "h2load 1.52", says: "one client",
			protocol: h2, noIDs: true, low: &numbers{rps: 300, accepted: 0}, high: calm},
		{name: "reqwest", eco: "rust", title: "Rust", library: "reqwest 0.12", says: "one Client", protocol: h2,
			unsupported: "cargo was not found on PATH: apt-get install cargo"},
	}
}

// many returns a field of n rows.
func many(n int) *facts.Result {
	var out []made
	base := fieldOf()
	for i := range n {
		m := base[i%len(base)]
		m.title = []string{"Go", "Java and the JVM", "Node.js", "Python", "Rust", "C and C++", "Load generators",
			"gRPC", ".NET"}[i*9/n]
		m.eco = strings.ToLower(m.title)
		m.library = fmt.Sprintf("%s #%d", m.library, i/3)
		if m.cures != "" {
			m.cures = facts.Client(fmt.Sprintf("%s-%d", m.cures, i/len(base)))
		}
		m.name = fmt.Sprintf("%s-%d", m.name, i/len(base))
		out = append(out, m)
	}
	return result(out...)
}

// verbatim is a reason in these words; none for none.
func verbatim(words string) (out facts.Text) {
	if why, ok := strings.CutPrefix(words, "not measured: "); ok {
		return facts.T("lab.not-measured", facts.T("verdict.recorded", why))
	}
	if words != "" {
		out = facts.T("verdict.recorded", words)
	}
	return out
}
