package nginxconf

import (
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

// An age or an idle time of seconds costs more connections than a limit of 1000 requests.
func TestTheNextStepIsTheTimeOfSeconds(t *testing.T) {
	const text = "events { worker_connections 8192; }\nhttp {\nkeepalive_requests 1000;\n%;\nserver { listen 443 ssl; http2 on; }\n}\n"
	for directive, line := range map[string]string{
		"keepalive_time 2s": "line 4", "keepalive_time 10s": "line 3", "keepalive_timeout 1s": "line 4", "keepalive_timeout 8s": "line 3",
	} {
		r, err := lintText(strings.Replace(text, "%", directive, 1), "1.26.0")
		if err != nil {
			t.Fatal(err)
		}
		if next := lint.Next("-", r); !strings.HasSuffix(next, line) {
			t.Errorf("%s: %s, want %s", directive, next, line)
		}
	}
}
