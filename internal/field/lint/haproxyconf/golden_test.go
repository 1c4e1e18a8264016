package haproxyconf

import (
	"testing"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/linttest"
)

var kind = linttest.Kind{
	Lint:    Lint,
	Rules:   Rules,
	Options: map[string]lint.Options{"old.cfg": {Version: "2.6.12"}, "sound.cfg": {InFlight: 50}},
}

func TestTheCorpusIsJudgedAsTheGoldensSay(t *testing.T) { kind.Goldens(t) }

func TestTheDocsListEveryRule(t *testing.T) { kind.Docs(t) }
