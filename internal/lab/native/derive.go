package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/kinds"
	"h2lab/internal/base/rooted"
	"h2lab/internal/facts"
)

// lowLimit is the limit in the configurations with 1000 in their names; a run's LIMIT replaces it.
const lowLimit = 1000

// limitMark ends the one line of a configuration with the downstream limit.
const limitMark = "# the limit"

// limitNumber is the number of that line: the last one before the mark.
var limitNumber = regexp.MustCompile(`\d+(\D*)$`)

// CarriesLimit reports whether a server needs a derived configuration for limit: its name has the part 1000. A program
// of services/ has no limit.
func CarriesLimit(s facts.Server, limit int) bool {
	return limit != 0 && limit != lowLimit && !kinds.Of(s.Kind).JVM &&
		slices.Contains(strings.Split(s.Name, "-"), strconv.Itoa(lowLimit))
}

// hiddenName replaces 1000 in the names of configurations whose limit a learner measures.
const hiddenName = "own"

// Derive writes a server's configuration with another limit below var/ and returns the server with
// that configuration. Only the line marked "# the limit" differs. Ports and names stay. The file's name
// shows the limit, as does the server's command line, unless it is hidden.
func Derive(root string, s facts.Server, limit int, hidden bool) (facts.Server, error) {
	if limit < 1 {
		return s, fmt.Errorf("limit %d: it must be 1 or more; try: LIMIT=100", limit)
	}
	text, err := os.ReadFile(filepath.Join(root, s.Config))
	if err != nil {
		return s, fmt.Errorf("the configuration of %s: %w", s.Name, err)
	}
	changed, err := withLimit(string(text), limit)
	if err != nil {
		return s, fmt.Errorf("%s: %w", s.Config, err)
	}
	derived := derivedPath(s, limit, hidden)
	if err := os.MkdirAll(filepath.Join(root, filepath.Dir(derived)), 0o755); err != nil {
		return s, fmt.Errorf("a directory for %s: %w", derived, err)
	}
	if err := rooted.WriteFile(filepath.Join(root, derived), []byte(changed)); err != nil {
		return s, fmt.Errorf("writing %s: %w", derived, err)
	}
	if kinds.Of(s.Kind).Beside {
		if err := linkCerts(root); err != nil {
			return s, err
		}
	}
	s.Config = derived
	return s, nil
}

// withLimit changes the number in the one line with the mark.
func withLimit(text string, limit int) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	at := -1
	for i, line := range lines {
		if !strings.HasSuffix(strings.TrimRight(line, " \t\r\n"), limitMark) {
			continue
		}
		if at >= 0 {
			return "", fmt.Errorf("lines %d and %d both end with %q: exactly one may", at+1, i+1, limitMark)
		}
		at = i
	}
	if at < 0 {
		return "", fmt.Errorf("no line ends with %q: exactly one must", limitMark)
	}
	code, rest, _ := strings.Cut(lines[at], limitMark)
	if !limitNumber.MatchString(code) {
		return "", fmt.Errorf("line %d has no number before %q", at+1, limitMark)
	}
	lines[at] = limitNumber.ReplaceAllString(code, strconv.Itoa(limit)+"${1}") + limitMark + rest
	return strings.Join(lines, ""), nil
}

// derivedPath is the path of the configuration with another limit, with it instead of 1000 in the file's name:
// keepalive-1000-envoy.conf becomes keepalive-100-envoy.conf.
func derivedPath(s facts.Server, limit int, hidden bool) string {
	name := strconv.Itoa(limit)
	if hidden {
		name = hiddenName
	}
	return filepath.Join("var", filepath.Dir(s.Config), strings.Replace(filepath.Base(s.Config), strconv.Itoa(lowLimit), name, 1))
}

// Hides reports whether a server runs with a configuration whose limit Derive hid.
func Hides(s facts.Server) bool {
	base, _, _ := strings.Cut(filepath.Base(s.Config), ".")
	return strings.HasPrefix(filepath.ToSlash(s.Config), "var/") && slices.Contains(strings.Split(base, "-"), hiddenName)
}

// certsLink makes ../certs/out valid below var/nginx as it is below nginx: nginx resolves
// certificate paths relative to its configuration's directory.
const (
	certsLink   = "var/certs"
	certsTarget = "../certs"
)

func linkCerts(root string) error {
	link := filepath.Join(root, certsLink)
	if to, err := os.Readlink(link); err == nil && to == certsTarget {
		return nil
	}
	if err := os.Symlink(certsTarget, link); err != nil {
		return fmt.Errorf("linking %s to certs: %w; another file has this name: rm -r %s", certsLink, err, certsLink)
	}
	return nil
}

// undoDerive removes derived configurations, and the link and the directories once they are empty.
func undoDerive(root string, configs []string) error {
	var errs []error
	remove := func(rel string) {
		err := os.Remove(filepath.Join(root, rel))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for _, c := range configs {
		// A state file may have been changed on disk: nothing outside var/ is removed because of
		// it.
		if !filepath.IsLocal(c) || !strings.HasPrefix(filepath.ToSlash(filepath.Clean(c)), "var/") {
			errs = append(errs, fmt.Errorf("%s is not below var/ and stays", c))
			continue
		}
		remove(c)
		// Fails, as intended, while the directory still has another configuration.
		_ = os.Remove(filepath.Join(root, filepath.Dir(c)))
	}
	_, inUse := os.Stat(filepath.Join(root, "var", "nginx"))
	if to, err := os.Readlink(filepath.Join(root, certsLink)); err == nil && to == certsTarget && inUse != nil {
		remove(certsLink)
	}
	return errors.Join(errs...)
}

// BudgetSupport says whether h2lab can limit CPU here. To find out, it makes a cgroup and removes
// it again.
func BudgetSupport() facts.Text {
	b, err := openBudget(cgroupMount, "/proc/self/cgroup", os.Getpid())
	if err == nil {
		err = b.remove([]string{b.dir})
	}
	if err != nil {
		return facts.T("command.no-budget", err.Error())
	}
	return facts.T("command.budget")
}

// Underive removes every configuration that Derive made below root. Stop the servers that use one
// before.
func Underive(root string) error {
	var made []string
	for _, folder := range kinds.Folders() {
		files, _ := os.ReadDir(filepath.Join(root, "var", folder)) // none where there is no such directory
		for _, f := range files {
			made = append(made, filepath.Join("var", folder, f.Name()))
		}
	}
	return undoDerive(root, made)
}
