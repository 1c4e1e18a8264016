package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Env is the part of the user's environment that a client program gets. tools/bin, where `make
// tools` installs programs, follows PATH.
func Env(root string) []string {
	path := os.Getenv("PATH")
	if abs, err := filepath.Abs(filepath.Join(root, "tools", "bin")); err == nil {
		path += string(os.PathListSeparator) + abs
	}
	return []string{"PATH=" + path, "HOME=" + os.Getenv("HOME")}
}

// lookIn finds a program in the PATH of env; empty where it isn't found.
func lookIn(env []string, name string) string {
	for _, e := range env {
		path, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if filepath.IsAbs(dir) { // a relative one would be another program in every directory
				if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
					return found
				}
			}
		}
	}
	return ""
}
