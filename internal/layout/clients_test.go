package layout

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listedClients are the folders in clients/clients.txt.
func listedClients(t *testing.T) (names []string) {
	t.Helper()
	for line := range strings.Lines(read(t, "clients/clients.txt")) {
		name, _, _ := strings.Cut(line, "#")
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// A folder without its line in clients/clients.txt is never built.
func TestEveryFolderOfClientsIsALine(t *testing.T) {
	listed := append(listedClients(t), "kit") // shared by the Go programs
	entries, err := os.ReadDir(filepath.Join(root, "clients"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(listed, e.Name()) {
			t.Errorf("clients/%s is no line of clients/clients.txt", e.Name())
		}
	}
}

// docs/adding-a-client.md has a table of the files and entries of a folder: every folder has them.
func TestEveryFolderOfClientsHasTheFilesOfTheDocs(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "docs/adding-a-client.md"), "## The files\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var told []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*) \\|$").FindAllStringSubmatch(section, -1) {
		file, says := row[1], row[2]
		told = append(told, strings.TrimPrefix(file, "clients/FOLDER/"))
		for _, folder := range listedClients(t) {
			var manifest struct{ Build []string }
			if err := json.Unmarshal([]byte(read(t, "clients/"+folder+"/client.json")), &manifest); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(says, "Only if") && len(manifest.Build) == 0 {
				continue
			}
			entry := regexp.MustCompile("(?m)^ *(client-)?" + folder + "(:|$)")
			switch own, in := strings.CutPrefix(file, "clients/FOLDER/"); {
			case !in && !entry.MatchString(read(t, file)):
				t.Errorf("%s has no entry for clients/%s", file, folder)
			case in && own == ".gitignore" && !strings.Contains(read(t, "clients/"+folder+"/"+own), "out/\n"):
				t.Errorf("clients/%s/%s lacks out/", folder, own)
			case in:
				read(t, "clients/"+folder+"/"+own)
			}
		}
	}
	want := []string{"client.json", "README.md", "Dockerfile", ".gitignore", "docker-compose.yml", "docker/distance.yml", "clients/clients.txt"}
	if !slices.Equal(told, want) {
		t.Errorf("docs/adding-a-client.md names %q, want %q", told, want)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
