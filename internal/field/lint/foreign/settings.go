package foreign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	format "h2lab/internal/base/text"
	"h2lab/internal/field/lint"
)

const (
	requests = "how many requests a connection takes"
	unused   = "how long an idle connection is kept"
	lives    = "how long a connection lives"
	inFlight = "how many requests a connection has in flight"
)

// lifetimes are names of settings that end connections, without dashes, underscores and capitals: charts and
// frameworks write keepaliveTimeout, keep-alive-timeout or keepalive_timeout for one and the same. keepalive_time isn't
// here: it is an age in nginx and the interval of PINGs in gRPC.
var lifetimes = map[string]string{
	"keepaliverequests":         requests, // nginx, and what is built on it
	"upstreamkeepaliverequests": requests,
	"http2maxrequests":          requests,
	"maxrequestsperconnection":  requests, // Envoy
	"keepalivemaxrequests":      requests, // Traefik
	"maxkeepaliverequests":      requests, // Apache httpd, Tomcat, lighttpd, reactor-netty
	"frontendmaxrequests":       requests, // nghttpx
	"keepalivetimeout":          unused,
	"upstreamkeepalivetimeout":  unused,
	"maxconnectionidle":         unused, // gRPC
	"maxconnectionidlems":       unused,
	"maxconnectionage":          lives, // gRPC
	"maxconnectionagems":        lives,
	"maxconnectionduration":     lives, // Envoy
	"keepalivemaxtime":          lives, // Traefik
	"maxconcurrentstreams":      inFlight,
	"http2maxconcurrentstreams": inFlight,
	"workerconnections":         "how many connections a worker has",
}

// mostSettings bounds the settings that a message names.
const mostSettings = 4

// settingsIn names the settings of connections in a file that lint doesn't read, with their lines; "" when
// there are none.
func settingsIn(n *lint.Node) string {
	var found []string
	more := 0
	walk(n, func(f lint.Field) {
		meant := lifetimes[lint.PlainKey(f.Key)]
		if meant == "" || f.Value.Kind != lint.Scalar {
			return
		}
		if len(found) == mostSettings {
			more++
			return
		}
		found = append(found, fmt.Sprintf("%s: %s in line %d, %s", f.Key, format.ClipLine(f.Value.Text, lint.LongestWord), f.Line, meant))
	})
	if len(found) == 0 {
		return ""
	}
	if more > 0 {
		found = append(found, fmt.Sprintf("and %d more", more))
	}
	return " (" + strings.Join(found, "; ") + ")"
}

// deepest bounds how deep walk looks: values have few levels.
const deepest = 20

func walk(n *lint.Node, see func(lint.Field)) { walkTo(n, deepest, see) }

func walkTo(n *lint.Node, levels int, see func(lint.Field)) {
	if n == nil || levels == 0 {
		return
	}
	for _, f := range n.Fields {
		see(f)
		walkTo(f.Value, levels-1, see)
	}
	for _, item := range n.Items {
		walkTo(item, levels-1, see)
	}
}

// aSetting is a name with a number in any syntax: `max-keep-alive-requests=100`, `keepalive_requests 100;`,
// `MaxConnectionAge: 30 * time.Second`, `.maxConnectionAge(30, SECONDS)`, `maxKeepAliveRequests="100"`.
var aSetting = regexp.MustCompile(`([A-Za-z][\w.-]*)["']?\s*[\s=:(]\s*["']?(\d[\w.]*)`)

// comments begin lines that set nothing.
var comments = []string{"#", "//", ";", "*", "--"}

// settingsOf names the settings of connections in a text that is neither YAML nor JSON, as settingsIn does.
func settingsOf(data []byte) string {
	doc := &lint.Node{Kind: lint.Mapping}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimSpace(text)
		if slices.ContainsFunc(comments, func(begins string) bool { return strings.HasPrefix(text, begins) }) {
			continue
		}
		for _, m := range aSetting.FindAllStringSubmatch(text, -1) {
			name := m[1][strings.LastIndexByte(m[1], '.')+1:]
			doc.Fields = append(doc.Fields, lint.Field{Key: name, Line: line, Value: &lint.Node{Kind: lint.Scalar, Text: m[2], Line: line}})
		}
	}
	return settingsIn(doc)
}

// Settings is an error for a file that lint doesn't read and that sets what ends connections: values of a chart,
// the settings of a framework, a server in somebody's code.
func Settings(f lint.File) error {
	said := ""
	if docs, err := lint.ReadYAML(f); err == nil {
		for _, n := range docs {
			said += settingsIn(n)
		}
	}
	if said == "" {
		said = settingsOf(f.Data[:min(len(f.Data), sight)])
	}
	if said == "" {
		return nil
	}
	return fmt.Errorf("lint: %s is no configuration that lint reads, but has settings of connections%s: give what is made of "+
		"it, such as the output of helm template or of nginx -vT; %s", f.Name, said, probed)
}
