// Package unsupported recognises files that h2lab lint doesn't read: the files of other programs (unsupported.toml),
// packed files and templates. Its errors name what the file is and what to lint instead.
package unsupported

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"h2lab/internal/base/text"
	"h2lab/internal/field/intake"
	"h2lab/internal/field/lint"
)

//go:embed unsupported.toml
var data string

// table is unsupported.toml, which says what its fields mean.
var table = sync.OnceValue(func() (t struct {
	Next, Settings map[string]string
	Object         []object
	Program        []struct {
		Name, Next string
		Marks      []string
	}
}) {
	if _, err := toml.Decode(data, &t); err != nil {
		panic(err) // the file is embedded, and tests read it
	}
	return t
})

type object struct {
	Group, What, Next string
	Kind, Has, Lacks  []string
	With              map[string]string
	Sure              bool
}

// sight bounds the part of a file that decides whose it is.
const sight = 256 << 10

func seen(f lint.File) []byte { return f.Data[:min(len(f.Data), sight)] }

// Named is an error that names what a file is that no kind of lint reads; nil when that isn't known.
func Named(f lint.File) error {
	if err, _ := Object(f); err != nil {
		return err
	}
	return Program(f)
}

// helm matches what only templates of Helm charts contain.
var helm = regexp.MustCompile(
	`\{\{-?\s*(include|template|define|if|with|range|toYaml|tpl)?\s*[(]?\s*("|\.Values|\.Release|\.Chart|\$\.)`)

// Object is an error that names an object from which another program writes a configuration; nil when
// there is none in the file. Unless it is sure, another object of the file may be one that lint reads.
func Object(f lint.File) (err error, sure bool) {
	docs, broken := lint.ReadYAML(f)
	if broken != nil && helm.Match(f.Data) {
		return fmt.Errorf("lint: %s is a template of a Helm chart, which lint doesn't read: give what it makes: "+
			"helm template CHART | h2lab lint -", f.Name), false
	}
	for _, doc := range docs {
		parts := []*lint.Node{doc}
		for _, field := range doc.Fields { // lists of objects below other keys, as tests of controllers have them
			if doc.At("kind") == nil {
				parts = append(parts, field.Value.Items...)
			}
		}
		for _, o := range table().Object {
			for i, n := range parts {
				if key, fits := o.fits(n); fits && (i == 0 || n.At("apiVersion") != nil) {
					return fmt.Errorf("lint: %s is %s%s, which lint doesn't read: %s", f.Name, filled(o.What, key, f.Name, n), settings(f),
						filled(o.Next, key, f.Name, n)), o.Sure
				}
			}
		}
	}
	return nil, false
}

// fits compares a document with the entry. key is the first name that a pattern of Has or With found.
func (o object) fits(n *lint.Node) (key string, fits bool) {
	kind, api := n.Scalar("kind"), n.Scalar("apiVersion")
	group, _, _ := strings.Cut(api, "/")
	if n.Kind != lint.Mapping || kind != "" && api == "" || o.Group != "" && group != o.Group && !strings.HasSuffix(group, "."+o.Group) ||
		len(o.Kind) > 0 && !slices.ContainsFunc(o.Kind, func(k string) bool {
			return k == "-" && kind == "" || kind != "" && matches(k, kind)
		}) {
		return "", false
	}
	for _, want := range o.Has {
		found, there := find(n, want, "")
		if !there {
			return "", false
		}
		key = max(key, found)
	}
	for _, bad := range o.Lacks {
		if _, there := find(n, bad, ""); there {
			return "", false
		}
	}
	for want, value := range o.With {
		found, there := find(n, want, value)
		if !there {
			return "", false
		}
		key = max(key, found)
	}
	return key, len(o.Has)+len(o.With) > 0 || o.Group != "" || len(o.Kind) > 0
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, strings.ReplaceAll(name, "/", "~"))
	return ok && err == nil
}

// find looks for a field below n, through lists too, whose text matches a pattern.
func find(n *lint.Node, way, pattern string) (key string, there bool) {
	if n.Kind == lint.Sequence && !strings.HasPrefix(way, "*") {
		for _, item := range n.Items {
			if key, there := find(item, way, pattern); there {
				return key, true
			}
		}
		return "", false
	}
	name, rest, deeper := strings.Cut(way, "/")
	for _, f := range n.Fields {
		if !matches(name, f.Key) || !deeper && pattern != "" && !regexp.MustCompile(pattern).MatchString(f.Value.Scalar()) {
			continue
		}
		key, there = "", !deeper
		if deeper {
			key, there = find(f.Value, rest, pattern)
		}
		if there && strings.Contains(name, "*") {
			key = f.Key
		}
		if there {
			return key, true
		}
	}
	return "", false
}

// filled writes an entry's text for a document.
func filled(s, key, file string, n *lint.Node) string {
	for name, next := range table().Next {
		s = strings.ReplaceAll(s, "@"+name, next)
	}
	clip := func(s string) string { return text.ClipLine(s, lint.LongestWord) }
	kind, name, shown := clip(n.Scalar("kind")), clip(n.Scalar("metadata", "name")), ""
	if name != "" {
		shown = fmt.Sprintf(" %q", name)
	}
	return strings.NewReplacer("{workload}", text.ShellWord(strings.ToLower(kind)+"/"+name), "{key}", clip(key),
		"{word}", text.ShellWord(clip(key)),
		"{escaped}", strings.ReplaceAll(clip(key), ".", `\.`), "{file}", text.ShellWord(file),
		"{kind}", strings.Trim(strconv.Quote(kind), `"`),
		"{name}", shown).Replace(s)
}

// Program is an error that names the program whose file it is; nil when none is recognised. A file with
// statements of nginx isn't another's because of one line, so a caller asks only about files that it
// can't read.
func Program(f lint.File) error {
	for _, p := range table().Program {
		if !slices.ContainsFunc(p.Marks, func(mark string) bool { return !regexp.MustCompile(mark).Match(seen(f)) }) {
			return fmt.Errorf("lint: %s is a file of %s%s, which lint doesn't read: %s", f.Name, p.Name, settings(f), p.Next)
		}
	}
	return nil
}

// mostSettings bounds the settings that a message names.
const mostSettings = 4

// aSetting is a name with a number in any syntax: `max-keep-alive-requests=100`, `keepalive_requests 100;`,
// `MaxConnectionAge: 30 * time.Second`, `.maxConnectionAge(30, SECONDS)`, `maxKeepAliveRequests="100"`.
var aSetting = regexp.MustCompile(`([A-Za-z][\w.-]*)["']?\s*[\s=:(]\s*["']?(\d[\w.]*)`)

// comment begins a line that sets nothing.
var comment = regexp.MustCompile(`^\s*(#|//|;|\*|--)`)

// settings names the settings of connections in a file that lint doesn't read, with their lines; "" when
// there are none.
func settings(f lint.File) string {
	var found []string
	number := 0
	for line := range strings.Lines(string(seen(f))) {
		number++
		for _, m := range aSetting.FindAllStringSubmatch(line, -1) {
			name := m[1][strings.LastIndexByte(m[1], '.')+1:]
			if meant := table().Settings[lint.PlainKey(name)]; meant != "" && !comment.MatchString(line) {
				found = append(found, fmt.Sprintf("%s: %s in line %d, %s", name, text.ClipLine(m[2], lint.LongestWord), number, meant))
			}
		}
	}
	switch more := len(found) - mostSettings; {
	case len(found) == 0:
		return ""
	case more > 0:
		found = append(found[:mostSettings], fmt.Sprintf("and %d more", more))
	}
	return " (" + strings.Join(found, "; ") + ")"
}

// Settings is an error for a file that lint doesn't read and that sets what ends connections: values of a chart,
// the settings of a framework, a server in somebody's code.
func Settings(f lint.File) error {
	said := settings(f)
	if said == "" {
		return nil
	}
	return fmt.Errorf("lint: %s is no configuration that lint reads, but has settings of connections%s: give what is made of "+
		"it, such as the output of helm template or of nginx -vT; %s", f.Name, said, table().Next["probe"])
}

// Packed is an error for an archive, a compressed file and other files that need a program to become text.
func Packed(f lint.File) error {
	packed, is := intake.PackedAs(f.Data)
	if !is {
		return nil
	}
	next := packed.Next(f.Name, "lint")
	switch extract := packed.Extract(f.Name); {
	case next == "":
		next = "give the configuration that it reads"
	case extract != "" && extract != next:
		next = extract + ", or " + next
	}
	return fmt.Errorf("lint: %s is %s, which lint doesn't read: %s", f.Name, packed.What, next)
}

// sections are lines that begin a section of an INI or TOML file, and assigned those below. The first line
// that is no comment is one of them.
var (
	sections = regexp.MustCompile(`(?m)^\s*\[\[?[\w."' -]+\]\]?\s*(#.*)?$`)
	assigned = regexp.MustCompile(`(?m)^\s*[\w.-]+\s*=`)
	begins   = regexp.MustCompile(`\A(\s*[#;].*\n|\s*\n)*\s*(\[|[\w.-]+\s*=)`)
)

// Sections is an error for an INI or TOML file, which none of the servers here but Traefik reads. Program
// names those that it knows.
func Sections(f lint.File) error {
	if d := seen(f); !begins.Match(d) || !sections.Match(d) || !assigned.Match(d) {
		return nil
	}
	return fmt.Errorf("lint: %s is an INI or TOML file without a key of Traefik's, which lint doesn't read: "+
		"lint the proxy's configuration", f.Name)
}

var (
	placeholder = regexp.MustCompile(`\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{[A-Z][A-Z0-9_]+\}|\{[A-Z][A-Z0-9_]+\}|` +
		`%\{~?\s*(?:for|if|else|endfor|endif)\b[^}]*\}|` + // Terraform
		`(?:^|[\s:/"'])@[A-Z][A-Z0-9_]+@`)
	opening = regexp.MustCompile(`\{\{-?\s*[\w.$"#/(~]|\{%|<%|\[\[-?\s*(?:\.|if|range|end|with|define|template)\b`)
	defined = regexp.MustCompile(`(?m)^\s*(set\s+\$|map\s+\S+\s+\$|env\s+)([A-Z][A-Z0-9_]+)`)
)

// Template is an error for a template: a file with placeholders that another program fills in. Lua, where
// two braces are a table, and variables that the file defines itself are none.
func Template(f lint.File) error {
	data := seen(f)
	if bytes.Contains(data, []byte("_by_lua")) {
		return nil
	}
	own := map[string]bool{}
	for _, m := range defined.FindAllSubmatch(data, -1) {
		own[string(m[2])] = true
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		if before, _, comment := strings.Cut(text, "#"); comment && strings.TrimSpace(before) == "" {
			continue
		}
		found := placeholder.FindString(text)
		if found == "" {
			found = opening.FindString(text)
		}
		if found == "" || own[strings.Trim(found, "${}")] {
			continue
		}
		return fmt.Errorf("lint: %s:%d: %s stands for text that another program fills in: the file is a template; lint "+
			"what nginx reads: %s", f.Name, line, strings.TrimSpace(found), "nginx -vT 2>&1 | h2lab lint -")
	}
	return nil
}
