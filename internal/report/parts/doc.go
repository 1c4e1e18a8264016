// Package parts writes what the reports of several commands share: headings, numbered notes, verdicts, warnings, the
// frames of a renewal, the environment, and the formats of numbers. runreport and storyreport hold the sections of
// their own.
package parts
