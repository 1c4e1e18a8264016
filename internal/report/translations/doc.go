// Package translations says the words of verdicts and reports in English or in
// Chinese. It stands under diagnose and report and knows none of our nouns.
//
// A Phrase is an English format string and the key of its translation, so the
// English text stands where it is used and there is no second set of names. Go
// makes a Phrase of a constant that is passed as one, and of nothing else: a
// test of this package type-checks the rooms that speak, collects every constant
// of this type, and wants a translation of each, with the same verbs and the
// same digits, and no translation of what nobody says.
//
// Numbers arrive written: one room formats them, in one way, for both languages.
//
// Some sentences were finished when a run was measured and stand in its
// results.json (warnings, notes of a trace). Recorded knows the forms that the lab
// gives them; one that it doesn't know is shown as it was recorded.
package translations
