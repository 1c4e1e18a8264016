// Package statistics turns a handful of repeated measurements into a median with its
// 95 % interval, and two handfuls into a ratio with its interval and a word on
// whether the difference can be told from noise.
//
// It stands right of the door, under diagnose and report, and knows none of
// our nouns. Medians, intervals and significance come from
// golang.org/x/perf/benchmath under its AssumeNothing: order statistics and the
// Mann-Whitney U test, since benchmark results are seldom normal.
//
// What can't be known is nil, never NaN or an infinity (JSON can carry
// neither), and a warning beside it says why: warnings are data, so that a
// number can't lose its caveat on the way to the reader.
package statistics
