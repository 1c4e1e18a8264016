package workshop

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
)

// The states of exercise 4.
const (
	goawayOpen     State = "open"
	goawayID       State = "last-stream-id"
	goawayRequests State = "requests"
	goawayAgain    State = "send-again"
	goawayPost     State = "post"
)

var goawayKeys = []string{"last_stream_id", "requests", "send_again", "post_too"}

// goaway is exercise 4: read a GOAWAY frame by frame.
func goaway() Exercise {
	return Exercise{
		Number: 4, Name: "goaway", Files: []string{answersFile}, NeedsLab: true,
		Check: checkGoaway,
		Hints: map[State]Hints{
			stateFormat: formatHints,
			goawayOpen: {
				"one trace of nginx-low has all answers",
				"look for the single GOAWAY frame, then for the requests without an answer",
				"the frame names a stream; count the requests up to it and those after it; the notes below the " +
					"frames explain what may be done with those",
			},
			goawayID: {
				"the frame itself has the number",
				"it is in the frame's last column, and it is a stream id, not a count",
				"it is the stream of the request that reached the limit: the last one that the server accepted",
			},
			goawayRequests: {
				"a count of requests is not an id",
				"a client's streams have odd ids, and begin at 1: how many are there up to the last-stream-id?",
				"the trace itself numbers the requests: find the note beside the one that reaches the limit",
			},
			goawayAgain: {
				"which streams were never answered, and what does the frame imply for them?",
				"the rule compares a stream's id with the last-stream-id: which side was certainly not processed?",
				"a list of ids or a comparison with one id will do; the trace notes which requests were never answered",
			},
			goawayPost: {
				"why is it dangerous to send a POST a second time?",
				"it is dangerous if the first one may have been executed: what does the GOAWAY guarantee for " +
					"these streams?",
				"RFC 9113 section 6.8 says what the sender of a GOAWAY has done with these streams: look for an exception " +
					"for a method",
			},
		},
	}
}

func checkGoaway(ctx context.Context, d *Desk) (Finding, error) {
	a, err := d.answers(4, goawayKeys...)
	if err != nil {
		return Finding{}, err
	}
	if open := a.open(goawayKeys...); len(open) > 0 {
		return lacks(goawayOpen, "%s has no answer for %s", shown(4, answersFile), strings.Join(open, ", ")), nil
	}
	line, err := probe.Trace(ctx, d.target(lowNginx), probe.TraceAsk{Limit: d.own.limit})
	if err != nil {
		return Finding{}, err
	}
	ids := goawayIDs(line.Renewal)
	if len(ids) != 1 || len(line.Renewal.Dropped) == 0 {
		return Finding{}, fmt.Errorf("the trace of %s shows %d GOAWAYs and %d dropped streams; look at it with: "+
			"h2lab trace", lowNginx, len(ids), len(line.Renewal.Dropped))
	}
	return judgeGoaway(a, ids[0], line.Renewal.Dropped), nil
}

// judgeGoaway compares the answers with a trace.
func judgeGoaway(a answers, last uint32, dropped []uint32) Finding {
	if n, ok := parseAmount(a["last_stream_id"], ofIDs); !ok || !n.exact() || n.least != int64(last) {
		return lacks(goawayID, "%s is not the last-stream-id of the trace", clip(a["last_stream_id"]))
	}
	if n, ok := parseAmount(a["requests"], ofRequests); !ok || !n.exact() || n.least != int64(last+1)/2 {
		return lacks(goawayRequests, "%s is not the number of requests that the connection got", clip(a["requests"]))
	}
	if !againFits(a["send_again"], last, dropped) {
		return lacks(goawayAgain, "%s are not the streams that may be sent again", clip(a["send_again"]))
	}
	switch yes, ok := parseYes(a["post_too"]); {
	case !ok:
		return lacks(goawayPost, "%s is neither yes nor no for a POST among them", clip(a["post_too"]))
	case !yes:
		return lacks(goawayPost, "%s is not what the GOAWAY means for a POST among them", clip(a["post_too"]))
	}
	return done("a new trace agrees: %d requests, last-stream-id %d, and requests above it may be sent again, "+
		"whatever the method", (last+1)/2, last)
}

// The words of a rule about ids that don't change it.
var (
	ruleWords = regexp.MustCompile(`\b(?:all|every|each|any|the|those|these|stream[_-]?ids?|streams?|ids?|numbers?|numbered|requests?|ones?|with|an?|whose|` +
		`is|are|that|which|odd|only|of|than|have|having|has|it|everything|anything|they|can|may|be|both|strictly|` +
		`[xn]|last|\d+ last|three|two|dropped|lost|skipped|unprocessed|unanswered|never processed|not processed|unprocessed)\b|[()#{}\[\]]`)
	lastName = regexp.MustCompile(`(?:the )?\blast[ _-]?stream[ _-]?id\b|(?:the )?goaway(?:'s)?(?: frame)?(?:'s)? (?:id|number)\b|` +
		`(?:the )?id (?:in|of) (?:the )?goaway(?: frame)?`)
	// ruleAside is a remark in parentheses or behind a dash; ruleReason is a reason behind a comma.
	ruleAside  = regexp.MustCompile(`\(([^()]*)\)| - (.*)$`)
	ruleReason = regexp.MustCompile(`(?:[,;.:] *)?\b(?:because|since)\b.*$|` +
		`[,;.:] *(?:as|so|they|these|those|it|that|which|the server)\b.*$`)
	ruleThree = regexp.MustCompile(`[这那]?三[个条](流?)`)
	ruleLabel = regexp.MustCompile(`^[a-z ]+: *`)
	restricts = regexp.MustCompile(`\bonly\b|\bif\b|\bidempot|幂等|\bget\b|\bnot\b|\bexcept|\bbut\b|n't\b|\bunless\b|\bwith an?\b`)

	ruleLess  = regexp.MustCompile(`^(\d+) ?(<=?)$`)
	ruleAbove = regexp.MustCompile(`^(?:>|above|greater|higher|larger|bigger|beyond|after|over|behind|past|exceeding|exceeds?|later) ?(\d+)$`)
	ruleFrom  = regexp.MustCompile(`^(?:(?:>=|from|at least|starting (?:at|from)|beginning (?:at|from)|not below) ?(\d+)` +
		`(?: (?:on|onwards?|up|upwards?|and up|and above))?|(\d+) ?(?:\+|and (?:above|up|higher|later|larger|more|after|following)|` +
		`or (?:above|higher|later|larger|more|greater)|onwards?|upwards?))$`)
	ruleRange = regexp.MustCompile(`^(?:from |between )?(\d+) ?(?:-|to|and|through|\.\.+|…) ?(\d+)$`)
)

// aRule writes an answer about streams without what doesn't change it.
func aRule(s string, last uint32, dropped []uint32) string {
	id := strconv.FormatUint(uint64(last), 10)
	s = ruleThree.ReplaceAllString(lastName.ReplaceAllString(strings.ToLower(s), id), "$1")
	s = oneSpelling(s)
	s = ruleAside.ReplaceAllStringFunc(s, func(part string) string {
		inner := ruleAside.FindStringSubmatch(part)
		text := strings.TrimSpace(inner[1] + inner[2])
		other := anyNumber.MatchString(strings.ReplaceAll(text, id, "")) || text != id && strings.Contains(text, id)
		if other && !strings.HasPrefix(text, "excluding") && !againFits(text, last, dropped) ||
			restricts.MatchString(strings.ReplaceAll(text, "not processed", "")) {
			return part
		}
		return " "
	})
	if reason := ruleReason.FindString(s); !restricts.MatchString(strings.ReplaceAll(reason, "not processed", "")) &&
		!anyNumber.MatchString(strings.ReplaceAll(reason, id, "")) {
		s = strings.TrimSuffix(s, reason)
	}
	if label := ruleLabel.FindString(s); !restricts.MatchString(label) {
		s = strings.TrimPrefix(s, label)
	}
	return strings.Join(strings.Fields(strings.TrimRight(ruleWords.ReplaceAllString(s, " "), "., ")), " ")
}

// againFits reports whether an answer means exactly the streams above the last-stream-id. A client's
// ids are odd, so a rule may name any number between two of them.
func againFits(s string, last uint32, dropped []uint32) bool {
	s = aRule(s, last, dropped)
	if from, ok := ruleStart(s); ok {
		return from == int64(last)+1 || from == int64(last)+2
	}
	if m := ruleRange.FindStringSubmatch(s); m != nil && len(dropped) > 2 {
		low, ok := bounded(m[1])
		high, too := bounded(m[2])
		end := int64(dropped[len(dropped)-1])
		return ok && too && (low == int64(last)+1 || low == int64(last)+2) && (high == end || high == end+1)
	}
	var ids []uint32
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",;&/ \t", r) }) {
		if w == "and" {
			continue
		}
		n, err := strconv.ParseUint(w, 10, 32)
		if err != nil {
			return false
		}
		ids = append(ids, uint32(n))
	}
	slices.Sort(ids)
	return slices.Equal(slices.Compact(ids), dropped)
}

// ruleStart returns the least id that a rule without an upper end allows.
func ruleStart(s string) (int64, bool) {
	if m := ruleLess.FindStringSubmatch(s); m != nil {
		n, ok := bounded(m[1])
		return n + int64(2-len(m[2])), ok
	}
	if m := ruleAbove.FindStringSubmatch(s); m != nil {
		n, ok := bounded(m[1])
		return n + 1, ok
	}
	if m := ruleFrom.FindStringSubmatch(s); m != nil {
		return bounded(m[1] + m[2])
	}
	return 0, false
}

// lastID matches the last-stream-id in the trace's text of a GOAWAY.
var lastID = regexp.MustCompile(`last_stream_id=(\d+)`)

// goawayIDs returns the last-stream-ids of the GOAWAY frames, in the order received.
func goawayIDs(r facts.Renewal) []uint32 {
	var out []uint32
	for _, f := range r.Frames {
		if f.Type != "GOAWAY" || f.Sent {
			continue
		}
		if m := lastID.FindStringSubmatch(f.Detail); m != nil {
			n, _ := strconv.ParseUint(m[1], 10, 32)
			out = append(out, uint32(n))
		}
	}
	return out
}
