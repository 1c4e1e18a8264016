package main

import (
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/accesslog"
	"h2lab/internal/report/translations"
)

func TestLogsSpeakChinese(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stampede", "churn"} {
		r := readJSON[accesslog.Result](t, "../../internal/field/accesslog/testdata/"+name+".json")
		var en, zh strings.Builder
		if err := r.WriteText(&en, nil); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteText(&zh, translations.Chinese.Field); err != nil {
			t.Fatal(err)
		}
		sameIn(t, name, en.String(), zh.String())
		chineseGolden(t, "logs-"+name+".txt", zh.String())
	}
	for line := range strings.Lines(labtest.Read(t, "../../internal/field/accesslog/testdata/said.txt")) {
		sameIn(t, "logs", line, translations.Chinese.Field(line))
	}
}

// everyRow is a result of logs with each row.
func everyRow() accesslog.Result {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	number, share, near := uint64(7), .25, uint64(3)
	return accesslog.Result{Files: []string{"a.log"}, Format: "ingress-nginx's JSON in CRI's log", Requests: 12_000, Connections: 31, From: &at,
		To: &at, Malformed: 2, FirstMalformed: &accesslog.BadLine{File: "a.log", Number: 9, Text: "half a line; and no more. The end"},
		BeganBefore: &number, OpenAtEnd: 4, Restarts: 1, Opened: &accesslog.Opened{AtMost: 90, EmptyAtMost: 59, EmptyAtLeast: 3,
			EmptyShare: .005, UpstreamAttempts: &number},
		PerConnection: accesslog.Distribution{Of: "ended", Connections: 1, P50: 1, P90: 1, Max: 1,
			Histogram: []accesslog.Bar{{From: 1_000_000, To: 4294967295, Connections: 2}}},
		Protocols: []accesslog.ProtocolCount{{Protocol: "HTTP/1.1", Requests: 1, Connections: 1}, {Protocol: "unknown", Requests: 9,
			EndedAtLimit: &number}},
		Limit:   &accesslog.Limit{Requests: 37, UpTo: 41, EndedBy: "clients", EndedExactly: 1, Beyond: 1},
		Age:     &accesslog.Age{FromS: 59, ToS: 75, Connections: 20, Of: 31},
		Idle:    &accesslog.Idle{LongestReusedS: .4, ShortestRenewedS: 7_300},
		Reloads: []accesslog.Reload{{At: at, Connections: 1}, {At: at, Connections: 20}},
		HealthChecks: []accesslog.HealthCheck{{Agent: "kube-probe/1.29", Connections: 60, EveryS: 10},
			{Agent: "an agent; of its own. Yes", Connections: 1, EveryS: 150}},
		Errors: &accesslog.Errors{Status499: 3, Status5xx: 1, Near499: &near, Near5xx: &near, NearSeconds: &share},
		Flags:  map[string]uint64{"UC": 3}, Warnings: []string{
			"1 connection has more lines than requests: two access_log to one file, log_subrequest, or lines of several servers",
			"3 requests of connections in this log have no line in it (another access_log, access_log off, or if=); a " +
				"connection counts as empty if none of its requests has a line",
			"7 lines came too late to be counted in their minute", "a.log is empty", "a.log: its last line is cut off and was left out",
			"the numbers of requests, of connections and of ends at the limit are exact; 3 connections were forgotten, " +
				"came back, and may be counted twice in the distribution",
			"the log doesn't number a connection's requests: they were counted by the connection's id, from the log's beginning on; " +
				"1 connection was forgotten after a long silence, and counted from 1 again",
			"the log doesn't number a connection's requests: they were counted by the client's address and port, from the log's " +
				"beginning on",
			"lines of several servers are mixed: different connections have the same number. Read each server's log by itself, or add " +
				"$hostname to the log_format",
		}}
}

func TestEveryRowOfLogsIsChinese(t *testing.T) {
	t.Parallel()
	rows := []accesslog.Result{everyRow(), everyRow(), everyRow()}
	rows[1].Errors.Near499, rows[1].Opened.Exact, rows[1].PerConnection.Of = nil, true, "all"
	rows[2].Opened.UpstreamAttempts, rows[2].Limit.EndedBy, rows[2].Age.Of, rows[2].Age.ToS = nil, "server", 1, 59
	for i := range rows {
		var en, zh strings.Builder
		if err := rows[i].WriteText(&en, nil); err != nil {
			t.Fatal(err)
		}
		if err := rows[i].WriteText(&zh, translations.Chinese.Field); err != nil {
			t.Fatal(err)
		}
		sameIn(t, "logs", en.String(), zh.String())
		if i == 0 {
			chineseGolden(t, "logs-rows.txt", zh.String())
		}
	}
}
