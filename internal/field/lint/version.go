package lint

import "h2lab/internal/base/versions"

// ParseVersion reads what the user gave for --version. "" is not known, and no error.
func ParseVersion(s string) (v versions.Version, known bool, err error) {
	if s == "" {
		return v, false, nil
	}
	v, err = versions.Parse(s)
	return v, err == nil, err
}
