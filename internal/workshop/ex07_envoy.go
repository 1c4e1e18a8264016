package workshop

import (
	"context"
	"strings"

	"h2lab/internal/base/await"
	"h2lab/internal/base/numfmt"
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
				"one server announces the end and sends the last-stream-id later; the other sends both together",
			},
			stagesFirst: {
				"the answer is the last-stream-id of the first GOAWAY, not of the last one",
				"one of the two servers first sends an id that no stream has",
				"the largest possible stream id has thirty-one bits, all set; the other server names the request " +
					"that reached the limit",
			},
			stagesDropped: {
				"which of the requests in flight got no answer?",
				"by default a trace sends six at once around the limit: count those with the note that they were " +
					"never answered",
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
		return lacks(stagesOpen, "%s has no answer for %s", shown(7, answersFile), strings.Join(open, ", ")), nil
	}
	traces := make([]oneTrace, len(stageFronts))
	errs := make([]error, len(stageFronts))
	var group await.Group
	for i, front := range stageFronts {
		group.Go(func() {
			line, err := probe.Trace(ctx, d.target(front), probe.TraceAsk{Limit: Limit})
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
			if n, ok := number(a[key]); !ok || n != want {
				return lacks(states[k], "%s is not what a new trace shows for %s", clip(a[key]), key)
			}
		}
	}
	return done("new traces agree: %s sends GOAWAY in %s and drops %d streams, %s in %s and drops %d",
		lowEnvoy, numfmt.Things(traces[0].stages, "stage"), traces[0].dropped, lowNginx,
		numfmt.Things(traces[1].stages, "stage"), traces[1].dropped)
}
