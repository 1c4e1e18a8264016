package decode

import (
	"strings"
	"sync"
)

// ways are the words that say which way a frame went: theirs came from the other side, client from a
// client; got and ours are the writer's own deeds.
var ways = []struct {
	who   way
	words []string
}{
	{theirs, []string{
		"server sent", "server has sent", "server closed", "server reset", "server refused", "server ended",
		"server's graceful", "server rejected", "server sends", "server closes", "server resets", "peer sends",
		"upstream sends", "backend sends", "upstream sent", "upstream closed", "upstream reset", "peer sent",
		"peer closed", "peer reset", "remote sent", "remote closed", "backend sent", "origin sent", "from peer",
		"from the peer", "from server", "from the server", "from remote", "from upstream", "by peer",
		"by the peer", "by server", "by the server", "by remote", "by the remote", "by upstream",
		"remote_reset:true", "remote reset", "remote_reset", "remote_refused", "remote_goaway", ", remote",
		"remote refused",
	}},
	{byClient, []string{
		"client sent", "client sends", "client has sent", "client closed", "client reset", "client canceled", "client cancelled",
		"client aborted", "from client", "from the client", "by client", "by the client", "downstream_remote",
	}},
	{got, []string{
		"received", "receive", "recv", "receiving", "got", "read", "rcvd", "inbound", "<<", "<-", "connectionterminated",
	}},
	{ours, []string{
		"sending", "send", "sends", "sent", "wrote", "writing", "write", "outbound", ">>", "submitted", "detected",
		"local", "locally", "library", "sent_goaway", "local_reset", "flushed", "generated", "flushing",
	}},
}

type way int

const (
	theirs way = iota
	byClient
	got
	ours
)

const aroundFrame = 56

// wayScan finds the words of ways; wayOf are the ways of its terms.
var wayScan = sync.OnceValue(func() (out struct {
	scan  *scanner
	words []string
	of    []way
}) {
	for _, w := range ways {
		for _, words := range w.words {
			out.words, out.of = append(out.words, words), append(out.of, w.who)
		}
	}
	out.scan = newScanner(out.words)
	return out
})

// direction finds the words nearest to the frame that say whether the writer sent or received it.
// Of words that overlap the longer ones count.
func (p *proofs) direction(t text) {
	switch p.Event {
	case onGoaway, onCalm, onRstStream, onViolation, onClosed, onCancelled:
	default:
		return
	}
	frame := p.at[aboutEvent]
	begin := max(0, frame.from-aroundFrame)
	window := t.low[begin:min(len(t.low), frame.to+aroundFrame)]
	known := wayScan()
	var buffer [4]uint64
	hits := terms(buffer[:])
	scan(known.scan, window, hits)
	nearest, longest := len(window), 0
	for i := range hits.all {
		words := known.words[i]
		for from := 0; ; {
			at, ok := wholeWords(window, words, from)
			if !ok {
				break
			}
			from = at.to
			if known.of[i] == ours && failedDeed().MatchString(window[at.to:]) {
				continue
			}
			distance := max(0, begin+at.from-frame.to, frame.from-begin-at.to)
			if distance < nearest || distance == nearest && len(words) > longest {
				nearest, longest = distance, len(words)
				p.Direction = p.towards(known.of[i])
				p.at[aboutDirection] = span{begin + at.from, begin + at.to}
			}
		}
	}
}

// failedDeed matches what follows the deed that failed, which is not the frame's: "write failed: GOAWAY".
var failedDeed = lazily(`^(?: \w+)?[ :]{1,2}(?:failed|failure|error)\b`)

// wholeWords finds words in a text from an index on.
func wholeWords(text, words string, from int) (span, bool) {
	for {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return span{}, false
		}
		at := span{from + i, from + i + len(words)}
		if !(at.from > 0 && partOfPath(text[at.from-1]) || at.to < len(text) && partOfPath(text[at.to])) {
			return at, true
		}
		from = at.to
	}
}

// partOfPath reports whether a byte beside a word makes it a part of a longer name: /usr/local/bin.
func partOfPath(c byte) bool { return wordByte(c) || c == '/' }

// towards is the direction as the one who wrote the text saw it.
func (p *proofs) towards(who way) string {
	server := p.Speaker == "server"
	if who == got || who == theirs && !server || who == byClient && p.Speaker != "" {
		return received
	}
	return sent
}

const (
	received = "received"
	sent     = "sent"
)
