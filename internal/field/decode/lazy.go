package decode

import (
	"regexp"
	"sync"
)

// lazily compiles an expression when a text is first read: the program starts for other verbs too.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
