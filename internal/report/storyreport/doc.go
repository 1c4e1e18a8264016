// Package storyreport turns a story's result and verdicts into story.md, its charts, and the short version for a
// terminal. The page has the order in which a team searches: the service's view, the API's, the cut between them, the
// connections, the retry, the cures, and what differs from the original. Its sections are files of their own; their
// prose is in text/*.md. It uses no network, clock or file, and writes the same bytes for the same input.
package storyreport
