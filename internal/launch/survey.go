package launch

import (
	"errors"
	"fmt"
	"os"

	"h2lab/internal/lab"
)

// Taken says for every port of the servers that is taken who has it. It is
// what Up would complain about.
func Taken(root string, servers []lab.Server) []error {
	err := portsFree(root, servers)
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// BudgetSupport says whether servers can be held to a processor budget here,
// by trying: a cgroup is made and removed again.
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
func CarriesLimit(s lab.Server, limit int) bool {
	return limit != 0 && limit != lowLimit && carriesLowLimit(s)
}

// Underive removes the configurations that Derive made for a limit.
func Underive(root string, servers []lab.Server, limit int) error {
	var errs []error
	for _, s := range servers {
		if CarriesLimit(s, limit) {
			errs = append(errs, undoDerive(root, []string{derivedPath(s, limit)}))
		}
	}
	return errors.Join(errs...)
}
