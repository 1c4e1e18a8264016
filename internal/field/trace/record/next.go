package record

import (
	"fmt"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
	"h2lab/internal/field/output"
)

// next are the commands to run next: first for the capture, then for the server.
func (r *recording) next(t facts.FrameTrace) []string {
	var steps []string
	if r.captured {
		steps = append(steps, r.readCapture())
	}
	url := output.ShellWord(r.Request.URL)
	switch {
	case t.Limit == nil && t.AskedUpTo != nil:
		return append(steps, fmt.Sprintf("h2lab trace --max-streams %d %s", min(10**t.AskedUpTo, 1_000_000), url))
	case t.Limit != nil && notEnded(t.Renewal.Summary):
		return append(steps, "h2lab probe "+url)
	case !r.Ask.HTTP1:
		return append(steps, "h2lab probe "+url+"   # what this costs you, and which line to change")
	}
	return append(steps, "h2lab trace "+url+"   # the same over HTTP/2")
}

func (r *recording) readCapture() string {
	layer := "http2"
	if r.Ask.HTTP1 {
		layer = "http"
	}
	pcap := output.ShellWord(r.Pcap)
	switch {
	case r.unlocked:
		return "tshark -r " + pcap + " -Y " + layer + "   # Wireshark opens it decrypted too"
	case r.KeyLog != "":
		return "tshark -r " + pcap + " -o tls.keylog_file:" + output.ShellWord(r.KeyLog) + " -Y " + layer
	}
	return "h2lab trace --keylog keys.log --pcap " + pcap + " " + output.ShellWord(r.Request.URL) +
		"   # without its secrets this capture stays encrypted"
}

// notEnded reports whether a summary says that the server did not end the connection.
func notEnded(s facts.Notes) bool {
	all, _ := s.Split()
	for _, n := range all {
		if code, _, _ := n.Read(); code == notes.NotEnded || code == notes.LimitElsewhere {
			return true
		}
	}
	return false
}
