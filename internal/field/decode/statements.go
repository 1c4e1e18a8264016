package decode

import (
	"fmt"
	"strings"

	format "h2lab/internal/base/text"
)

// Statement is one thing that a text proves, with the words that prove it.
type Statement struct {
	About string `json:"about"`
	Says  string `json:"says"`
	Words string `json:"words"`
}

// What statements are about, in the order in which they are printed.
const (
	aboutSpeaker = iota
	aboutEvent
	aboutDirection
	aboutCode
	aboutLast
	aboutStream
	aboutDebug
	aboutUnsent
	aboutMost
)

var aboutNames = [aboutMost]string{"speaker", "event", "direction", "code", "last_stream_id", "stream_id", "debug",
	"not_processed"}

// statements are what the text proves, in the order of printing.
func (p *proofs) statements(t text) (out []Statement) {
	for about, at := range p.at {
		says := p.says(about)
		if says == "" || at.to <= at.from || at.to > len(t.as) {
			continue
		}
		out = append(out, Statement{aboutNames[about], says, format.ClipLine(strings.TrimSpace(t.as[at.from:at.to]), 80)})
	}
	return out
}

func (p *proofs) says(about int) string {
	switch about {
	case aboutSpeaker:
		return "its writer is a " + p.Speaker
	case aboutEvent:
		return eventMeans[p.Event]
	case aboutDirection:
		if p.Direction == "" {
			return ""
		}
		return "its writer " + p.Direction + " it"
	case aboutCode:
		if p.Code != "" {
			return "error code " + p.Code + ": " + codeMeans[p.Code]
		}
	case aboutLast:
		return p.lastMeans()
	case aboutStream:
		if p.StreamID != nil {
			return fmt.Sprintf("the request's stream is %d", *p.StreamID)
		}
	case aboutDebug:
		if p.Debug != nil {
			return debugMeans(*p.Debug)
		}
	case aboutUnsent:
		if p.Unsent && p.Event != onUnsent {
			return "the request was not processed"
		}
	}
	return ""
}

var eventMeans = map[Event]string{
	onGoaway:         "GOAWAY: one side ends the connection",
	onRstStream:      "one stream was reset",
	onCalm:           "the peer objects to what it is sent",
	onNeverConnected: "no connection was made",
	onTLSFailure:     "TLS failed",
	onLocalLimit:     "a limit on this side refused the request",
	onUnsent:         "the request was not sent",
	onViolation:      "a frame or a header that the protocol doesn't allow",
	onCancelled:      "the caller gave up",
	onClosed:         "the connection closed or failed",
	onTimedOut:       "the time ran out",
	onAnswered:       "the application answered",
	onServerLine:     "a server's own log",
	onTooLarge:       "a message is larger than one side accepts",
	onStatus:         "an HTTP status was the answer",
}

// lastMeans is what a last-stream-id shows about the connection.
func (p *proofs) lastMeans() string {
	switch id := p.LastStreamID; {
	case id == nil:
		return ""
	case p.impossible() != "":
		return fmt.Sprintf("last stream id %d: %s", *id, p.impossible())
	case *id == maxID:
		return "last stream id 2147483647: the end is announced, no stream is excluded yet"
	case *id == 0:
		return "last stream id 0: none of the connection's requests was processed"
	default:
		return fmt.Sprintf("last stream id %d: %s", *id, carried(*id, p.Code))
	}
}

// carried describes what a last-stream-id shows about the connection and its limit. A limit ends a
// connection without an error; after an error the number is arbitrary.
func carried(id uint32, code string) string {
	n, round := requests(id)
	says := fmt.Sprintf("the connection carried %s", format.Things(int(n), "request"))
	if code != "" && code != "NO_ERROR" {
		return says
	}
	switch known := limitSource(n); {
	case known != "":
		return says + "; " + known
	case round:
		return says + ", a round number: a limit of that size, perhaps"
	}
	return says + "; not a round number, which suggests a reload, the connection's age or idleness, not a limit"
}

// debugMeans is the debug data with its meaning.
func debugMeans(said string) string {
	if said == "" {
		return "no debug data"
	}
	return "debug data " + said + debugKnown[said]
}

// debugKnown is what servers mean by the debug data of their GOAWAY.
var debugKnown = map[string]string{
	"max_age":                  ": a gRPC server's MaxConnectionAge ended the connection",
	"max_idle":                 ": a gRPC server's MaxConnectionIdle ended the connection",
	"graceful_stop":            ": a gRPC server is shutting down",
	"app_requested":            ": a gRPC server's application ended the connection",
	"too_many_pings":           ": the client's keepalive pings come more often than the server permits",
	"too_many_internal_resets": ": h2, the Rust library, counted too many reset streams",
	"too_many_resets":          ": h2, the Rust library, counted too many reset streams",
	"ParseError":               ": Envoy with the oghttp2 codec",
	"graceful shutdown":        ": H2O",
	"timeout":                  ": Apache ends unused connections so",
	"idle_timeout":             ": the connection was unused for too long",
	"session timed out":        ": the connection was unused for too long",
	"load_shed":                ": the server had too much to do",
}
