package compose_test

import (
	"bytes"
	"context"
	"testing"

	"h2lab/internal/base/labtest"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/lab/compose"
)

// sick is an engine where nginx-1000 does not start.
var sick = well + `*" up "*) echo "container h2lab-nginx-1000-1 exited (1)" >&2; exit 1;;
"ps --all --quiet"*) echo c1 c2;;
inspect*) cat <<'JSON'
[{"State":{"Status":"running","Health":{"Status":"healthy"}},"HostConfig":{"NanoCpus":500000000},
  "Config":{"Labels":{"com.docker.compose.service":"backend"}}},
 {"State":{"Status":"exited","ExitCode":1,"Health":{"Status":"unhealthy","Log":[{"Output":"connection refused"}]}},
  "HostConfig":{"NanoCpus":0},"Config":{"Labels":{"com.docker.compose.service":"nginx-1000"}}}]
JSON
;;
*"logs "*" nginx-1000") echo 'nginx: [emerg] bind() to 0.0.0.0:18101 failed';;`

func TestUpThatFailsCarriesTheLogsOfTheSickService(t *testing.T) {
	calls := fakeDocker(t, sick)
	p := &compose.Project{Root: project(t, versions)}
	err := p.Up(context.Background(), "nginx-1000")
	mustSay(t, err, "exited (1)", "nginx-1000 is exited with status 1, unhealthy", "connection refused",
		"[emerg] bind()")
	if anyCall(calls(), "logs", "backend") {
		t.Error("it asked for the logs of a service that is well")
	}
}

func TestUpOnATakenPortGivesTheNextStep(t *testing.T) {
	fakeDocker(t, well+`*" up "*) echo "Bind for 127.0.0.1:18101 failed: port is already allocated" >&2; exit 1;;
"ps --all --quiet"*) ;;`)
	err := (&compose.Project{Root: project(t, versions)}).Up(context.Background())
	mustSay(t, err, "18101", "h2lab down", "ss -ltnp")
}

func TestUpBuildsWaitsAndSaysWhatItDoes(t *testing.T) {
	calls := fakeDocker(t, well+
		`*" up "*) echo ' Container x  Created'; echo " $CPUS $NGINX_1000_CONF $LAB_USER Pulled";;`)
	half := 0.5
	var log bytes.Buffer
	p := &compose.Project{Root: project(t, versions), Log: &log,
		Variables: compose.Variables(&half, map[string]string{"nginx-1000": "var/nginx/keepalive-100.conf"})}
	t.Setenv("LAB_USER", "12:34")
	labtest.Check(t, p.Up(context.Background(), "nginx-1000", "envoy"))
	if !anyCall(calls(), " build pod") || !anyCall(calls(), "--no-build", "--wait", "--env-file", "nginx-1000 envoy") {
		t.Errorf("docker was called with %q", calls())
	}
	if want := "docker: 0.5 var/nginx/keepalive-100.conf 12:34 Pulled\n"; log.String() != want {
		t.Errorf("docker said %q, want %q", log.String(), want)
	}
}

func TestVariablesWithoutABudgetAskForNoLimit(t *testing.T) {
	want := map[string]string{"CPUS": "0"}
	if diff := cmp.Diff(want, compose.Variables(nil, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestReadBackTellsWhatTheEngineGave(t *testing.T) {
	fakeDocker(t, sick)
	half := 0.5
	got, err := compose.ReadBack(context.Background(), "backend", "nginx-1000")
	labtest.Check(t, err)
	if diff := cmp.Diff(map[string]*float64{"backend": &half, "nginx-1000": nil}, got); diff != "" {
		t.Error(diff)
	}
	_, err = compose.ReadBack(context.Background(), "envoy")
	mustSay(t, err, "envoy has no container", "docker compose up")
}

func TestDownNamesWhatIsLeft(t *testing.T) {
	fakeDocker(t, well+`*" down "*) [ "$CPUS" = 0 ] || { echo "CPUS=$CPUS is no number" >&2; exit 1; };;
"ps --all"*) ;;
"network ls"*) echo h2lab_default;;
"volume ls"*) ;;`)
	t.Setenv("CPUS", "none")
	err := compose.Down(context.Background(), project(t, versions))
	mustSay(t, err, "network h2lab_default", "remove them with")
}
