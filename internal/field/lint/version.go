package lint

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a server's, as far as defaults depend on it: 1.39 or 3.0.4.
type Version [3]int

// ParseVersion reads "1.39", "v3.0.4" and "2.11.0-rc1". "" is not known, and
// no error.
func ParseVersion(s string) (v Version, known bool, err error) {
	if s == "" {
		return v, false, nil
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(s, "v"), "-")
	parts := strings.Split(number, ".")
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil || i >= len(v) || len(parts) < 2 {
			return Version{}, false, fmt.Errorf("version %q is not one: give two or three numbers, such as 1.40 or 3.0.4", s)
		}
		v[i] = int(n)
	}
	return v, true, nil
}

// AtLeast compares major and minor numbers.
func (v Version) AtLeast(major, minor int) bool {
	return v[0] > major || v[0] == major && v[1] >= minor
}

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }
