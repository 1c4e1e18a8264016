package live

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"h2lab/internal/base/loopback"
)

//go:embed live.html live.css live.js
var files embed.FS

// watchers bounds how many pages follow at once.
const watchers = 64

// Serve serves a feed on l until ctx ends. report is the run's finished page, or nil. The page is in English, or in the
// other language that w has. Serve refuses pages of other origins (loopback.Only).
func Serve(ctx context.Context, l net.Listener, feed Feed, report func() []byte, w Words) error {
	english, err := assemble(Words{})
	if err != nil {
		return err
	}
	other, err := assemble(w)
	if err != nil {
		return err
	}
	room := make(chan struct{}, watchers)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(out http.ResponseWriter, r *http.Request) {
		if w.wanted(r) {
			other.write(out)
			return
		}
		english.write(out)
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
			stream(w, r, feed)
		default:
			http.Error(w, fmt.Sprintf("%d pages already follow the run: close one", watchers), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /report.html", func(w http.ResponseWriter, _ *http.Request) {
		page := report()
		if page == nil {
			http.Error(w, "there is no report yet: it is drawn when the run has ended", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(page)
	})
	s := &http.Server{Handler: loopback.Only(unsniffed(mux)), ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// unsniffed makes a browser use the Content-Type header, whatever the content is.
func unsniffed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// stream sends the feed as server-sent events (WHATWG HTML §9.2), a line an event.
func stream(w http.ResponseWriter, r *http.Request, feed Feed) {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	// A browser connects again by itself; it then gets every event again, and the page restarts at
	// the run's first event.
	fmt.Fprint(w, "retry: 1000\n\n")
	_ = out.Flush()
	_ = feed(r.Context(), func(line []byte) error {
		_ = out.SetWriteDeadline(time.Now().Add(5 * time.Second)) // for a page whose browser has stopped reading
		if _, err := fmt.Fprintf(w, "data: %s\n\n", line); err != nil {
			return err
		}
		return out.Flush()
	})
}
