package labtest

import "regexp"

var (
	// notProse is what Chinese text quotes: code, strings and links.
	notProse = regexp.MustCompile("`[^`]*`" + `|"(?:[^"\\]|\\.)*"|https?://\S+|\([^()\p{Han}]*\)`)
	// prose are words that no name, setting or command has between spaces, and three plain words in a row.
	prose = regexp.MustCompile(`(?:^|[\s（，。；：])(?:the|an|of|and|or|is|are|was|were|that|this|its|it|which|with|` +
		`from|by|not|than|has|have|can|can't|don't|doesn't|isn't|no|The|An|It|This|That|In|No|All|One)(?:$|[\s，。；：）])|` +
		`(?:^|[\s（，。；：])[A-Za-z]?[a-z]+ [a-z]+ [a-z]+(?:$|[\s，。；：）.])`)
)

// English returns English prose in a Chinese text, or "".
func English(text string) string { return prose.FindString(notProse.ReplaceAllString(text, "¦")) }
