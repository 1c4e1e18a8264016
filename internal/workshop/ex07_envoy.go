package workshop

import (
	"context"
	"strings"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
)

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
		Hints: map[State]Hints{
			stateFormat: formatHints,
			stagesOpen: {
				"you need two traces, one of each front; Envoy's takes some seconds, which is part of the answer",
				"count the frames called GOAWAY in each trace, note the id in the first, and count the requests " +
					"without an answer",
				"the sentence below each trace's frames summarises the requests; the ids are in the last column",
			},
			stagesCount: {
				"how many GOAWAYs does each server send on one connection?",
				"a trace shows every frame to the end of the connection: wait for the end, it can take six seconds",
				"one of the servers announces the end before it names the last stream; the other does both in one frame",
			},
			stagesFirst: {
				"the answer is the last-stream-id of the first GOAWAY, not of the last one",
				"one of the two servers first sends an id that no stream has",
				"compare the id with those of the requests in the same trace: one server names a request, the other an id " +
					"that no request of this connection has; copy it from the frame",
			},
			stagesDropped: {
				"which of the requests in flight got no answer?",
				"how many did you send at once, and how many did the exercise ask for? Half of them are above the limit",
				"the server that announces the end first continues to answer for a while: which requests does it " +
					"drop?",
			},
		},
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
	stageKinds  = []kind{ofGoaways, ofIDs, ofDropped}
)

// droppedThing is the index of dropped in stageThings.
const droppedThing = 2

// means reports whether an answer means a number. "1 or more" means that there are some: it is right
// for a count that depends on how many were sent, and wrong if there are none.
func (a amount) means(n int64, some bool) bool {
	return a.exact() && a.least == n || some && a.open && a.least >= 1 && a.holds(n)
}

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
			if n, ok := parseAmount(a[key], stageKinds[k]); !ok || !n.means(want, k == droppedThing) {
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
