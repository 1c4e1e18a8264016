package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/watch"
)

// The lines of watch are translated whole: one that isn't has an English word before its first colon or at all.
func TestWatchSpeaksChinese(t *testing.T) {
	word := regexp.MustCompile(`(?:^|[ ：（(])([a-z]{4,})(?: |$)`)
	for name, c := range map[string]struct {
		accepts, requests int64
		want              string
	}{
		"wasted": {100, 1000, "告警：连接被浪费："}, "used": {1, 1000, "没有告警："}, "quiet": {0, 0, "没有新建连接。"},
		"below nginx's default": {100, 5000, "阈值就是 200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := counting(t, c.accepts, c.requests)
			var out, errs bytes.Buffer
			runOn(t.Context(), "linux", []string{"watch", h.URL + "/stub_status", "--every", "100ms", "--window", "200ms",
				"--for", "600ms", "--lang", "zh"},
				&out, &errs)
			said := out.String()
			if !strings.Contains(said, c.want) || strings.Contains(errs.String(), "中文") {
				t.Errorf("%s\n%s", said, errs.String())
			}
			for line := range strings.Lines(said) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "修改：") || strings.HasPrefix(line, "下一步：") || strings.HasPrefix(line, "  ") {
					continue // reasons, commands and configuration lines
				}
				if m := word.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "http") &&
					!slices.Contains([]string{"logs", "nginx"}, m[1]) {
					t.Errorf("%q has %q", line, m[1])
				}
			}
		})
	}
}

// What watch can say besides: every form is translated.
func TestTheCausesOfWatchAreChinese(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, s := range []watch.Summary{
		{Cause: watch.ByLimit, AtLimit: n(7)}, {Cause: watch.ByAge, AtAge: n(7)}, {Cause: watch.ByBoth, AtLimit: n(1), AtAge: n(2)},
		{Cause: watch.ByIdle, Idle: n(3)}, {Cause: watch.NotServer}, {Cause: watch.Unknown},
	} {
		s.Next = texts.Sentence(facts.Verbatim("h2lab logs access.log"))
		s.Alarms, s.Restarts, s.GoneFor, s.Requests, s.New = 2, 1, 3, 100, 50
		s.Worst = &watch.Evidence{New: 50, Requests: 100, Seconds: 5}
		var out bytes.Buffer
		print := watch.Text(&out, watch.Rule{}, texts.Chinese, nil)
		if err := print(watch.Event{Kind: watch.Over, Summary: &s}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if line != "\n" && !regexp.MustCompile(`\p{Han}`).MatchString(line) {
				t.Errorf("%s: %q isn't translated", s.Cause, line)
			}
		}
	}
}
