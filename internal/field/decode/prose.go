package decode

// People write about failures without having one: lists of changes, manuals, tests that passed. Such a text reports no
// failure, whatever frames and codes it names. One sign of a record (a time, a level, an exception, an id) overrules that.

// note matches an entry of a list of changes or the title of a commit (conventionalcommits.org): its program did that, or
// does it no more. curl's lines begin with a star too.
var note = lazily(`^(?:(?:#+ |(?i:what'?s (?:changed|new)|change ?log|release notes|bug ?fixes)\b)[^*•]{0,60}?)?` +
	`(?:[*+•-]|\*\)) (?:(?:\*\*[\w .-]+:?\*\*|\[[\w-]+\]|[a-z]\w+):? )?` +
	`(?:(?:Fix(?:e[sd])?|Bugfix|Mitigat\w+|Improv\w+|Avoid\w*|Prevent\w*|Ensure[sd]?|Respect\w*|Allow\w*|` +
	`Support\w*|Deprecat\w+|` +
	`Introduc\w+|Implement\w*|Refactor\w*|Make|Count|fix(?:e[sd])?|Add(?:s|ed)?|Remove[sd]|Bump(?:s|ed)?|Upgrade[sd]?|Update[sd]|Replace[sd]|Rename[sd]?)\b|.{8,300}[( ]\[?#\d{3,}|.{8,300}\(\[[0-9a-f]{7,}\])|` +
	`^(?:fix|feat|docs|chore|refactor|perf)(?:\([\w ./-]{1,40}\))?!?: `)

// bullets are parts of which every match of note has one.
var bullets = []string{"* ", "+ ", "• ", "- ", "*) ", "fix", "feat", "docs", "chore", "refactor", "perf"}

// passed matches the lines of test reports: tests that passed (TAP, Mocha, Jest, GoogleTest, Go, cargo, pytest);
// inReport matches such lines within a text, and what a conformance test does (h2spec).
var (
	passed = lazily(`^(?:(?:✔|✓|√|ok \d+ -|\[ {1,7}OK \]|PASSED) |(?:--- )?PASS:? |=== (?:RUN|PAUSE|CONT|NAME) +\S+$|` +
		`test \S+ \.\.\. ok\b|(?:it|describe|context|specify|test)[ (]+["'][^"']+["']|Scenario(?: Outline)?: |` +
		`(?:# )?(?:fail|failed|failures|errors) 0$)`)
	inReport = lazily(`(?:^|\s)(?:_|✔|✓|√|✗|×|✘) (?:\d+: )?(?:Sends|Receives) |\b\d+ tests?, \d+ passed\b|` +
		`\bPASSED(?: +\[ *\d+%\])?$|\bTests run: \d+, Failures: 0, Errors: 0\b`)
)

// syntax matches source code, queries and definitions by their syntax.
var syntax = lazily(`^(?:(?:/\*\*?|<!--|#include|#define|""") ?|\* @\w+|@(?:param|return|throws)\b|` +
	`(?:throws|raises) [\w.]+(?: -|:| –)|// |` +
	`(?:(?:public|private|protected|static|final|abstract|export|async|override|pub)\b(?:\(\w+\))? )+` +
	`[\w<>\[\]., ]+[ (=].*[;{}]$|` +
	`(?:const|let|var|val|def|func|fun|fn|class|struct|enum|interface|trait|impl|namespace|` +
	`typedef) [\w<>*&]+[^"']*?[({=:].*[;{}]$|(?:message|service|type) \w+ (?:struct |interface )?\{|` +
	`import (?:(?:static )?\w+(?:\.[\w*]+)+;?$|.* from ["']|["'{(])|from \S+ import |package [\w.]+;?$|` +
	`(?:using|use) [\w:.]+(?:\{[^}]*\})?;$|` +
	`(?:if|for|while|switch|match|elif|else if|} else if|catch|} catch)\b ?\(.*\) ?\{|match [^{]*\{ |` +
	`case [\w.:"', |]+: ?(?:$|//|return|break|throw)|except [\w., ()]+(?: as \w+)?: |` +
	`(?:assert|expect|t|require|self)(?:\.\w+)*\([^;]*\)[\w.()"' ]*;?$|` +
	`(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE)\b.*\b(?:FROM|VALUES|SET|` +
	`WHERE|ON|ADD|PRIMARY)\b|alert: \w+$|expr: |# (?:HELP|TYPE) |\|(?: [^|]+ ?\|){2,}$|` +
	// a list of strings: with its type, or of a constant
	`(?:[\w.]+ )+:?= ?(?:(?:\[\d*\]|map\[\w+\])\w+\{|new \w+\[\] ?\{|&?vec!\[|\w*(?:[Ll]ist|[Ss]et|Arrays)(?:<\w*>)?(?:\.\w+)?\() ?["']|` +
	`(?:(?:const|let|var|val|static|final|public|private|export) )*(?:const|let|var|val|static|final) [\w<>:&\[\]*' ]+= ?` +
	`&?[\w.<>]*[\[({]{1,2} ?["']|[A-Z][A-Z_0-9]{2,}(?:: [\w\[\], ]+)? = \w*[\[({]{1,2} ?["']|` +
	// a call, and an exception that is thrown
	`(?:\w+(?:\.|::|->))*[a-z]\w*\((?:[^()]|\([^()]*\))*\)(?: \?.*)?;$|` +
	`(?:throw new|raise|throw) [\w.:]+\([^:]*\)(?: (?:if|unless) .*)?;?$|class \w+\(\w*\): |` +
	`(?:[$#>] )?(?:[ez]?grep|rg|awk|sed|jq|journalctl|kubectl logs|docker logs) |@[A-Z]\w+\(|` +
	`rescue [A-Z][\w:]+(?:,| =>|$)|` +
	`(?:Subject: |commit [0-9a-f]{6,}|\[PATCH\b|Merge (?:pull|branch)|Revert "|Bug ?fix(?:es)?: ))`)

// inCode matches operators that only source code and queries have.
var inCode = lazily(`\) (?:\|\||&&) !?[a-zA-Z]|\.class\b[,})]|\bis \w+Exception ->|\bcatch \((?:const )?[\w:. |]+&? ?\w+\)|` +
	`\bI?LIKE '|\| filter @|\blike /`)

// operators are parts of which every match of inCode has one.
var operators = []string{") |", ") &", ".class", "Exception ->", "catch (", "LIKE '", "filter @", "like /"}

// manual matches what a program prints about its options.
var manual = lazily(`^(?:(?i:usage|options|flags|arguments): |(?:-\w(?:,|\|) ?)?--[a-z][\w-]+(?:[ =,]|$).*[a-z]{3})`)

// explains matches a bullet with a whole sentence, and a sentence about what a setting does.
var explains = lazily(`^• .{60,}\.(?:\s|$)|\b(?:options?|flags?|settings?|parameters?|directives?|annotations?|` +
	`environment variables?)\b` +
	`[^.;:]{0,60}?\b(?:helps?|prevents?|controls?|enables?|disables?|sets|specif(?:ies|y)|limits?|allows?|defines?|` +
	`determines?|configures?)\b|` +
	// what a name stands for: the sentence lacks its subject
	`(?:^|[\w):.] )(?:(?:Indicates|Means|Signals|Signifies|Denotes) that|(?:Returned|Sent|Raised|Thrown|Generated|Emitted|Occurs|Happens|` +
	`Appears) (?:when|if)) (?:an?|the|one|no|this|your|some)\b`)

// record matches what only a record of an event has, logging what a sentence about it doesn't quote either.
var (
	record = lazily(traces + `|(?i:\bstream(?: ?id)?[ =:#]{1,2}\d|last[ _-]?stream[ _-]?id["']?[ =:]{1,2}\d)|` +
		`\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b`)
	logging = lazily(traces + `|\([A-Z]\w*(?:\.\w+)*Error\)|Exception\(|\[ERR_|\bFailed to |\b\w+: \w+: |` +
		`\b(?i:error(?: code)?:? \(?\d)|StatusCode\.|\b(?:FATA|ERRO)\b`)
)

const traces = `\d:\d\d|\d{4}[-/]\d\d[-/]\d\d|Exception\b|(?i:\berr(?:or)?["']?[:=(]|\bfail(?:ed|ure): |` +
	`\bcode["']?[ =:]{1,3}\d|\b0x[0-9a-f]{2}|https?://|curl: \()|\b(?:WARN(?:ING)?|ERROR|FATAL|INFO|DEBUG|ERR)\b`

// logged matches the time, the level or the stack of a record: source code has neither.
var logged = lazily(`\d:\d\d:\d\d|\d{4}[-/]\d\d[-/]\d\d|\b(?:WARN(?:ING)?|ERROR|FATAL|INFO|DEBUG|ERR)\b|` +
	`\bat [\w.$<>/]+ ?\(|(?:Exception|Error): \w|curl: \(`)

// behaves matches sentences about what programs always do: with a keyword of RFC 2119, about any client or server, about
// a frame that comes, and entries of lists of vulnerabilities.
var behaves = lazily(`\b(?:SHOULD|MUST|SHALL|MAY)(?: NOT)? [a-z]+\b` +
	`|(?:^|[.;:)] |[-•*+] )(?:(?:When(?:ever)?|Upon|On|After|Before) (?:receiv|send|gett|clos)(?:ing|ipt)\b` +
	`|(?i:an?|any|each|every) (?:\w+ ){0,2}(?:endpoint|client|server|peer|sender|receiver|proxy|implementation|` +
	`intermediary) ` +
	`(?:that|which|can|may|must|should|will|is|has|does|sends|receives|closes)\b)` +
	`|^(?:[-•*+] )?(?:When(?:ever)?|If|Once|Unless) (?:an?|any) (?:[\w/.-]+ ){1,4}(?:is|are|gets?|arrives|closes|` +
	`sends|receives)\b` +
	`|\bCVE-\d{4}-\d{4}|\bCWE-\d+|\b(?:[Aa]ttackers?|vulnerab\w+|denial of service)\b`)

// changed matches an entry of a list that begins with what a program was made to do.
var changed = lazily(`^[-•+] (?:(?:Do not|Don't|No longer|No more) [a-z]|` + made + ` ` + object + `)`)

const (
	made = `(?:Add|Remov|Updat|Chang|Renam|Replac|Us|Handl|Retr|Return|Clos|Send|Clean|Mark|Mov|Drop|Skip|Stop|` +
		`Start|Keep|Treat|` +
		`Reject|Accept|Reduc|Increas|Expos|Report|Rais|Throw|Correct|Document|Reus|Creat|Disabl|Enabl|Limit|Reset|Rework|` +
		`Rewrit|Simplif|Split|Wait|Log|Ignor|Propagat|Convert|Cancel)(?:e|es|s|y|ies|ts?)?`
	object = `(?:an?|the|all|any|another|its|support|when|if|on|for|of|up|new|more|only|not|[a-z]+(?:s|ion|ing))\b`
)

// general matches sentences that may tell what programs do, and may tell what happened.
var general = lazily(`^(?:[-•*+] )?(?:(?:When(?:ever)?|If|Once|Upon|Unless|In case) [a-zA-Z]|` + made + ` ` + object + `)` +
	`|\b(?:[A-Z]{2,}_[A-Z0-9_]+|E[A-Z]{5,}|GOAWAY|[Cc]lients|[Ss]ervers|[Ee]ndpoints|[Pp]roxies)(?: (?:frame|code|` +
	`error|request|stream)s?){0,2} ` +
	`(?:(?:is|are) (?:used|sent|retried|treated|allowed|shown|returned|raised|thrown|caused|seen)|allows?|means|signals?|` +
	`indicates?|tells?|lets?|occurs?|happens?|appears?|should|must|may|can|will)\b` +
	// source code
	`|^(?:[+-] ?)?(?:if|for|while|switch|case|return|func|def|class|const|let|var|import|fn|match|elif|` +
	`else)\b[^"']*?(?:[({=]|:=|: )` +
	// what may come, what somebody asks, and what he wants
	`|\bwill (?:not )?(?:send|fail|be (?:lost|closed|reset|refused))\b|\b(?:could|might|may|would)` +
	`(?: not| also| then| even)* (?:be |get |have been )?(?:fail|reset|lost|` +
	`closed?|refused?|time|retry|retried|reconnect|see|send|sent|drop|abort|cancel|happen|result|lead|cause)` +
	`|(?i:^(?:hint|note|tip|todo|fixme|docs?|feature request|question|faq|q|a|see also|example|` +
	`environment|deprecated|expected(?: behaviou?r)?|steps to reproduce|symptom|workaround|breaking change|summary|` +
	`motivation)` +
	`(?:\(\w+\))?: )|^This (?:PR|MR|fix) ` +
	`|^(?:Users?|Customers?|People|Teams?|Some \w+|Several \w+) (?:report|see|saw|get|got|hit|notice|observe|experience|complain)` +
	`|^(?:#|//|--|;|/\*) [A-Za-z]|^v?\d+\.\d+\.\d+[: ]{1,2}[a-zA-Z-]|^Runbook` +
	// what something is
	`|^(?:An?|Any|Each|Every) [\w/ -]{2,50}? (?:is an?|is the|can|may|must|should|tells|means|indicates|signals)\b` +
	`|^(?:The|This) [\w/() -]{2,60}? (?:tells|treats|means|indicates|signals|describes|defines|identifies|` +
	`represents|no longer) ` +
	`|\b[Tt]his (?:release|version|change|commit|patch|option|policy|section) `)

// advises matches an error in quotes beside what somebody is to do about it: the title or the text of a change, a page of imperative.
var advises = lazily(`["'\x60][^"'\x60]{6,160}["'\x60][^.;:=]{0,80}[.;] ` + imperative + ` [a-zA-Z/]|^` + imperative + ` [^"'\x60:=]{0,60}:? ?["'\x60][^"'\x60]{6,160}["'\x60] [a-z]`)

const imperative = `(?:(?i:force|disable|enable|wait|bump|upgrade|downgrade|increase|raise|lower|reduce|switch|pin|avoid|prefer|` +
	`work around|workaround|wrap|turn (?:off|on)|configure|add|use|set|retry|swallow|tolerate|ignore|handle)s?)`

// asked matches questions, and what a manual says.
var asked = lazily(`(?i)tells the (?:client|server|peer)\b|\bis (?:how|by design)\b|\bsee (?:section|` +
	`chapter|the docs)\b|(?:^|[.!] )(?:what|how|why|when|which|where|should|does|do|did|can|could|is it|have you|` +
	`has any|are there)\b[^.!]{3,200}\?`)

// prose reports whether a text tells how software behaves, or that it did so in a test.
func (t text) prose() bool {
	switch {
	case containsAny(t.as, bullets) && note().MatchString(t.as), passed().MatchString(t.as),
		containsAny(t.low, []string{"passed", "tests run", " sends ", " receives "}) && inReport().MatchString(t.as):
		return true
	case syntax().MatchString(t.as), manual().MatchString(t.as),
		containsAny(t.as, operators) && inCode().MatchString(t.as):
		return !logged().MatchString(t.as)
	}
	return !record().MatchString(t.as) &&
		(explains().MatchString(t.as) || behaves().MatchString(t.as) || changed().MatchString(t.as))
}

// mayBeProse reports whether a text without a sign of a record can be read as a rule or as a report.
func (t text) mayBeProse() bool {
	return (general().MatchString(t.as) || advises().MatchString(t.as)) && !record().MatchString(t.as) ||
		asked().MatchString(t.as) && !logged().MatchString(t.as) ||
		t.narrates()
}
