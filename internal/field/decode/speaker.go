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
// names an upstream, or what runs inside the server is itself a client: a script, the check of a certificate, a resolver.
var nginxLine = lazily(`^(?:\S+ \S+ )?\[[a-z]+\] \d+#\d+: (?:\*\d+ )?`)

// clientsInside are the words of lines in which nginx, or a script in it, is the client.
var clientsInside = []string{"upstream", "[lua]", "lua tcp socket", "lua udp socket", "lua ssl ", "ngx.timer", " js: ", "ocsp",
	"responder", "resolver", "could not be resolved", "auth http server"}

func (t text) ofNginx() string {
	if !t.has(markHash) || containsAny(t.low, clientsInside) || !nginxLine().MatchString(t.low) {
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

// madeBy matches the fields of an answer that name the software on the other side, up to the name: a client prints them.
var madeBy = lazily(`(?:^|[<{,(\s])["']?(?:server|via|x-powered-by|x-served-by)["']?\s?[:=]>?\s?["']?(?:\d\.\d )?[\w.-]{0,24}$`)

// inField reports whether words are in such a field.
func (t text) inField(at span) bool {
	return madeBy().MatchString(t.low[max(0, at.from-longestField):at.from])
}

// longestField is how far from a name its field begins at most.
const longestField = 40

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

// writer drops a speaker that did not write of the event: it is named far from it, or beside a client's library.
func (p *proofs) writer(t text) {
	far := p.at[aboutSpeaker].from > p.at[aboutEvent].to+nearEvent && !(p.Speaker == "server" && t.ofServersOwn(p.at))
	if far || p.Speaker == "server" && clientLibrary().MatchString(t.as) {
		p.Speaker, p.at[aboutSpeaker] = "", span{}
	}
}

// clientLibrary matches the names of clients' libraries: what failed in a server's handler was the connection that its program
// made.
var clientLibrary = lazily(`\b(?:requests[./](?:exceptions|sessions|adapters)|urllib3|httpx|httpcore|aiohttp[./]client|http\.client\.|botocore|` +
	`_InactiveRpcError|_MultiThreadedRendezvous|System\.Net\.Http|Grpc\.Net\.Client|org\.apache\.http\.|org\.apache\.hc\.client|okhttp3|` +
	`io\.grpc\.stub\.ClientCalls|java\.net\.http|jdk\.internal\.net\.http|HttpURLConnection|reactor\.netty\.http\.client|` +
	`ResourceAccessException|WebClientRequestException|feign\.\w+Exception|Net::HTTP|[Ff]araday|[Aa]xios|undici|reqwest|Guzzle\w*)`)
