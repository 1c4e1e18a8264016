package decode

import (
	"slices"
	"strings"
)

// A program's own data and code fail too: a file that ends, a parser that wants more, a null pointer. The words are those of a
// connection or stand beside the name of a transport, and no connection failed.

var (
	// ofData matches what is read from memory or a file, right before the words of its end.
	ofData = lazily(`(?:\b(?:proto|gzip|unzip|xz): |\b(?:varint|proto\.?buf\w*|gob|asn1|cbor|msgpack|bson|yaml|toml|xml|csv|avro|parquet|pickle|templates?|wal|` +
		`snapshots?|segments?|ledger|manifest|archive|zip|tar|zlib|bzip2|zstd|pem|config(?:uration)?(?: file)?|(?:read|pars|load)ing file|` +
		`index file|data file|line \d+)\b|` +
		`\b(?:open|read|load|pars|decod)\w* (?:the |file )?["']?(?:/|\./|[a-z]:\\)[\w./\\-]+|` +
		`\.(?:ya?ml|json|toml|xml|db|log|wal|zip|tar|t?gz|jar|proto|conf|cfg|sst|idx|parquet|csv|pem)["')]?:)[^;\n]{0,48}$`)
	// overWire matches what is read from a connection.
	overWire = lazily(`respon|body|headers?\b|frame|stream|http|request|connect|server|socket|\btcp\b|download|upload|\bpull|push|fetch|layer|peer|` +
		`remote|client|chunk|registry|copy|copied|transport|message|reply|answer|proxy|upstream|\bpipe|conn\b|://`)
	// fileCalls matches the frames of Java that read files, wireCalls those that read connections.
	fileCalls = lazily(`\bat [\w.$/]*(?:FileInputStream|RandomAccessFile|ZipFile|ZipInputStream|GZIPInputStream|JarFile|ObjectInputStream|` +
		`FileChannelImpl|BufferedFile|InflaterInputStream|DataInput(?:Stream)?)\b`)
	wireCalls = lazily(`Socket|SSL|[Hh]ttp|netty|grpc|okio|Channel(?:Input|Socket)|nio\.ch`)
)

const (
	// beforeEnd is how far before the words of an end what ended stands at most, afterEnd how much of a stack tells the call.
	beforeEnd = 120
	afterEnd  = 600
)

// ofParser takes the end of a file or of a parser's data for the program's own failure.
func (p *proofs) ofParser(t text) {
	at := p.at[aboutEvent]
	if p.Event != onClosed || p.rank > weak || p.named() || p.sign && p.StreamID != nil {
		return
	}
	if words := t.low[at.from:at.to]; !strings.Contains(words, "eof") && !strings.Contains(words, "end of") {
		return
	}
	before := t.low[max(0, at.from-beforeEnd):at.from]
	stack := t.as[at.to:min(len(t.as), at.to+afterEnd)]
	ofFile := ofData().MatchString(before) && !overWire().MatchString(placeNames().ReplaceAllString(before, " "))
	ofStack := fileCalls().MatchString(stack) && !wireCalls().MatchString(t.as)
	if ofFile || ofStack {
		p.ofProgram()
	}
}

// ofProgram takes a failure for one of the program's own.
func (p *proofs) ofProgram() {
	p.Event, p.rank, p.never, p.events, p.own = onAnswered, rankAnswer, false, nil, true
}

var (
	// thrower matches the frame that threw: of Java, .NET and JavaScript.
	thrower = lazily(`\bat (?:async )?(?:new )?[^\s(]+ ?\([^)]*\)`)
	// runtimes matches frames of a language itself, transports those of what makes connections.
	runtimes   = lazily(`^at (?:java|jdk|sun|kotlin|scala|System)\.`)
	transports = lazily(`io\.netty|io\.grpc|http2|grpc-js|@grpc|undici|okhttp|okio|\.jetty|apache\.(?:http|hc|coyote|tomcat)|finagle|` +
		`\bnode:|internal/|Grpc\.(?:Core|Net)|System\.Net|golang\.org/(?:grpc|x/net)|net/http|/grpc/|httpx|httpcore|/h2/|urllib3|aiohttp`)
	// ofFrames matches words of frames: a defect beside them may have ended the connection.
	ofFrames = lazily(`\b(?:stream|frame)s?\b`)
	// inPython matches the frames of Python, the last of which raised.
	inPython = lazily(`\bFile "[^"]*"`)
)

// ofDefect takes a defect for one of the program's own where its own code threw it and nothing else is said to have failed.
func (p *proofs) ofDefect(t text) {
	if p.Event != onNoEvent || p.rank != rankDefect || p.named() || p.StreamID != nil ||
		containsAny(t.low, []string{"goaway", "go_away", "rst_stream"}) ||
		ofFrames().MatchString(placeNames().ReplaceAllString(t.low, " ")) {
		return
	}
	served := p.states(onServerLine)
	if slices.ContainsFunc(p.events, func(e Event) bool { return e != onNoEvent && e != onServerLine }) {
		return
	}
	at := p.at[aboutEvent]
	by := ""
	for _, frame := range thrower().FindAllString(t.as[at.to:], mostPlaces) {
		if !runtimes().MatchString(frame) {
			by = frame
			break
		}
	}
	if files := inPython().FindAllString(t.as[:at.from], -1); by == "" && len(files) > 0 {
		by = files[len(files)-1]
	}
	if by != "" && !transports().MatchString(by) {
		if p.ofProgram(); served { // its handler
			p.Event = onServerLine
		}
	}
}
