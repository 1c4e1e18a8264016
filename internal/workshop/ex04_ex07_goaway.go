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

var goawayKeys = []string{"last_stream_id", "requests", "send_again", "post_too"}

// checkGoaway: read a GOAWAY frame by frame.
func checkGoaway(ctx context.Context, d *Desk) (Finding, error) {
	a, f, err := d.answers(4, facts.Text{}, goawayKeys...)
	if err != nil || f.State != Done {
		return f, err
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
	id, requests, again, post := a["last_stream_id"], a["requests"], a["send_again"], strings.Trim(a["post_too"], ".。! ")
	yes := slices.Contains([]string{"yes", "y", "是", "可以"}, post)
	no := slices.Contains([]string{"no", "n", "否", "不可以"}, post)
	return first(
		rule{!isExactly(id, int64(last)), "last-stream-id", facts.T("workshop.not-last-id", clip(id))},
		rule{!isExactly(requests, int64(last+1)/2), "requests", facts.T("workshop.not-the-requests", clip(requests))},
		rule{!againFits(again, last, dropped), "send-again", facts.T("workshop.not-the-streams", clip(again))},
		rule{!yes && !no, "post", facts.T("workshop.neither-yes-nor-no", clip(post))},
		rule{no, "post", facts.T("workshop.not-for-post", clip(post))},
		rule{true, Done, facts.T("workshop.trace-agrees", (last+1)/2, last)},
	)
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

// checkEnvoy: compare a GOAWAY in two stages with one in one stage.
func checkEnvoy(ctx context.Context, d *Desk) (Finding, error) {
	a, f, err := d.answers(7, facts.T("workshop.send-at-once", d.own.streams), stageKeys()...)
	if err != nil || f.State != Done {
		return f, err
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
	states := []State{"stages", "first-id", "dropped"}
	for k, thing := range stageThings {
		for i, front := range stageFronts {
			key, t := front+"."+thing, traces[i]
			if want := []int64{int64(t.stages), int64(t.first), int64(t.dropped)}[k]; !isExactly(a[key], want) {
				return lacks(states[k], facts.T("workshop.not-in-new-trace", clip(a[key]), key))
			}
		}
	}
	stages := func(i int) facts.Text { return facts.T("workshop.stages", traces[i].stages) }
	return done(facts.T("workshop.new-traces-agree", lowEnvoy, stages(0), traces[0].dropped, lowNginx, stages(1),
		traces[1].dropped))
}
