// Package statistics turns a few repeated measurements into a median with its 95 % interval, and
// two such samples into a ratio with its interval and whether the difference is significant.
//
// Its samples are plain numbers. Medians, intervals and significance come from
// golang.org/x/perf/benchmath under its AssumeNothing: order statistics and the Mann-Whitney U
// test, since benchmark results are seldom normally distributed.
//
// An unknown number is nil, never NaN or an infinity (JSON has neither), and a warning next to it
// says why. Warnings are data, so that every output can print them with the number.
package statistics
