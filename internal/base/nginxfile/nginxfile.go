// Package nginxfile reads nginx's configuration files by the rules of nginx's own parser
// (ngx_conf_read_token and ngx_conf_parse in src/core/ngx_conf_file.c): into statements, or into a
// tree with the file, line and column of every word. It doesn't interpret directives: one it has
// never seen may belong to a module and is not an error.
package nginxfile

import (
	"bytes"
	"fmt"
	"strings"
)

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

func fail(file string, line int, format string, args ...any) error {
	return &Error{file, line, fmt.Sprintf(format, args...)}
}

// Bounds of a tree, far above real configurations; they limit the stack and the memory.
const (
	deepestBlock   = 100
	mostDirectives = 1_000_000
)

// Directive is a directive with its position and its block, if it has one.
type Directive struct {
	Name         string
	Args         []Word
	File         string
	Line, Column int
	HasBlock     bool
	Block        []*Directive
	Parent       *Directive // the directive of the enclosing block; nil at the top
	From, To     int        // bytes of the file: the first word, and behind the `;` or `{`
	text         []byte     // as written, without its end
	byName       map[string][]*Directive
}

// Arg is the text of argument n, from 0; "" when there is none.
func (d *Directive) Arg(n int) string {
	if n < len(d.Args) {
		return d.Args[n].Text
	}
	return ""
}

// Text is the directive as written, on one line: "listen 443 ssl;", "http {".
func (d *Directive) Text() string { return clip(string(d.text)) + d.ending() }

// Whole is Text without a bound: what a change repeats must stay complete.
func (d *Directive) Whole() string { return string(d.text) + d.ending() }

func (d *Directive) ending() string {
	if d.HasBlock {
		return " {"
	}
	return ";"
}

// First is the first directive of that name in d's block; nil when there is none.
func (d *Directive) First(name string) *Directive {
	if all := d.All(name); len(all) > 0 {
		return all[0]
	}
	return nil
}

// All returns the directives of that name in d's block. The first call indexes the block: a block
// with ten thousand servers is searched for each of them.
func (d *Directive) All(name string) []*Directive {
	if d.byName == nil {
		d.byName = map[string][]*Directive{}
		for _, inner := range d.Block {
			d.byName[inner.Name] = append(d.byName[inner.Name], inner)
		}
	}
	return d.byName[name]
}

// Walk visits d and all below it, from top to bottom.
func (d *Directive) Walk(visit func(*Directive)) {
	visit(d)
	for _, inner := range d.Block {
		inner.Walk(visit)
	}
}

// Parse reads one file into its directives, up to the first error, without what it includes.
func Parse(f File) ([]*Directive, error) {
	left := mostDirectives
	return parse(f, &left)
}

// parse reads one file into its directives. left is how many more directives are allowed.
func parse(f File, left *int) ([]*Directive, error) {
	switch nul := bytes.IndexByte(f.Data, 0); {
	case nul >= 0:
		return nil, fail(f.Name, 1+bytes.Count(f.Data[:nul], []byte("\n")), "binary: a configuration is text")
	case bytes.HasPrefix(f.Data, []byte("\xef\xbb\xbf")):
		return nil, fail(f.Name, 1, "begins with a byte order mark, which nginx takes for part of the first directive's name: "+
			"save the file without it")
	}
	top := &Directive{}
	err := (&scanner{file: f.Name, data: f.Data, line: 1, left: left}).block(top, 0)
	return top.Block, err
}

// Joined are the arguments of a directive, separated by spaces.
func (d *Directive) Joined() string {
	var out []string
	for _, w := range d.Args {
		out = append(out, w.Text)
	}
	return strings.Join(out, " ")
}
