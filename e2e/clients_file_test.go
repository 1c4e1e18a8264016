package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/compose"
)

// handOf returns the socket of an ecosystem's `h2lab hand`.
func handOf(ecosystem string) string { return "@h2lab-hand-" + ecosystem }

func TestEveryFolderOfClientsWithADockerfileIsAServiceWithItsHand(t *testing.T) {
	all := services(t)
	files, err := filepath.Glob("../clients/*/Dockerfile")
	if err != nil || len(files) == 0 {
		t.Fatalf("clients/*/Dockerfile: %d files, %v", len(files), err)
	}
	known := map[string]bool{}
	for _, file := range files {
		ecosystem := filepath.Base(filepath.Dir(file))
		name := compose.ClientService(ecosystem)
		known[name] = true
		s, ok := all[name]
		if !ok {
			t.Errorf("%s: there is no service %s", file, name)
			continue
		}
		if want := "clients/" + ecosystem + "/Dockerfile"; s.Build.Dockerfile != want {
			t.Errorf("%s is built from %s", name, s.Build.Dockerfile)
		}
		if want := []string{"hand", "--socket", handOf(ecosystem)}; !slices.Equal(s.Command, want) {
			t.Errorf("%s runs %q, want %q", name, s.Command, want)
		}
		if !slices.Equal(s.Profiles, []string{"clients"}) || s.CPUs != "" {
			t.Errorf("%s: profiles %q, budget %q; a client has none and starts only when asked for", name,
				s.Profiles, s.CPUs)
		}
		if !compose.HasImage("..", ecosystem) {
			t.Errorf("%s is not seen", file)
		}
	}
	for name := range all {
		if strings.HasPrefix(name, "client-") && !known[name] {
			t.Errorf("service %s has no Dockerfile in clients/", name)
		}
	}
}

// Over a distance a client program that stayed in the pod's network would be measured without it.
func TestEveryClientIsAtTheFarEndOfADistance(t *testing.T) {
	far := servicesOf(t, "docker/distance.yml")
	if f := far["far"]; !slices.Equal(append([]string{"h2lab"}, f.Command...), compose.FarHold) || f.NetworkMode != "none" ||
		f.PID != "service:pod" || len(f.CapAdd) > 0 {
		t.Errorf("the far end: %+v", f)
	}
	for name := range services(t) {
		if strings.HasPrefix(name, "client-") && far[name].NetworkMode != "service:far" {
			t.Errorf("%s has the network %q", name, far[name].NetworkMode)
		}
	}
}

// A base image in a Dockerfile would duplicate its version in versions.env.
func TestDockerfilesOfClientsTakeTheirBasesFromVersionsEnv(t *testing.T) {
	files, _ := filepath.Glob("../clients/*/Dockerfile")
	for _, file := range files {
		text := labtest.Read(t, file)
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) < 2 || words[0] != "FROM" {
				continue
			}
			name := strings.TrimSuffix(strings.TrimPrefix(words[1], "${"), "}")
			versions, err := os.ReadFile("../versions.env")
			if err != nil || !strings.Contains(string(versions), "\n"+name+"=") {
				t.Errorf("%s: FROM %s is none of versions.env (%v)", file, words[1], err)
			}
		}
	}
}

func TestTheGoBaseIsTheGoOfTheProject(t *testing.T) {
	versions := labtest.Read(t, "../versions.env")
	_, after, _ := strings.Cut(versions, "\nGO_VERSION=")
	version, _, _ := strings.Cut(after, "\n")
	if !strings.Contains(versions, "\nGO_BASE=golang:"+version+"-") {
		t.Errorf("GO_BASE is not golang:%s", version)
	}
}
