package check

import (
	"errors"

	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/unsupported"
)

// explained is the error on a file that can't be read: what the file is when no kind of lint reads it.
func explained(syntax *lint.SyntaxError, kind string, files []lint.File) error {
	next := "; mend that and lint again"
	for _, f := range files {
		if f.Name != syntax.File || kind == lint.Nginx { // nginxconf asks itself
			continue
		}
		if err := unsupported.Named(f); err != nil {
			return err
		}
		if unsupported.Template(f) != nil {
			next = "; the file is a template: fill it in and lint the result"
		}
	}
	return errors.New(lint.Plain(syntax.Error()) + next)
}
