package workshop

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/await"
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
	if !isExactly(a["last_stream_id"], int64(last)) {
		return lacks(goawayID, "%s is not the last-stream-id of the trace", clip(a["last_stream_id"]))
	}
	if !isExactly(a["requests"], int64(last+1)/2) {
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

// againFits reports whether an answer is exactly the streams above the last-stream-id, as a list or as "above N". A client's
// ids are odd, so a rule may name any number between two of them.
func againFits(answer string, last uint32, dropped []uint32) bool {
	if from, ok := parseAmount(answer); ok && from.open {
		return from.least == int64(last)+1 || from.least == int64(last)+2
	}
	ids, ok := numbers(answer)
	return ok && slices.EqualFunc(ids, dropped, func(id int64, stream uint32) bool { return id == int64(stream) })
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

// The states of exercise 7.
const (
	stagesOpen    State = "open"
	stagesCount   State = "stages"
	stagesFirst   State = "first-id"
	stagesDropped State = "dropped"
)

// envoy is exercise 7: compare a GOAWAY in two stages with one in one stage.
func envoy() Exercise {
	return Exercise{
		Number: 7, Name: "envoy", Files: []string{answersFile}, NeedsLab: true,
		Check: checkEnvoy,
	}
}

// oneTrace is the figures that exercise 7 asks for each front.
type oneTrace struct {
	stages  int
	first   uint32
	dropped int
}

var (
	stageFronts = []string{lowEnvoy, lowNginx}
	stageThings = []string{"stages", "first_last_stream_id", "dropped"}
)

func stageKeys() []string {
	var out []string
	for _, front := range stageFronts {
		for _, thing := range stageThings {
			out = append(out, front+"."+thing)
		}
	}
	return out
}

func checkEnvoy(ctx context.Context, d *Desk) (Finding, error) {
	a, err := d.answers(7, stageKeys()...)
	if err != nil {
		return Finding{}, err
	}
	if open := a.open(stageKeys()...); len(open) > 0 {
		return lacks(stagesOpen, "send %d requests at once (--streams %[1]d); %s has no answer for %s",
			d.own.streams, shown(7, answersFile), strings.Join(open, ", ")), nil
	}
	traces := make([]oneTrace, len(stageFronts))
	errs := make([]error, len(stageFronts))
	var group await.Group
	for i, front := range stageFronts {
		group.Go(func() {
			line, err := probe.Trace(ctx, d.target(front), probe.TraceAsk{Limit: d.own.limit, Streams: d.own.streams})
			traces[i], errs[i] = traced(line.Renewal), err
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return Finding{}, err
		}
	}
	return judgeStages(a, traces), nil
}

func traced(r facts.Renewal) oneTrace {
	ids := goawayIDs(r)
	t := oneTrace{stages: len(ids), dropped: len(r.Dropped)}
	if len(ids) > 0 {
		t.first = ids[0]
	}
	return t
}

// judgeStages compares the answers with one trace of each front.
func judgeStages(a answers, traces []oneTrace) Finding {
	states := []State{stagesCount, stagesFirst, stagesDropped}
	for k, thing := range stageThings {
		for i, front := range stageFronts {
			key, t := front+"."+thing, traces[i]
			want := []int64{int64(t.stages), int64(t.first), int64(t.dropped)}[k]
			if !isExactly(a[key], want) {
				return lacks(states[k], "%s is not what a new trace shows for %s", clip(a[key]), key)
			}
		}
	}
	return done("new traces agree: %s sends GOAWAY in %s and drops %d streams, %s in %s and drops %d",
		lowEnvoy, stagesOf(traces[0]), traces[0].dropped, lowNginx,
		stagesOf(traces[1]), traces[1].dropped)
}

func stagesOf(t oneTrace) sentence {
	if t.stages == 1 {
		return say("1 stage")
	}
	return say("%d stages", t.stages)
}
