// Package notes has the codes of the probe's notes on a connection, and the English text of each.
//
// A measurement stores a facts.Note: a code of this package and its arguments. The texts are here
// and, in Chinese, in internal/report/translations, so that a text can change without a new
// measurement.
package notes
