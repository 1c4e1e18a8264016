package live

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// Servers without a measurement appear in the journal, with their counters, and leave it when they stop.
func TestServersWithoutAMeasurementAreWatched(t *testing.T) {
	var accepted atomic.Int64
	nginx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := accepted.Add(1)
		fmt.Fprintf(w, "Active connections: 1 \nserver accepts handled requests\n %d %d %d \nReading: 0 Writing: 1 Waiting: 0 \n",
			n, n, n*10)
	}))
	defer nginx.Close()
	root := t.TempDir()
	dir := filepath.Join(root, "results") // before the first run it isn't there
	labtest.Write(t, filepath.Join(root, "used.log"), "")
	front := Front{Name: "nginx-100", Limit: 100, Server: facts.Server{Name: "nginx-1000", Kind: facts.Nginx, UsedLog: "used.log",
		Counters: strings.TrimPrefix(nginx.URL, "http://")}}
	var up atomic.Bool
	up.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Watch(ctx, root, dir, func() []Front {
			if up.Load() {
				return []Front{front}
			}
			return nil
		})
	}()
	defer func() { stop(); <-ended }()

	all := events(t, Follow(filepath.Join(dir, File)), 4)
	if got := names(all); got != "run trial sample sample" || all[0].Command != Up || all[1].Cell != "nginx-100" ||
		all[1].Limit != 100 || all[3].Cell != "nginx-100" || all[3].Accepted == nil {
		t.Fatalf("events %s: %+v", got, all)
	}
	if *all[3].Accepted <= *all[2].Accepted || all[3].TMS <= all[2].TMS {
		t.Errorf("readings %+v", all[2:])
	}
	up.Store(false)
	for n := 5; ; n++ {
		if all := events(t, Follow(filepath.Join(dir, File)), n); all[n-1].Kind == RunEnded {
			return
		}
	}
}
