package labtest

import (
	"context"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

var (
	// verbatim is what a Chinese page doesn't set itself: code, markup, targets of links, output of programs, sources.
	verbatim = regexp.MustCompile("(?s)```.*?```|<!--.*?-->|<[^>]+>|`[^`\n]+`|\\]\\([^)]*\\)|" +
		`"(?:[^"\\\n]|\\.)*"|出处：[^\n]*|（原文）[^\n|]*`)
	// misset are the places that Chinese typography has otherwise (W3C, Requirements for Chinese Text Layout, 3.1 and
	// 3.2.2): a letter or digit that touches a Chinese character, a half-width mark between Chinese characters, and a
	// space beside a full-width mark. Bold text that ends in a full stop may be followed by a space.
	misset = regexp.MustCompile(`\p{Han}[A-Za-z0-9]|[A-Za-z0-9%]\p{Han}|\p{Han} ?[,;:()]|\p{Han}[!?]|[,;)] ?\p{Han}|` +
		`[^|\n] [，。；：、？！）“”（]|[，。；：、？！）“”（] [^ |\n]`)
)

// Misset returns each place of a Chinese page where spaces or punctuation are not Chinese, with the characters
// around it.
func Misset(page string) []string {
	text := verbatim.ReplaceAllString(page, "¦")
	var out []string
	for _, at := range misset.FindAllStringIndex(text, -1) {
		out = append(out, surroundings(text, at[0], at[1]))
	}
	return out
}

func surroundings(text string, from, to int) string {
	const bytes = 24
	return regexp.MustCompile(`^[\x80-\xbf]+|\n`).ReplaceAllString(text[max(0, from-bytes):min(len(text), to+bytes)], "")
}

var (
	// notProse is what Chinese text quotes: code, strings and links.
	notProse = regexp.MustCompile("`[^`]*`" + `|"(?:[^"\\]|\\.)*"|https?://\S+|\([^()\p{Han}]*\)`)
	// prose are words that no name, setting or command has between spaces, and three plain words in a row.
	prose = regexp.MustCompile(`(?:^|[\s（，。；：])(?:the|an|of|and|or|is|are|was|were|that|this|its|it|which|with|` +
		`from|by|not|than|has|have|can|can't|don't|doesn't|isn't|no|The|An|It|This|That|In|No|All|One)(?:$|[\s，。；：）])|` +
		`(?:^|[\s（，。；：])[A-Za-z]?[a-z]+ [a-z]+ [a-z]+(?:$|[\s，。；：）.])`)
)

// English returns English prose in a Chinese text, or "".
func English(text string) string { return prose.FindString(notProse.ReplaceAllString(text, "¦")) }

// CRLF is a text with the line ends of Windows.
func CRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// PowerShell is a text as Windows PowerShell 5.1 redirects it to a file: UTF-16 with a byte order mark.
func PowerShell(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(CRLF(text))) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}

// PageFault is a request with the headers that a browser sends.
type PageFault struct {
	Name   string
	Method string // GET unless set
	Host   string // 127.0.0.1 with the port unless set
	Header http.Header
}

// PageFaults are requests that a web page in a browser on this machine can send to a plain-HTTP
// port: the server must refuse every one.
func PageFaults(port int) []PageFault {
	at := strconv.Itoa(port)
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Add(pairs[i], pairs[i+1])
		}
		return h
	}
	return []PageFault{
		{Name: "a name that DNS rebinding gives 127.0.0.1", Host: "attacker.example:" + at},
		{Name: "a rebound name without a port", Host: "attacker.example"},
		{Name: "a rebound name that begins with 127.0.0.1", Host: "127.0.0.1.attacker.example:" + at},
		{Name: "a rebound name that ends with localhost", Host: "attacker-localhost:" + at},
		{Name: "a subdomain of localhost", Host: "attacker.localhost:" + at},
		{Name: "the address 0.0.0.0", Host: "0.0.0.0:" + at},
		{Name: "another port", Host: "127.0.0.1:1"},
		{Name: "a Host without a port", Host: "127.0.0.1"},
		{Name: "no-cors fetch with POST from a page on the Internet", Method: http.MethodPost,
			Header: header("Origin", "https://attacker.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
				"no-cors")},
		{Name: "POST of an old browser, which sends Origin alone", Method: http.MethodPost,
			Header: header("Origin", "https://attacker.example")},
		{
			Name:   "POST from a sandboxed frame or a local file",
			Method: http.MethodPost,
			Header: header("Origin", "null"),
		},
		{Name: "fetch from a page on another port of this machine", Header: header("Origin", "http://127.0.0.1:1")},
		{Name: "fetch from an https page of this machine", Header: header("Origin", "https://127.0.0.1:"+at)},
		{Name: "fetch from another name of this machine", Header: header("Origin", "http://other.localhost:"+at)},
		{Name: "an image in a page on the Internet",
			Header: header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image")},
		{Name: "an image in a page on another port of this machine",
			Header: header("Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image")},
		{Name: "a Sec-Fetch-Site that no standard knows", Header: header("Sec-Fetch-Site", "sideways")},
		{Name: "a CORS preflight", Method: http.MethodOptions, Header: header("Origin", "https://attacker.example",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Private-Network", "true")},
	}
}

// AllowedRequests are requests of programs on this machine and of an address typed into a browser:
// the server must answer every one.
func AllowedRequests(port int) []PageFault {
	at := strconv.Itoa(port)
	return []PageFault{
		{Name: "curl 127.0.0.1"},
		{Name: "curl localhost", Host: "localhost:" + at},
		{Name: "curl LOCALHOST", Host: "LOCALHOST:" + at},
		{Name: "curl [::1]", Host: "[::1]:" + at},
		{Name: "an address typed into a browser",
			Header: http.Header{"Sec-Fetch-Site": {"none"}, "Sec-Fetch-Mode": {"navigate"}}},
	}
}

// AskAs sends the request to the address of url, whatever Host says, on a connection of its own. It
// returns the status and the body.
func AskAs(t testing.TB, url string, f PageFault) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	method := f.Method
	if method == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	Check(t, err)
	maps.Copy(r.Header, f.Header)
	if f.Host != "" {
		r.Host = f.Host
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := client.Do(r)
	Check(t, err)
	defer func() { _ = a.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(a.Body, 32<<20))
	Check(t, err)
	return a.StatusCode, string(body)
}
