package ingressconf

import (
	"testing"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/linttest"
)

var kind = linttest.Kind{
	Lint:    Lint,
	Rules:   Rules,
	Options: map[string]lint.Options{"old.json": {Version: "1.5.1"}, "umbrella.yaml": {InFlight: 10}},
}

func TestTheCorpusIsJudgedAsTheGoldensSay(t *testing.T) { kind.Goldens(t) }

func TestTheDocsListEveryRule(t *testing.T) { kind.Docs(t) }
