package counters

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// nginx reads stub_status, whose numbers are those of the whole server, its
// own listener and the reading in progress included
// (ngx_http_stub_status_module), and the log of first requests.
type nginx struct {
	*fetcher
	server facts.Server
	used   *usedLog // nil when there is none
}

// openNginx returns the interface: a nil *nginx in it would not be nil.
func openNginx(root string, s facts.Server) (Source, error) {
	src := newNginx(s, new(own))
	if s.UsedLog == "" {
		return src, nil
	}
	var err error
	if src.used, err = openUsedLog(root, s); err != nil {
		return nil, err
	}
	return src, nil
}

func newNginx(s facts.Server, o *own) *nginx {
	return &nginx{fetcher: newFetcher(s, "/stub_status", o), server: s}
}

// twin does not read the log: a timeline has no column for it.
func (src *nginx) twin() Source { return newNginx(src.server, src.own) }

// Observe implements Source.
func (src *nginx) Observe(ctx context.Context) (facts.Observation, error) {
	src.own.Lock()
	defer src.own.Unlock()
	if err := src.get(ctx); err != nil {
		return facts.Observation{}, err
	}
	o := facts.Observation{At: time.Now()}
	var err error
	if o.Raw, err = stubStatus(src.body.String()); err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	o.Accepted = n(o.Raw["accepts"] - src.own.dials.Load())
	o.Requests = n(o.Raw["requests"] - src.own.reads)
	if src.used != nil {
		lines, err := src.used.lines()
		if err != nil {
			return facts.Observation{}, err
		}
		o.Used = n(lines)
		o.Raw["used_log_lines"] = lines
	}
	return o, nil
}

// Close implements Source.
func (src *nginx) Close() {
	src.fetcher.Close()
	if src.used != nil {
		_ = src.used.file.Close()
	}
}

// stubStatus reads
//
//	Active connections: 3
//	server accepts handled requests
//	 20 20 41
//	Reading: 0 Writing: 1 Waiting: 2
func stubStatus(text string) (map[string]int64, error) {
	words := strings.Fields(text)
	raw := make(map[string]int64, 8)
	if len(words) == 16 && words[0] == "Active" && words[5] == "handled" {
		for name, at := range map[string]int{"active": 2, "accepts": 7, "handled": 8, "requests": 9, "reading": 11, "writing": 13, "waiting": 15} {
			v, err := strconv.ParseInt(words[at], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("stub_status: %s: %w", name, err)
			}
			raw[name] = v
		}
		return raw, nil
	}
	return nil, fmt.Errorf("%.40q is not a stub_status page", text)
}
