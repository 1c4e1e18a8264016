package decode

// People write about failures without having one: lists of changes, manuals, tests that passed. Such a text reports no
// failure, whatever frames and codes it names. One sign of a record (a time, a level, an exception, an id) overrules that.

// note matches an entry of a list of changes or the title of a commit (conventionalcommits.org): its program did that, or
// does it no more. curl's lines begin with a star too.
var note = lazily(`^(?:(?:#+ |(?i:what'?s (?:changed|new)|change ?log|release notes|bug ?fixes)\b)[^*•]{0,60}?)?` +
	`(?:[*+•-]|\*\)) (?:(?:\*\*[\w .-]+:?\*\*|\[[\w-]+\]|[a-z]\w+):? )?` +
	`(?:(?:Fix(?:e[sd])?|Bugfix|Mitigat\w+|Improv\w+|Avoid\w*|Prevent\w*|Ensure[sd]?|Respect\w*|Allow\w*|Support\w*|Deprecat\w+|` +
	`Introduc\w+|Implement\w*|Refactor\w*|Make|Count|fix(?:e[sd])?)\b|.{8,300}[( ]\[?#\d{3,}|.{8,300}\(\[[0-9a-f]{7,}\])|` +
	`^(?:fix|feat|docs|chore|refactor|perf)(?:\([\w ./-]{1,40}\))?!?: `)

// passed matches the lines of test reports: what a conformance test does (h2spec), and tests that passed (TAP, Mocha,
// Jest, GoogleTest).
var passed = lazily(`(?:^|\s)(?:_|✔|✓|√|✗|×|✘) (?:\d+: )?(?:Sends|Receives) |^(?:✔|✓|√|ok \d+ -|\[ {1,7}OK \]) |` +
	`\b\d+ tests?, \d+ passed\b`)

// explains matches a bullet with a whole sentence, and a sentence about what a setting does.
var explains = lazily(`^• .{60,}\.(?:\s|$)|\b(?:options?|flags?|settings?|parameters?|directives?|annotations?|environment variables?)\b` +
	`[^.;:]{0,60}?\b(?:helps?|prevents?|controls?|enables?|disables?|sets|specif(?:ies|y)|limits?|allows?|defines?|` +
	`determines?|configures?)\b`)

// record matches what only a record of an event has.
var record = lazily(`\d:\d\d|\d{4}[-/]\d\d[-/]\d\d|Exception\b|(?i:\berr(?:or)?["']?[:=(]|\bstream(?: ?id)?[ =:#]{1,2}\d|` +
	`last[ _-]?stream[ _-]?id["']?[ =:]{1,2}\d|\bcode["']?[ =:]{1,3}\d|\b0x[0-9a-f]{2}|https?://|curl: \()|` +
	`\b(?:WARN(?:ING)?|ERROR|FATAL|INFO|DEBUG|ERR)\b|\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b`)

// prose reports whether a text tells how software behaves, or that it did so in a test.
func (t text) prose() bool {
	return note().MatchString(t.as) || passed().MatchString(t.as) ||
		explains().MatchString(t.as) && !record().MatchString(t.as)
}
