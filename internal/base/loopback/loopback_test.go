package loopback

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"h2lab/internal/base/labtest"
)

func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	served := 0
	s := httptest.NewServer(Only(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ })))
	t.Cleanup(s.Close)
	port := s.Listener.Addr().(*net.TCPAddr).Port
	faults := labtest.NewFaults(t, labtest.HostilePages)
	for _, f := range labtest.PageFaults(port) {
		faults.Try(f.Name, func(t *testing.T) {
			before := served
			if status, body := labtest.AskAs(t, s.URL+"/", f); status != http.StatusForbidden || body == "" {
				t.Errorf("status %d, %q", status, body)
			}
			if served != before {
				t.Error("the handler was called")
			}
		})
	}
	for _, r := range labtest.AllowedRequests(port) {
		t.Run(r.Name, func(t *testing.T) {
			if status, body := labtest.AskAs(t, s.URL+"/", r); status != http.StatusOK {
				t.Errorf("status %d: %s", status, body)
			}
		})
	}
}

func TestALinkMayBeFollowedAndAFormNot(t *testing.T) {
	s := httptest.NewServer(Only(http.NotFoundHandler()))
	t.Cleanup(s.Close)
	for _, c := range []struct {
		method, mode, dest string
		want               int
	}{
		{http.MethodGet, "navigate", "document", http.StatusNotFound},
		{http.MethodPost, "navigate", "document", http.StatusForbidden},
		{http.MethodGet, "navigate", "iframe", http.StatusForbidden},
		{http.MethodGet, "no-cors", "image", http.StatusForbidden},
		{http.MethodGet, "", "", http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, s.URL, nil)
		labtest.Check(t, err)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", c.mode)
		r.Header.Set("Sec-Fetch-Dest", c.dest)
		a, err := http.DefaultClient.Do(r)
		labtest.Check(t, err)
		_, _ = io.Copy(io.Discard, a.Body)
		_ = a.Body.Close()
		if a.StatusCode != c.want {
			t.Errorf("%+v: status %d", c, a.StatusCode)
		}
	}
}

func TestARequestWhosePortIsNotKnownIsRefused(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:80/", nil)
	Only(http.NotFoundHandler()).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("status %d", w.Code)
	}
}
