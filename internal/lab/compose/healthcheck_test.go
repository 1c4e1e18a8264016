package compose_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
)

// server answers with each status in turn, then repeats the last one.
func server(t *testing.T, statuses ...int) (compose.Health, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := int(asked.Add(1))
		w.WriteHeader(statuses[min(n, len(statuses))-1])
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.crt")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	labtest.Write(t, ca, string(block))
	return compose.Health{URL: s.URL, CAFile: ca, Mark: filepath.Join(dir, "mark")}, &asked
}

func TestHealthcheckWaitsForTheServerToBecomeHealthy(t *testing.T) {
	h, asked := server(t, 503, 503, 200)
	labtest.Check(t, compose.Healthcheck(context.Background(), h))
	if asked.Load() != 3 {
		t.Errorf("it asked %d times, want 3", asked.Load())
	}
}

func TestHealthcheckRestsBeforeItAsksAHealthyServerAgain(t *testing.T) {
	h, asked := server(t, 200)
	labtest.Check(t, compose.Healthcheck(context.Background(), h))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if err := compose.Healthcheck(ctx, h); err == nil || asked.Load() != 1 {
		t.Errorf("it asked %d times (%v), want it to rest after the first", asked.Load(), err)
	}
	h.Rest = time.Millisecond
	if err := compose.Healthcheck(context.Background(), h); err != nil || asked.Load() != 2 {
		t.Errorf("after its rest: asked %d times, %v", asked.Load(), err)
	}
}

func TestHealthcheckTellsWhatItWasAnswered(t *testing.T) {
	h, _ := server(t, 503)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	mustSay(t, compose.Healthcheck(ctx, h), "503", h.URL)
}

func TestHealthcheckVerifiesTheServer(t *testing.T) {
	h, _ := server(t, 200)
	other := filepath.Join(t.TempDir(), "ca.crt")
	labtest.Write(t, other, "nothing")
	h.CAFile = other
	mustSay(t, compose.Healthcheck(context.Background(), h), "holds no certificate", "make certs")
	h.CAFile = filepath.Join(t.TempDir(), "absent.crt")
	mustSay(t, compose.Healthcheck(context.Background(), h), "absent.crt", "make certs")
}
