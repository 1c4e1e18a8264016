// Package translations writes the texts of verdicts and reports in English or Chinese. It imports
// no package of the rules or reports.
//
// A Phrase is an English format string and the key of its translation, so the code contains the
// English text and needs no second set of names. Go converts only constants to Phrase implicitly: a
// test of this package type-checks the packages that use phrases, collects every constant of this
// type, and requires a translation of each, with the same verbs and digits, and no translation of
// an unused phrase.
//
// Numbers arrive as text: package text formats them the same way for both languages.
//
// Some sentences were finished when a run was measured and are in its results.json (warnings, notes
// of a trace). Recorded translates those whose form it has; it shows any other sentence as it was
// recorded.
package translations
