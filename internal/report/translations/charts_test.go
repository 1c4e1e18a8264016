package translations

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"testing"
)

// drawing are the packages that draw charts of a page's language.
var drawing = []string{"../runreport", "../storyreport", "../sweepreport", "../clientreport", "../mattersreport"}

const chartPackage = "h2lab/internal/report/chart"

// word matches a text that a reader reads: p50 and ms are in both languages.
var word = regexp.MustCompile(`[A-Za-z]{3,}`)

// A string that a report writes into a chart, instead of a phrase, would be English on the Chinese page.
func TestChartsAreGivenPhrasesAndNoEnglish(t *testing.T) {
	charts := 0
	for _, p := range checked(t, drawing) {
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					if isChart(p.info.TypeOf(n)) {
						charts++
						english(t, p, n)
						return false
					}
				case *ast.AssignStmt:
					for i, to := range n.Lhs {
						if field, ok := to.(*ast.SelectorExpr); ok && isChart(p.info.TypeOf(field.X)) && len(n.Rhs) == len(n.Lhs) {
							english(t, p, n.Rhs[i])
						}
					}
				case *ast.CallExpr:
					if called, ok := n.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Words" {
						english(t, p, n)
					}
				}
				return true
			})
		}
	}
	if charts < 15 {
		t.Fatalf("only %d charts and parts of charts found: the search is broken", charts)
	}
}

func isChart(of types.Type) bool {
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	named, ok := of.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == chartPackage
}

// english finds the strings with words in an expression. A phrase has another type.
func english(t *testing.T, p checkedPackage, in ast.Node) {
	t.Helper()
	ast.Inspect(in, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || types.Unalias(p.info.TypeOf(lit)).String() != "string" {
			return true
		}
		if s, err := strconv.Unquote(lit.Value); err != nil || word.MatchString(s) {
			t.Errorf("%s writes %s into a chart: say it as a phrase", p.fset.Position(lit.Pos()), lit.Value)
		}
		return true
	})
}
