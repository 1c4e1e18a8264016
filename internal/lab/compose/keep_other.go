//go:build unix && !linux

package compose

import "errors"

// keeping changes this process's user; capabilities exist on Linux only.
func keeping(names []string, change func() error) error {
	if len(names) > 0 {
		return errors.New("capabilities exist on Linux only")
	}
	return change()
}
