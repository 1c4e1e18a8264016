// Package nginxfile reads nginx's configuration files by the rules of nginx's own
// reader (ngx_conf_read_token and ngx_conf_parse in src/core/ngx_conf_file.c):
// into statements, or into a tree with the file, line and column of every word.
// It doesn't know what a directive means: an unknown one belongs to some module
// and is no error.
package nginxfile

import "fmt"

// MostBytes bounds a file, and all files of one configuration together.
const MostBytes = 16 << 20

// File is a file that was read already.
type File struct {
	Name string
	Data []byte
}

// Error is a file that nginx would not read either. Line is 0 when the whole
// file is meant.
type Error struct {
	File string
	Line int
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.What)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
}
