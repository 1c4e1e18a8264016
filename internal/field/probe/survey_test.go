package probe

import (
	"testing"

	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// somebody turns a test server's target into one that a user typed.
func somebody(t *testing.T, server Target, path string) Target {
	t.Helper()
	got, err := ParseTarget("https://" + server.Addr + path)
	if err != nil {
		t.Fatal(err)
	}
	got.CAFile = server.CAFile
	return got
}

func TestASurveyTellsHowEachKindOfServerEndsAConnection(t *testing.T) {
	for _, x := range []struct {
		name   string
		server func(limit int) func(*peer)
		how    string
		exact  bool
		first  any // whether GOAWAY comes before the last answer
	}{
		{"one stage, as nginx", likeNginx, facts.EndedByGoaway, true, true},
		{"two stages, as Envoy", likeEnvoy, facts.EndedByTwoStages, false, true},
		{"an id in the future, as HAProxy", likeHAProxy, facts.EndedByFutureID, false, false},
		{"a close without a GOAWAY", rude, facts.EndedByClose, true, "null"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 7, 1000} {
				got, err := Survey(t.Context(), somebody(t, h2server(t, x.server(n)), "/x?y=1"), Ask{MaxStreams: 3000})
				if err != nil {
					t.Fatalf("limit %d: %v", n, err)
				}
				if got.Ending == nil || got.Ending.How != x.how || show(got.Ending.GoawayFirst) != x.first {
					t.Errorf("limit %d: ending %+v, want %s, GOAWAY first %v", n, got.Ending, x.how, x.first)
				}
				if got.Budget.Least != n || got.Budget.Exact() != x.exact {
					t.Errorf("limit %d: budget %+v, most %v; want %d, exact %v", n, got.Budget, show(got.Budget.Most),
						n, x.exact)
				}
				if len(got.Budget.Counts) < 2 || len(got.Warnings) > 0 || got.Status != 200 {
					t.Errorf("limit %d: %+v", n, got)
				}
				if c := cause.Of(got); c.Kind != cause.Count || *c.Requests != n {
					t.Errorf("limit %d: %s %v, ends %+v", n, c.Kind, c.Fits, c.Ends)
				}
			}
		})
	}
}
