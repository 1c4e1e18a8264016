// Package versions finds the versions of programs in their output, and compares them.
package versions

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"
)

// Version is a release. The zero value is an unknown one, older than any other.
type Version struct {
	// Text is the version as the program prints it: "1.40.0-dev", "21".
	Text   string
	semver string // "v1.40.0"
}

// New is the release with these numbers, major first.
func New(numbers ...int) Version {
	return Release(strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", "."), "[]"))
}

// Parse reads "1.39", "v3.0.4" and "2.11.0-rc1": two or three numbers, and
// whatever follows a hyphen or a plus.
func Parse(s string) (Version, error) {
	if !written.MatchString(s) {
		return Version{}, fmt.Errorf("version %q is not one: give two or three numbers, such as 1.40 or 3.0.4", s)
	}
	return Release(strings.TrimPrefix(s, "v")), nil
}

var (
	written = regexp.MustCompile(`^v?\d{1,5}(\.\d{1,5}){1,2}([-+].*)?$`)
	dotted  = regexp.MustCompile(`\d{1,9}(\.\d{1,9})+([-+][0-9A-Za-z.+~-]*)?`)
	single  = regexp.MustCompile(`\d{1,9}`)
	numbers = regexp.MustCompile(`^\d+(\.\d+){0,2}`)
)

// marks match the version in a program's output, where the first dotted number may be another one:
// nginx and k6 print the versions of their libraries or of Go, Envoy its path and a commit.
var marks = map[string]*regexp.Regexp{
	"nginx":   regexp.MustCompile(`nginx/(\d\S*)`),
	"envoy":   regexp.MustCompile(`version"?:\s*"?[0-9a-f]{7,}/(\d[^/\s]*)/`),
	"k6":      regexp.MustCompile(`k6 v(\d\S*)`),
	"openssl": regexp.MustCompile(`\w+SSL (\d\S*)`),
}

// Of finds the version of a program in its output. A program without an entry in marks has the
// first dotted number, as in "h2load nghttp2/1.52.0", or the first number when none has a dot
// ("openjdk version \"21\"").
func Of(program, printed string) (Version, bool) {
	if mark, has := marks[program]; has {
		m := mark.FindStringSubmatch(printed)
		if m == nil {
			return Version{}, false
		}
		return Release(m[1]), true
	}
	for _, shape := range []*regexp.Regexp{dotted, single} {
		if found := shape.FindString(printed); found != "" {
			return Release(found), true
		}
	}
	return Version{}, false
}

// Release parses a version as programs print it. It uses the first three numbers: the fourth is
// OpenResty's own. It ignores what follows them: 2.24.0-desktop.1 is not older than 2.24.0, and a
// release candidate has the release's features too.
func Release(text string) Version {
	parts := strings.Split(numbers.FindString(text), ".")
	for i, p := range parts {
		if parts[i] = strings.TrimLeft(p, "0"); parts[i] == "" { // semver rejects 04
			parts[i] = "0"
		}
	}
	return Version{Text: text, semver: semver.Canonical("v" + strings.Join(parts, "."))}
}

// String has three numbers; it is empty for an unknown version.
func (v Version) String() string { return strings.TrimPrefix(v.semver, "v") }

// Less reports whether v is older than w.
func (v Version) Less(w Version) bool { return semver.Compare(v.semver, w.semver) < 0 }

// AtLeast reports whether v is the release with these numbers or a later one.
func (v Version) AtLeast(numbers ...int) bool { return !v.Less(New(numbers...)) }
