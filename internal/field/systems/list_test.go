package systems

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"h2lab/internal/base/labtest"
)

// catalogue is testdata/systems.yaml, which explains its fields.
type catalogue struct {
	Programs map[string]program `yaml:"programs"`
	Systems  []system           `yaml:"systems"`
}

// program is how a program starts.
type program struct {
	Conf string   `yaml:"conf"`
	Args []string `yaml:"args"`
	Env  []string `yaml:"env"`
}

// system is a server, or several, with a truth that the configuration states.
type system struct {
	Name   string          `yaml:"name"`
	What   string          `yaml:"what"`
	Start  []process       `yaml:"start"`
	Reload []time.Duration `yaml:"reload"` // SIGHUP that long after the probe began
	Ask    []string        `yaml:"ask"`    // arguments of h2lab probe
	Truth  truth           `yaml:"truth"`
}

// process is one process of a system, or with Go a server in the test's own process.
type process struct {
	Program string            `yaml:"program"`
	Go      string            `yaml:"go"`
	Port    string            `yaml:"port"` // PORT unless it stands behind another
	Conf    string            `yaml:"conf"` // in place of the program's
	Add     []string          `yaml:"add"`  // arguments after the program's
	Set     map[string]string `yaml:"set"`
}

// The causes of an end.
const (
	causeNone   = "none"
	causeCount  = "count"
	causeAge    = "age"
	causeIdle   = "idle" // of unused connections
	causeBytes  = "bytes"
	causeChance = "chance"
	causeReload = "reload"
	causeFleet  = "fleet"
	causeCrash  = "crash"
	causeCalm   = "calm"
	causeBusy   = "busy"
)

// familyNone is the family of a server that no family's description fits.
const familyNone = "none"

// truth is what ends the system's connections.
type truth struct {
	Cause    string   `yaml:"cause"`
	Requests int      `yaml:"requests"`
	Each     []int    `yaml:"each"`
	Seconds  float64  `yaml:"seconds"`
	Exact    bool     `yaml:"exact"` // the number can be found to the request
	Idle     float64  `yaml:"idle"`
	Ends     string   `yaml:"ends"`
	Loses    bool     `yaml:"loses"`
	Cut      bool     `yaml:"cut"` // a balancer ends unused connections, and no setting of the server changes that
	Families []string `yaml:"families"`
}

func list(t testing.TB) catalogue {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(labtest.Read(t, filepath.Join("testdata", "systems.yaml"))))
	d.KnownFields(true)
	var c catalogue
	if err := d.Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEverySystemIsComplete(t *testing.T) {
	c := list(t)
	if len(c.Systems) < 40 {
		t.Errorf("%d systems, want 40 or more", len(c.Systems))
	}
	seen := map[string]bool{}
	for _, s := range c.Systems {
		if seen[s.Name] || s.What == "" || len(s.Start) == 0 || len(s.Truth.Families) == 0 {
			t.Errorf("%s is listed twice, or lacks what, start or families", s.Name)
		}
		seen[s.Name] = true
		if problem := s.Truth.problem(); problem != "" {
			t.Errorf("%s: %s", s.Name, problem)
		}
		for _, p := range s.Start {
			if _, known := c.Programs[p.Program]; !known && p.Go == "" {
				t.Errorf("%s: no program is called %q", s.Name, p.Program)
			}
		}
		front := func(p process) bool { return p.Port == "" }
		if i := slices.IndexFunc(s.Start, front); i != len(s.Start)-1 {
			t.Errorf("%s: the last process listens on PORT, and no other", s.Name)
		}
	}
}

// problem is what a truth lacks; "" is nothing.
func (w truth) problem() string {
	numbered := []string{causeCount, causeCrash, causeCalm}
	switch {
	case !slices.Contains([]string{causeNone, causeCount, causeAge, causeBytes, causeChance, causeReload, causeFleet,
		causeCrash, causeBusy, causeCalm}, w.Cause):
		return "unknown cause " + w.Cause
	case slices.Contains(numbered, w.Cause) != (w.Requests > 0) && w.Cause != causeBusy:
		return w.Cause + " and requests don't fit"
	case (w.Cause == causeAge) != (w.Seconds > 0):
		return w.Cause + " and seconds don't fit"
	case (w.Cause == causeFleet) != (len(w.Each) > 1):
		return w.Cause + " and each don't fit"
	}
	return ""
}

func TestEveryConfigurationIsUsedAndThere(t *testing.T) {
	c := list(t)
	used := map[string]bool{}
	for _, s := range c.Systems {
		for _, p := range s.Start {
			if p.Go == "" {
				used[p.conf(c)] = true
			}
		}
	}
	delete(used, "")
	there, err := os.ReadDir(filepath.Join("testdata", "conf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		if !used[f.Name()] {
			t.Errorf("no system uses testdata/conf/%s", f.Name())
		}
		delete(used, f.Name())
	}
	for name := range used {
		t.Errorf("testdata/conf/%s is missing", name)
	}
}

// conf is the file or directory in testdata/conf that configures the process; "" is none.
func (p process) conf(c catalogue) string {
	if p.Conf != "" {
		return p.Conf
	}
	return c.Programs[p.Program].Conf
}

// Each program must be one that tools/servers.sh makes.
func TestEveryProgramCanBeHad(t *testing.T) {
	known := labtest.Read(t, filepath.Join(labtest.Root(t), "tools", "get", "servers_list.sh"))
	for _, name := range slices.Sorted(maps.Keys(list(t).Programs)) {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` `).MatchString(known) {
			t.Errorf("%s is no line of tools/get/servers_list.sh", name)
		}
	}
}

// Names in configurations that nothing replaces would reach a server.
var leftover = regexp.MustCompile(`@[A-Z0-9_]+@`)

// filled replaces the names in text by words, and drops the lines that begin with ROOT unless root
// is true; the marker itself is dropped.
func filled(text string, words map[string]string, root bool) string {
	for range 2 { // a word may contain names
		for name, word := range words {
			text = strings.ReplaceAll(text, "@"+name+"@", word)
		}
	}
	var out bytes.Buffer
	for line := range strings.Lines(text) {
		rest, marked := strings.CutPrefix(line, "ROOT ")
		if !marked || root {
			out.WriteString(rest)
		}
	}
	return out.String()
}
