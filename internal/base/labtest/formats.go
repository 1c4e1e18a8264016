package labtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// Verb matches a verb of a format string: its flags, its argument's index and its letter.
var Verb = regexp.MustCompile(`%([-+# 0]*\d*(?:\.\d*)?)(?:\[(\d+)\])?([a-zA-Z%])`)

// Verbs returns a format's verbs in the order of the arguments that they use. A translation has the same.
func Verbs(format string) []string {
	next, at := 1, map[int]string{}
	for _, m := range Verb.FindAllStringSubmatch(format, -1) {
		if m[3] == "%" || strings.HasPrefix(m[1], " ") {
			continue // a sign, not a verb: "%%", or the "% of" of a phrase without arguments
		}
		if m[2] != "" {
			next, _ = strconv.Atoi(m[2])
		}
		at[next] += m[1] + m[3]
		next++
	}
	out := make([]string, len(at))
	for i := range out {
		out[i] = at[i+1]
	}
	return out
}

// Constant returns the value of a string that consists of literals.
func Constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, okX := Constant(e.X)
		y, okY := Constant(e.Y)
		return x + y, okX && okY
	}
	return "", false
}
