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

	"github.com/google/renameio/v2"

	"h2lab/internal/facts"
)

// lowLimit is the limit that the configurations with 1000 in their names
// carry, and that a run's LIMIT takes the place of.
const lowLimit = 1000

// limitMark ends the one line of a configuration that carries the downstream limit.
const limitMark = "# the limit"

// limitNumber is the number of that line: the last one before the mark.
var limitNumber = regexp.MustCompile(`\d+(\D*)$`)

// carriesLowLimit reports whether LIMIT is meant for this server: its name has
// the word 1000.
func carriesLowLimit(s facts.Server) bool {
	return slices.Contains(strings.Split(s.Name, "-"), strconv.Itoa(lowLimit))
}

// Derive writes the configuration of a server with another limit below var/
// and is the server with that configuration. It is the whole file with exactly
// one line changed, the one marked "# the limit". Ports and names stay.
func Derive(root string, s facts.Server, limit int) (facts.Server, error) {
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
	derived := derivedPath(s, limit)
	if err := os.MkdirAll(filepath.Join(root, filepath.Dir(derived)), 0o755); err != nil {
		return s, fmt.Errorf("a place for %s: %w", derived, err)
	}
	if err := renameio.WriteFile(filepath.Join(root, derived), []byte(changed), 0o644); err != nil {
		return s, fmt.Errorf("writing %s: %w", derived, err)
	}
	if s.Kind == facts.Nginx {
		if err := linkCerts(root); err != nil {
			return s, err
		}
	}
	s.Config = derived
	return s, nil
}

// withLimit changes the number in the one line that carries the mark.
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

// derivedPath is where the configuration of another limit is written.
func derivedPath(s facts.Server, limit int) string {
	return filepath.Join("var", filepath.Dir(s.Config), derivedName(filepath.Base(s.Config), limit))
}

// derivedName puts the limit in the place of 1000 in a file's name:
// keepalive-1000-envoy.conf becomes keepalive-100-envoy.conf.
func derivedName(base string, limit int) string {
	ext := filepath.Ext(base)
	words := strings.Split(strings.TrimSuffix(base, ext), "-")
	n := strconv.Itoa(limit)
	if i := slices.Index(words, strconv.Itoa(lowLimit)); i >= 0 {
		words[i] = n
	} else {
		words = append(words, n)
	}
	return strings.Join(words, "-") + ext
}

// certsLink makes ../certs/out mean the same below var/nginx as below nginx:
// nginx resolves certificates against its configuration's directory.
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
		return fmt.Errorf("linking %s to certs: %w; something else is there: rm -r %s", certsLink, err, certsLink)
	}
	return nil
}

// undoDerive removes derived configurations, and the link and the directories
// when no other is left there.
func undoDerive(root string, configs []string) error {
	var errs []error
	remove := func(rel string) {
		err := os.Remove(filepath.Join(root, rel))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for _, c := range configs {
		// A state file is read back from disk: nothing outside var/ is removed on its word.
		if !filepath.IsLocal(c) || !strings.HasPrefix(filepath.ToSlash(filepath.Clean(c)), "var/") {
			errs = append(errs, fmt.Errorf("%s is not below var/ and stays", c))
			continue
		}
		remove(c)
		// Refused while another configuration is in it, which is meant.
		_ = os.Remove(filepath.Join(root, filepath.Dir(c)))
	}
	_, inUse := os.Stat(filepath.Join(root, "var", "nginx"))
	if to, err := os.Readlink(filepath.Join(root, certsLink)); err == nil && to == certsTarget && inUse != nil {
		remove(certsLink)
	}
	return errors.Join(errs...)
}
