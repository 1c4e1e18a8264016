// Package notes names what the probe notices of a connection, and has the English text of each.
//
// A measurement stores a facts.Note: a code of this package and its arguments. The texts are here
// and, in Chinese, in internal/report/translations, so that a text can change without another
// measurement.
package notes
