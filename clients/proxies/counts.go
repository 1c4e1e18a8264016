package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"h2lab/clients/kit"
)

// Counts reads Envoy's counters; nginx doesn't count its connections to upstreams.
func (c *client) Counts() kit.Counts {
	if !isEnvoy(c.flags.Variant) {
		return kit.Counts{}
	}
	admin := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(c.dir, "admin.sock"))
		}}}
	resp, err := admin.Get("http://envoy/stats?filter=^cluster.upstream")
	if err != nil {
		return kit.Counts{}
	}
	defer resp.Body.Close()
	return readStats(resp.Body)
}

// readStats reads Envoy's statistics of the cluster.
func readStats(page io.Reader) kit.Counts {
	var counts kit.Counts
	lines := bufio.NewScanner(page)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		version, isVersion := strings.CutPrefix(name, "cluster.upstream.ssl.versions.TLSv")
		switch {
		case name == "cluster.upstream.upstream_cx_total":
			counts.Dialled = &n
		case name == "cluster.upstream.ssl.session_reused":
			counts.Resumed = &n
		case isVersion && n > 0:
			counts.TLSVersion = version
		}
	}
	return counts
}
