package counters

import (
	"context"
	"time"

	"h2lab/internal/base/stubstatus"
	"h2lab/internal/facts"
)

// nginx reads the log of first requests and stub_status, whose numbers include the server's other
// listeners and the reading in progress (ngx_http_stub_status_module).
type nginx struct {
	*fetcher
	server facts.Server
	used   *usedLog // nil when there is none
	marks  *hundreds
}

// openNginx returns the interface Source: a nil *nginx in it would not be nil.
func openNginx(root string, s facts.Server) (Source, error) {
	src := newNginx(s, new(own))
	var err error
	if s.UsedLog != "" {
		src.used, err = openUsedLog(root, s)
	}
	if err == nil && s.HundredsLog != "" {
		src.marks, err = openHundreds(root, s)
	}
	if err != nil {
		src.Close()
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
	page, err := stubstatus.Parse(src.body.Bytes())
	if err != nil {
		return facts.Observation{}, src.unreadable(err)
	}
	o.Raw = page
	o.Accepted = new(o.Raw["accepts"] - src.own.dials.Load())
	o.Requests = new(o.Raw["requests"] - src.own.reads)
	if src.used != nil {
		lines, err := src.used.lines()
		if err != nil {
			return facts.Observation{}, err
		}
		o.Used = new(lines)
		o.Raw["used_log_lines"] = lines
	}
	if src.marks != nil {
		if err := src.marks.read(o.Raw); err != nil {
			return facts.Observation{}, err
		}
	}
	return o, nil
}

// Close implements Source.
func (src *nginx) Close() {
	src.fetcher.Close()
	if src.used != nil {
		_ = src.used.file.Close()
	}
	if src.marks != nil {
		_ = src.marks.file.Close()
	}
}
