package compose_test

import (
	"context"
	"testing"

	"h2lab/internal/lab/compose"
)

func TestEngineSaysWhatKeepsDockerFromWorking(t *testing.T) {
	for _, c := range []struct {
		name, docker string
		says         []string
	}{
		{"no engine answers",
			`version*) echo "Cannot connect to the Docker daemon at unix:///x.sock. Is it running?" >&2; exit 1;;`,
			[]string{"no Docker engine answers", "Cannot connect", "RUNTIME=native"}},
		{"no plugin",
			"version*) echo 20.10.24;;\ncompose*) echo \"docker: 'compose' is not a docker command.\" >&2; exit 1;;",
			[]string{"no compose plugin", "tools/compose/build.sh"}},
		{"a plugin that is too old",
			"version*) echo 20.10.24;;\ncompose*) echo v2.19.1;;",
			[]string{"2.19.1", "2.20 or newer", "tools/compose/build.sh"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeDocker(t, c.docker)
			_, err := compose.Engine(context.Background())
			mustSay(t, err, c.says...)
		})
	}
}

func TestEngineNamesWhatAnswers(t *testing.T) {
	fakeDocker(t, "version*) echo 28.2.2;;\ncompose*) echo 2.40.3;;")
	got, err := compose.Engine(context.Background())
	if err != nil || got != (compose.EngineInfo{Engine: "28.2.2", Compose: "2.40.3"}) {
		t.Fatalf("Engine() = %+v, %v", got, err)
	}
}

func TestEngineWithoutADockerCommandSaysSo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := compose.Engine(context.Background())
	mustSay(t, err, "not in PATH", "RUNTIME=native")
}

func TestEngineThatIsCancelledReturnsTheCancellation(t *testing.T) {
	fakeDocker(t, "version*) exec sleep 30;;")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := compose.Engine(ctx)
	mustSay(t, err, context.Canceled.Error())
}
