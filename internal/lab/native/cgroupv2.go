package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// cgroupV2 is the unified hierarchy.
type cgroupV2 struct {
	place string // the cgroup below which h2lab creates groups
}

// findV2 looks for a version 2 cgroup below which h2lab can create groups: the root, which the
// superuser may write, else the ancestors of its own cgroup, nearest first, one of which systemd
// delegates to a user. It returns nil when version 2 has no cpu controller here; its error says why
// no group can be created.
func findV2(mount, own string) (hierarchy, error) {
	if !lists(filepath.Join(mount, "cgroup.controllers"), "cpu") {
		return nil, nil
	}
	places := []string{mount}
	for dir := filepath.Dir(filepath.Join("/", ownPathV2(own))); dir != "/"; dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(mount, dir))
	}
	var first error
	for _, place := range places {
		err := usableV2(place)
		if err == nil {
			return &cgroupV2{place: place}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// ownPathV2 is the path in the line "0::PATH".
func ownPathV2(own string) string {
	for line := range strings.Lines(own) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return path
		}
	}
	return "/"
}

// usableV2 checks that h2lab can create cgroups with the cpu controller below dir and move
// processes into them, which requires write access to cgroup.procs of the common ancestor
// (cgroup-v2.rst, "Delegation Containment").
func usableV2(dir string) error {
	for _, path := range []string{dir, filepath.Join(dir, "cgroup.procs")} {
		if err := mayWrite(path); err != nil {
			return fmt.Errorf("writing to %s: %w", path, err)
		}
	}
	return (&cgroupV2{place: dir}).delegate(dir)
}

func (c *cgroupV2) base() string { return c.place }

// delegate enables the cpu controller for the children of dir.
func (c *cgroupV2) delegate(dir string) error {
	control := filepath.Join(dir, "cgroup.subtree_control")
	if lists(control, "cpu") {
		return nil
	}
	if err := writeLine(control, "+cpu"); err != nil {
		return fmt.Errorf("giving the cpu controller to the cgroups in %s: %w", dir, err)
	}
	return nil
}

func (c *cgroupV2) limit(dir string, cpus float64) error {
	return writeLine(filepath.Join(dir, "cpu.max"), quota(cpus)+" "+strconv.Itoa(periodUS))
}

func (c *cgroupV2) cpus(dir string) (*float64, error) {
	line, err := readLine(filepath.Join(dir, "cpu.max"))
	if err != nil {
		return nil, err
	}
	q, p, ok := strings.Cut(line, " ")
	if !ok {
		return nil, fmt.Errorf("cpu.max %q does not have two fields", line)
	}
	return ratio(q, p)
}

// lists reports whether the words of a file include the word.
func lists(path, word string) bool {
	b, err := os.ReadFile(path)
	return err == nil && slices.Contains(strings.Fields(string(b)), word)
}
