// Package chart draws series of numbers as SVG pictures, each in a light and a dark version. Its
// input is labels and numbers; it has no types of servers or cells. Only the report packages call
// it. The texts that they give are in the page's language, which Words.Language names for the chart's own texts.
//
// gonum's plot draws on its vgsvg canvas; svg.go adds to the finished bytes what vgsvg lacks: a
// size that scales, a description for screen readers, and font fallbacks. The same input always
// gives the same bytes. docs/decisions/0002-charts.md has the reasons.
package chart
