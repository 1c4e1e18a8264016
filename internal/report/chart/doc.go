// Package chart turns series of numbers into SVG pictures, each in a light and
// a dark version. It stands at the end of the path, is called by report alone,
// and knows nothing of servers or cells: it gets labels and numbers.
//
// The drawing is gonum's plot on its vgsvg canvas; what that can't do (a size
// that scales, a description for screen readers, font fallbacks) is added to
// the finished bytes in svg.go. The same input always gives the same bytes.
// docs/decisions/0002-charts.md has the reasons.
package chart
