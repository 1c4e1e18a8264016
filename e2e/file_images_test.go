package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// assignments are the NAME=VALUE lines of a file.
func assignments(t *testing.T, path string) map[string]string {
	t.Helper()
	data := labtest.Read(t, path)
	out := map[string]string{}
	for line := range strings.Lines(data) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			out[name] = value
		}
	}
	return out
}

// A link would become a file with the text "versions.env" in a clone on Windows.
func TestTheFileThatPlainComposeReadsRepeatsTheImages(t *testing.T) {
	info, err := os.Lstat("../.env")
	if err != nil || !info.Mode().IsRegular() {
		t.Fatalf(".env is no file: %v, %v", info, err)
	}
	plain, versions := assignments(t, "../.env"), assignments(t, "../versions.env")
	for name, value := range versions {
		image := strings.HasSuffix(name, "_IMAGE") || strings.HasSuffix(name, "_BASE")
		if image != (plain[name] == value) {
			t.Errorf("%s is %q in versions.env and %q in .env", name, value, plain[name])
		}
	}
	for name := range plain {
		if _, ok := versions[name]; !ok && name != "COMPOSE_PROFILES" {
			t.Errorf(".env has %s, and versions.env hasn't", name)
		}
	}
	if plain["COMPOSE_PROFILES"] != "plain" {
		t.Errorf("the profile of `prepare` is not active: %q", plain["COMPOSE_PROFILES"])
	}
}

// What every service of docker-compose.yml keeps to.
func TestEveryServiceKeepsTheRules(t *testing.T) {
	for name, s := range services(t) {
		for _, v := range s.Volumes {
			// A program of this machine may be one for macOS, and one that isn't built yet would be mounted as an empty directory.
			if strings.Contains(v, "bin") {
				t.Errorf("%s mounts %s", name, v)
			}
		}
		// With any other policy Compose asks a registry for an image that only exists here
		// (docker/compose, pkg/compose/pull.go, mustPull), or builds it again at every start.
		if strings.HasSuffix(s.Image, ":local") && s.PullPolicy != "never" {
			t.Errorf("%s: pull_policy %q", name, s.PullPolicy)
		}
		// h2lab compares the label with a hash of what the image would be built from.
		if s.Build.Dockerfile != "" && s.Build.Labels["h2lab.inputs"] != "${LAB_INPUTS:-}" {
			t.Errorf("%s: labels %v", name, s.Build.Labels)
		}
		if !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true", "label=disable"}) || s.UsernsMode != "host" ||
			s.Privileged || !slices.Equal(s.CapDrop, []string{"ALL"}) {
			t.Errorf("%s: security_opt %q, userns_mode %q, cap_drop %q", name, s.SecurityOpt, s.UsernsMode, s.CapDrop)
		}
		// As root, nginx gives its temporary directories to its worker's user and enters them.
		nginx := strings.HasPrefix(name, "nginx-") || name == "client-proxies"
		for _, c := range []string{"CHOWN", "DAC_OVERRIDE", "SETGID", "SETUID"} {
			if nginx && !slices.Contains(s.CapAdd, c) {
				t.Errorf("%s lacks %s: %q", name, c, s.CapAdd)
			}
		}
		// `prepare` makes files and ends before the others start.
		if name != "pod" && name != "prepare" && (s.NetworkMode != "service:pod" || s.PID != "service:pod" || len(s.Ports) > 0) {
			t.Errorf("%s: network %q, pid %q, ports %q", name, s.NetworkMode, s.PID, s.Ports)
		}
		ours := s.Image == "h2lab:local" || s.Image == "h2lab-"+name+":local" // also prepare's
		if !ours && !strings.HasPrefix(s.Image, "${NGINX_IMAGE:?") && !strings.HasPrefix(s.Image, "${ENVOY_IMAGE:?") {
			t.Errorf("%s: image %q", name, s.Image)
		}
		for arg, value := range s.Build.Args {
			if (strings.HasSuffix(arg, "_IMAGE") || strings.HasSuffix(arg, "_BASE")) &&
				(value == nil || !strings.HasPrefix(*value, "${"+arg+":?")) {
				t.Errorf("%s: build argument %s is not that of versions.env", name, arg)
			}
		}
	}
}

// A clone on Windows must have the same bytes in every file that a container or a shell reads.
func TestEveryTextFileHasLFInEveryClone(t *testing.T) {
	list := exec.CommandContext(t.Context(), "git", "ls-files", "--eol")
	list.Dir = ".."
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("git ls-files --eol: %v: %s; this test needs git and a clone", err, out)
	}
	for line := range strings.Lines(string(out)) {
		// i/lf    w/lf    attr/text=auto eol=lf 	FILE
		facts, file, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		kept := strings.Contains(facts, "attr/-text")
		if !kept && !strings.Contains(facts, "eol=lf") {
			t.Errorf("%s: its line ends depend on the clone: %s", file, facts)
		}
		if !kept && strings.HasPrefix(facts, "i/crlf") {
			t.Errorf("%s has CRLF and is text: name it in .gitattributes", file)
		}
		if recording := strings.Contains(filepath.ToSlash(file), "testdata/"); recording && !kept {
			t.Errorf("%s is a recording and may be changed in a clone: %s", file, facts)
		}
	}
}

// The official images exist for both, so a wheel with a program in it needs a hash for each.
func TestWheelsOfProgramsHaveAHashForEveryArchitecture(t *testing.T) {
	for _, path := range []string{"../clients/java/requirements.txt", "../services/spring/requirements.txt"} {
		text := labtest.Read(t, path)
		if n := strings.Count(text, "--hash=sha256:"); n != 2 {
			t.Errorf("%s has %d hashes, want one for amd64 and one for arm64", path, n)
		}
	}
}
