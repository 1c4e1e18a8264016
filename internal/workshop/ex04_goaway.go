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
				"one trace of nginx-100 has all answers",
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
				"half of the id, rounded up; and it is the limit in this front's name",
			},
			goawayAgain: {
				"which streams were never answered, and what does the frame imply for them?",
				"the rule compares a stream's id with the last-stream-id: which side was certainly not processed?",
				"list the ids above the last-stream-id, or write \"above\" and that id",
			},
			goawayPost: {
				"why is it dangerous to send a POST a second time?",
				"it is dangerous if the first one may have been executed: what does the GOAWAY guarantee for " +
					"these streams?",
				"RFC 9113 section 6.8 covers all streams above the id, whatever the method",
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
	line, err := probe.Trace(ctx, d.target(lowNginx), probe.TraceAsk{Limit: Limit})
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
	if n, ok := number(a["last_stream_id"]); !ok || n != int64(last) {
		return lacks(goawayID, "%s is not the last-stream-id of the trace", clip(a["last_stream_id"]))
	}
	if n, ok := number(a["requests"]); !ok || n != int64(last+1)/2 {
		return lacks(goawayRequests, "%s is not the number of requests that the connection got", clip(a["requests"]))
	}
	if !againFits(a["send_again"], last, dropped) {
		return lacks(goawayAgain, "%s are not the streams that may be sent again", clip(a["send_again"]))
	}
	if a["post_too"] != "yes" {
		return lacks(goawayPost, "%s is not what the GOAWAY means for a POST among them", clip(a["post_too"]))
	}
	return done("a new trace agrees: %d requests, last-stream-id %d, and requests above it may be sent again, "+
		"whatever the method", (last+1)/2, last)
}

// aRule matches a comparison with the last-stream-id: > 199, above last_stream_id.
var aRule = regexp.MustCompile(`^(?:(?:all|every|each|any|streams?|ids?|with|an|the|id) )*(>|above|greater ` +
	`than|higher than|larger than|behind|after)\s*(\d+|(?:the )?last[_ -]stream[_ -]?id)$`)

// againFits reports whether an answer means exactly the streams above the last-stream-id.
func againFits(s string, last uint32, dropped []uint32) bool {
	if m := aRule.FindStringSubmatch(strings.Join(strings.Fields(s), " ")); m != nil {
		n, err := strconv.ParseUint(m[2], 10, 32)
		return err != nil || uint32(n) == last
	}
	var ids []uint32
	for _, w := range strings.FieldsFunc(s, func(r rune) bool {
		return r == ',' || r == ';' || r == ' ' || r == '\t'
	}) {
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
	return slices.Equal(ids, dropped)
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
