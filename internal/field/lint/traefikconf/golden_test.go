package traefikconf

import (
	"testing"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/linttest"
)

var kind = linttest.Kind{
	Lint:    Lint,
	Rules:   Rules,
	Options: map[string]lint.Options{"old.yml": {Version: "v2.10.7"}, "compose.yml": {InFlight: 5}},
}

func TestTheCorpusIsJudgedAsTheGoldensSay(t *testing.T) { kind.Goldens(t) }

func TestTheDocsListEveryRule(t *testing.T) { kind.Docs(t) }
