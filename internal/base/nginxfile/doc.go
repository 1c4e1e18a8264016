// Package nginxfile reads nginx's configuration files by the rules of nginx's own parser
// (ngx_conf_read_token and ngx_conf_parse in src/core/ngx_conf_file.c): into statements, or into a
// tree with the file, line and column of every word. It doesn't interpret directives: one it has
// never seen may belong to a module and is not an error.
package nginxfile

import "fmt"

// MostBytes bounds the size of a file, and of all files of one configuration together.
const MostBytes = 16 << 20

// File is a file with its content.
type File struct {
	Name string
	Data []byte
}

// Error is an error that nginx would report for the file too. Line is 0 for an error of the whole
// file.
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
