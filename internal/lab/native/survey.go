package native

import (
	"fmt"
	"os"
	"path/filepath"

	"h2lab/internal/facts"
)

// Taken returns an error for every port of the servers that is in use, with its owner, as Up would.
func Taken(root string, servers []facts.Server) []error {
	err := portsFree(root, servers)
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// BudgetSupport says whether h2lab can limit CPU here. To find out, it makes a cgroup and removes
// it again.
func BudgetSupport() string {
	b, err := openBudget(cgroupMount, "/proc/self/cgroup", os.Getpid())
	if err == nil {
		err = b.remove([]string{b.dir})
	}
	if err != nil {
		return fmt.Sprintf("can't be set here (%v); servers run unlimited", err)
	}
	return "can be set (cgroups)"
}

// CarriesLimit reports whether a server needs a derived configuration for limit.
func CarriesLimit(s facts.Server, limit int) bool {
	return limit != 0 && limit != lowLimit && carriesLowLimit(s)
}

// Underive removes every configuration that Derive made below root. Stop the servers that use one
// before.
func Underive(root string) error {
	var made []string
	for _, pattern := range []string{"var/nginx/*.conf", "var/envoy/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return err
		}
		for _, f := range files {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				return err
			}
			made = append(made, rel)
		}
	}
	return undoDerive(root, made)
}
