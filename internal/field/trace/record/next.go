package record

import (
	"fmt"
	"slices"

	"golang.org/x/net/http2"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
)

// next are the commands to run next: first for the capture, then for the server.
func (r *recording) next(t facts.FrameTrace) []string {
	var steps []string
	if r.captured {
		steps = append(steps, r.readCapture())
	}
	q := r.Request.Question
	if t.Limit == nil && t.AskedUpTo != nil && *t.AskedUpTo < probe.CeilingStreams && len(t.Warnings) == 0 {
		steps = append(steps, q.Command("trace", fmt.Sprintf("--max-streams %d", min(10**t.AskedUpTo, probe.CeilingStreams))))
	}
	switch {
	case r.failed && demandsHTTP1(t):
		q.HTTP1 = true
		return append(steps, q.Command("trace"))
	case r.failed: // a probe meets the same
		return steps
	}
	if r.find != "" {
		return append(steps, r.find)
	}
	return append(steps, q.Command("probe"))
}

// demandsHTTP1 reports whether the server resets streams to have the request over HTTP/1.1 (RFC 9113 §7).
func demandsHTTP1(t facts.FrameTrace) bool {
	return slices.ContainsFunc(t.Renewal.Frames, func(f facts.Frame) bool {
		return f.Type == "RST_STREAM" && f.Detail == http2.ErrCodeHTTP11Required.String()
	})
}

func (r *recording) readCapture() string {
	layer := "http2"
	if r.Ask.HTTP1 {
		layer = "http"
	}
	pcap := text.ShellWord(r.Pcap)
	switch {
	case r.unlocked:
		return "tshark -r " + pcap + " -Y " + layer + "   # Wireshark opens it decrypted too"
	case r.KeyLog != "":
		return "tshark -r " + pcap + " -o tls.keylog_file:" + text.ShellWord(r.KeyLog) + " -Y " + layer
	}
	return r.Request.Question.Command("trace", "--keylog", "keys.log", "--pcap", pcap) // this one stays encrypted
}
