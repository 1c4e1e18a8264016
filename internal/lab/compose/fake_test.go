package compose_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// fakeDocker puts a docker command first in PATH that answers by body, the branches of a shell case
// over its arguments; arguments without a branch fail with a message. It returns a function that
// lists the calls.
func fakeDocker(t *testing.T, body string) (calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\"$FAKE_LOG\"\ncase \"$*\" in\n" + body +
		"\n*) echo \"fake docker: unexpected: $*\" >&2; exit 99;;\nesac\n"
	labtest.WriteProgram(t, filepath.Join(dir, "docker"), script)
	log := filepath.Join(dir, "calls")
	t.Setenv("FAKE_LOG", log)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() []string {
		data, _ := os.ReadFile(log)
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
}

// What engines of several kinds answer to `docker version` and `docker info`, each in the fields that
// its own documentation or source names (docs/docker.md).
const (
	linuxServer = `{"Version":"28.2.2","Os":"linux","Arch":"amd64","Components":[{"Name":"Engine"}]}`
	linuxInfo   = `{"OperatingSystem":"Debian GNU/Linux 12","SecurityOptions":["name=seccomp,profile=builtin"],` +
		`"CpuCfsQuota":true}`
)

// answers are the branches of an engine that describes itself so, with a good plugin and no image of
// the lab's own.
func answers(server, info string) string {
	return "\"version --format\"*) echo '" + server + "';;\n\"info --format\"*) echo '" + info + "';;\n" +
		"\"compose version\"*) echo 2.40.3;;\n" +
		"\"context inspect\"*) echo unix:///var/run/docker.sock;;\n" +
		"\"image inspect --format {{json .Config.Labels}}\"*) echo null;;\n*\" build \"*) ;;\n"
}

// well are the branches of an ordinary engine.
var well = answers(linuxServer, linuxInfo)

// project is a root directory with a versions.env, and what the lab's images are built from.
func project(t *testing.T, versions string) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, map[string]string{
		"versions.env": versions, ".env": "COMPOSE_PROFILES=plain\nNGINX_IMAGE=nginx:1.31.4\nNODE_BASE=node:20\n",
		".dockerignore": "*\n!clients\n# a remark\nclients/*/out\n**/testdata\n**/*_test.go\n",
		"docker/Dockerfile": "ARG K6_IMAGE\nFROM ${K6_IMAGE} AS k6\nFROM scratch\nCOPY --from=k6 /k6 /k6\n" +
			"COPY bin/linux/${TARGETARCH} /programs\n",
		"bin/linux/amd64/h2lab":   "program",
		"clients/go/Dockerfile":   "ARG GO_BASE\nFROM ${GO_BASE}\nCOPY clients/go clients/go\n",
		"clients/go/main.go":      "package main",
		"clients/java/Dockerfile": "ARG JAVA_BASE\nFROM ${JAVA_BASE}\n",
	})
	return root
}

// write makes files below a directory.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		labtest.Write(t, path, text)
	}
}

// mustSay fails unless err says every one of words.
func mustSay(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}

// anyCall reports whether one of calls has all words.
func anyCall(calls []string, words ...string) bool {
	for _, call := range calls {
		all := true
		for _, w := range words {
			all = all && strings.Contains(call, w)
		}
		if all {
			return true
		}
	}
	return false
}
