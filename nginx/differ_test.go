package nginx_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// bare returns the flat lines of a file, as they are and without names, ports and limit.
func bare(t *testing.T, name string) (raw, bare []string) {
	t.Helper()
	raw = flat(parse(t, labtest.Read(t, name)), "")
	for _, line := range raw {
		bare = append(bare, files[name].without(line))
	}
	return raw, bare
}

func TestTheTwoLimitsDifferOnlyInTheLimitAndInNamesAndPorts(t *testing.T) {
	lowRaw, low := bare(t, "keepalive-1000.conf")
	highRaw, high := bare(t, "keepalive-100000.conf")
	if diff := cmp.Diff(low, high); diff != "" {
		t.Errorf("they differ in more (-1000 +100000):\n%s", diff)
	}
	var differ []string
	for i := range min(len(lowRaw), len(highRaw)) {
		if lowRaw[i] != highRaw[i] {
			differ = append(differ, lowRaw[i][strings.LastIndex(lowRaw[i], "> ")+2:])
		}
	}
	want := []string{"pid var/nginx-1000.pid", "listen 127.0.0.1:18101 ssl http2 backlog=4096",
		"keepalive_requests 1000",
		"access_log var/nginx-1000.used.log used if=$first_request", "listen 127.0.0.1:18102"}
	if diff := cmp.Diff(want, differ); diff != "" {
		t.Errorf("the lesson is not these five lines (-want +got):\n%s", diff)
	}
}

// Cells of the story are compared with each other, so that nothing else may differ between their files.
func TestTheChainsDifferOnlyInTheLimitTheGatewayAndNamesAndPorts(t *testing.T) {
	for _, pair := range [][2]string{
		{"keepalive-1000.conf", "keepalive-1000-envoy.conf"},
		{"keepalive-1000-envoy.conf", "keepalive-100000-envoy.conf"},
		{"keepalive-1000-envoy.conf", "keepalive-1000-scg.conf"},
		{"keepalive-1000-scg.conf", "keepalive-100000-scg.conf"},
	} {
		upstream := regexp.MustCompile(`upstream (backend|envoy|scg)|//(backend|envoy|scg)$|` +
			`server 127\.0\.0\.1:\d+ max_fails`)
		var both [2][]string
		for i, name := range pair {
			_, both[i] = bare(t, name)
			for n, line := range both[i] {
				both[i][n] = upstream.ReplaceAllString(line, "UPSTREAM")
			}
		}
		if diff := cmp.Diff(both[0], both[1]); diff != "" {
			t.Errorf("%s and %s differ in more:\n%s", pair[0], pair[1], diff)
		}
	}
}

// A file that LIMIT can't change would measure 1000 under another name.
func TestLimitChangesOneLineOfEveryServerWithTheLowLimit(t *testing.T) {
	root := t.TempDir()
	labtest.Check(t, os.CopyFS(filepath.Join(root, "nginx"), os.DirFS(".")))
	derived := 0
	for _, s := range plan.Servers(append(plan.Topologies(plan.DefaultLimit),
		plan.StoryTopologies(plan.DefaultLimit)...)) {
		if s.Kind != facts.Nginx || files[filepath.Base(s.Config)].limit != strconv.Itoa(plan.DefaultLimit) {
			continue
		}
		got, err := native.Derive(root, s, 70, false)
		labtest.Check(t, err)
		text := labtest.Read(t, filepath.Join(root, got.Config))
		want := strings.Replace(labtest.Read(t, filepath.Base(s.Config)), "keepalive_requests 1000; # the limit",
			"keepalive_requests 70; # the limit", 1)
		if text != want || strings.Contains(got.Config, "1000") {
			t.Errorf("%s: derived as %s:\n%s", s.Name, got.Config, cmp.Diff(want, text))
		}
		derived++
	}
	if derived < 4 {
		t.Errorf("only %d servers carry the low limit", derived)
	}
}
