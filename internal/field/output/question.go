package output

import (
	"slices"
	"strings"

	"h2lab/internal/base/text"
)

// Question is what a user asked of which server, as the options that the commands share. Every line
// that h2lab prints to ask the same server again is made of it, so that it works when pasted.
type Question struct {
	URL        string
	Method     string   // GET is the default
	Header     []string // "Name: value"
	Data       string
	CACert     string
	ServerName string
	Insecure   bool
	HTTP1      bool
}

// Command is a command line of h2lab for the same question; options come first.
func (q Question) Command(verb string, options ...string) string {
	words := append([]string{"h2lab", verb}, options...)
	add := func(name, value string) {
		if value != "" {
			words = append(words, name, text.ShellWord(value))
		}
	}
	if q.HTTP1 {
		words = append(words, "--http1")
	}
	add("--cacert", q.CACert)
	if q.Insecure {
		words = append(words, "--insecure")
	}
	add("--servername", q.ServerName)
	if q.Method != "GET" {
		add("--method", q.Method)
	}
	add("--data", q.Data)
	comment := ""
	for _, h := range q.Header {
		word, name := headerWord(h)
		if words = append(words, "-H", word); name != "" {
			comment = "   # " + name + " holds the value that is not printed here"
		}
	}
	return strings.Join(append(words, text.ShellWord(q.URL)), " ") + comment
}

// secrets are headers whose values give access to the server.
var secrets = []string{"authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token"}

// headerWord quotes a header for a shell. The value of one that gives access is replaced by a
// variable, since the output may be kept or shown to others.
func headerWord(h string) (word, variable string) {
	name, _, _ := strings.Cut(h, ":")
	if !slices.Contains(secrets, strings.ToLower(strings.TrimSpace(name))) {
		return text.ShellWord(h), ""
	}
	variable = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(name), "-", "_"))
	return `"` + strings.TrimSpace(name) + ": $" + variable + `"`, "$" + variable
}
