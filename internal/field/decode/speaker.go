package decode

import (
	"slices"
	"strconv"
	"strings"
)

// ports matches Netty's name of a connection: its own address and the other side's.
var ports = lazily(`\bl:\S*?:(\d{1,5}) [-!] r:\S*?:(\d{1,5})\b`)

// ephemeral is the least port that systems give to clients.
const ephemeral = 32768

// ofPorts is who wrote a text that names both ports of the connection.
func (t text) ofPorts() string {
	if !t.has(markChannel) {
		return ""
	}
	if m := ports().FindStringSubmatch(t.low); m != nil {
		own, _ := strconv.Atoi(m[1])
		other, _ := strconv.Atoi(m[2])
		switch {
		case own < ephemeral && other >= ephemeral:
			return "server"
		case own >= ephemeral && other < ephemeral:
			return "client"
		}
	}
	return ""
}

// nginxLine matches the beginning of a line of nginx's error log, which is about a client's connection unless it
// names an upstream.
var nginxLine = lazily(`^(?:\S+ \S+ )?\[[a-z]+\] \d+#\d+: (?:\*\d+ )?`)

func (t text) ofNginx() string {
	if !t.has(markHash) || strings.Contains(t.low, "upstream") || !nginxLine().MatchString(t.low) {
		return ""
	}
	return "server"
}

// ofSource reports whether words are a part of a source file's name: Ruby's frames are "from client_stub.rb:152".
func (t text) ofSource(at span) bool {
	rest := t.low[at.to:]
	for rest != "" && wordByte(rest[0]) {
		rest = rest[1:]
	}
	return strings.HasPrefix(rest, ".rb:")
}

// frame matches the class of a frame in Java's stacks, ofServer those that a server's own work has.
var (
	frame    = lazily(`\bat (?:[\w.]+/)?([a-z]\w*(?:\.[\w$]+){2,})`)
	ofServer = lazily(`^(?:java|jdk|sun|io\.netty|io\.undertow|org\.xnio|reactor|org\.glassfish\.grizzly|` +
		`org\.eclipse\.jetty\.(?:server|io|util|http|http2\.server|servlet)|org\.apache\.(?:coyote|tomcat|catalina))\.`)
)

// ofServersOwn reports whether nothing but a server's own work stands between the failure and the frame that names the server:
// a program's call of another server would be there too.
func (t text) ofServersOwn(at [aboutMost]span) bool {
	frames := frame().FindAllStringSubmatch(t.as[at[aboutEvent].to:at[aboutSpeaker].from], -1)
	return len(frames) > 0 && !slices.ContainsFunc(frames, func(m []string) bool { return !ofServer().MatchString(m[1]) })
}
