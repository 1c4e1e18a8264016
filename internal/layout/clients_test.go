package layout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A client is one folder and one line of clients/clients.txt: a folder without its line is never
// built, and a folder without its manifest and README is not found.
func TestEveryFolderOfClientsIsALineAndHasItsPapers(t *testing.T) {
	listed := map[string]bool{"kit": true} // shared by the Go programs
	for _, line := range strings.Split(read(t, "clients/clients.txt"), "\n") {
		name, _, _ := strings.Cut(line, "#")
		if name = strings.TrimSpace(name); name != "" {
			listed[name] = true
			for _, paper := range []string{"client.json", "README.md"} {
				if _, err := os.Stat(filepath.Join(root, "clients", name, paper)); err != nil {
					t.Errorf("%v", err)
				}
			}
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, "clients"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !listed[e.Name()] {
			t.Errorf("clients/%s is no line of clients/clients.txt", e.Name())
		}
	}
}
