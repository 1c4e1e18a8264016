package envoyconf

import (
	"testing"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/linttest"
)

var kind = linttest.Kind{
	Lint:    Lint,
	Rules:   Rules,
	Options: map[string]lint.Options{"old.yaml": {Version: "1.30"}, "sound.yaml": {InFlight: 200}},
	More:    []string{"../../../../envoy/*.yaml"},
}

func TestTheCorpusIsJudgedAsTheGoldensSay(t *testing.T) { kind.Goldens(t) }

func TestTheDocsListEveryRule(t *testing.T) { kind.Docs(t) }
