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
	`\b\d+ tests?, \d+ passed\b|^(?:--- )?PASS:? `)

// explains matches a bullet with a whole sentence, and a sentence about what a setting does.
var explains = lazily(`^• .{60,}\.(?:\s|$)|\b(?:options?|flags?|settings?|parameters?|directives?|annotations?|environment variables?)\b` +
	`[^.;:]{0,60}?\b(?:helps?|prevents?|controls?|enables?|disables?|sets|specif(?:ies|y)|limits?|allows?|defines?|` +
	`determines?|configures?)\b`)

// record matches what only a record of an event has.
var record = lazily(`\d:\d\d|\d{4}[-/]\d\d[-/]\d\d|Exception\b|(?i:\berr(?:or)?["']?[:=(]|\bstream(?: ?id)?[ =:#]{1,2}\d|` +
	`last[ _-]?stream[ _-]?id["']?[ =:]{1,2}\d|\bcode["']?[ =:]{1,3}\d|\b0x[0-9a-f]{2}|https?://|curl: \()|` +
	`\b(?:WARN(?:ING)?|ERROR|FATAL|INFO|DEBUG|ERR)\b|\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b`)

// behaves matches sentences about what programs always do: with a keyword of RFC 2119, about any client or server, about
// a frame that comes, and entries of lists of vulnerabilities.
var behaves = lazily(`\b(?:SHOULD|MUST|SHALL|MAY)(?: NOT)? [a-z]+\b` +
	`|(?:^|[.;:)] |[-•*+] )(?:(?:When(?:ever)?|Upon|On|After|Before) (?:receiv|send|gett|clos)(?:ing|ipt)\b` +
	`|(?i:an?|any|each|every) (?:\w+ ){0,2}(?:endpoint|client|server|peer|sender|receiver|proxy|implementation|intermediary) ` +
	`(?:that|which|can|may|must|should|will|is|has|does|sends|receives|closes)\b)` +
	`|^(?:[-•*+] )?(?:When(?:ever)?|If|Once|Unless) (?:an?|any) (?:[\w/.-]+ ){1,4}(?:is|are|gets?|arrives|closes|sends|receives)\b` +
	`|\bCVE-\d{4}-\d{4}`)

// changed matches an entry of a list that begins with what a program was made to do.
var changed = lazily(`^[-•+] (?:(?:Do not|Don't|No longer|No more) [a-z]|` + made + ` ` + object + `)`)

const (
	made = `(?:Add|Remov|Updat|Chang|Renam|Replac|Us|Handl|Retr|Return|Clos|Send|Clean|Mark|Mov|Drop|Skip|Stop|Start|Keep|Treat|` +
		`Reject|Accept|Reduc|Increas|Expos|Report|Rais|Throw|Correct|Document|Reus|Creat|Disabl|Enabl|Limit|Reset|Rework|` +
		`Rewrit|Simplif|Split|Wait|Log|Ignor|Propagat|Convert|Cancel)(?:e|es|s|y|ies|ts?)?`
	object = `(?:an?|the|all|any|another|its|support|when|if|on|for|of|up|new|more|only|not|[a-z]+(?:s|ion|ing))\b`
)

// general matches sentences that may tell what programs do, and may tell what happened.
var general = lazily(`^(?:[-•*+] )?(?:(?:When(?:ever)?|If|Once|Upon|Unless|In case) [a-zA-Z]|` + made + ` ` + object + `)` +
	`|\b(?:[A-Z]{2,}_[A-Z0-9_]+|E[A-Z]{5,}|GOAWAY|[Cc]lients|[Ss]ervers|[Ee]ndpoints|[Pp]roxies)(?: (?:frame|code|error|request|stream)s?)? ` +
	`(?:(?:is|are) (?:used|sent|retried|treated|allowed|shown|returned|raised|thrown|caused|seen)|allows?|means|signals?|` +
	`indicates?|tells?|lets?|occurs?|happens?|appears?|should|must|may|can|will)\b` +
	// source code
	`|^(?:[+-] ?)?(?:if|for|while|switch|case|return|func|def|class|const|let|var|import|fn|match|elif|else)\b[^"']*?(?:[({=]|:=|: )` +
	`|\b[Tt]his (?:release|version|change|commit|patch|option|policy|section) `)

// prose reports whether a text tells how software behaves, or that it did so in a test.
func (t text) prose() bool {
	return note().MatchString(t.as) || passed().MatchString(t.as) || !record().MatchString(t.as) &&
		(explains().MatchString(t.as) || behaves().MatchString(t.as) || changed().MatchString(t.as))
}

// mayBeProse reports whether a text without a sign of a record can be read as a rule or as a report.
func (t text) mayBeProse() bool { return general().MatchString(t.as) && !record().MatchString(t.as) }
