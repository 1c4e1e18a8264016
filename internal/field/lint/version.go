package lint

import "h2lab/internal/base/versions"

// ParseVersion reads the value of --version. "" means unknown and is no error.
func ParseVersion(s string) (v versions.Version, known bool, err error) {
	if s == "" {
		return v, false, nil
	}
	v, err = versions.Parse(s)
	return v, err == nil, err
}
