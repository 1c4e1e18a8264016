// Package plot lays out the axes of a chart and draws its ticks and its grid on gonum's canvas.
//
// gonum.org/v1/plot has axes too, but importing it links twelve fonts, five more file formats and a PDF
// writer: 5 MB of a command that draws SVG (docs/decisions/0002-charts.md).
package plot
