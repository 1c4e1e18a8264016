package lint

import (
	"regexp"
	"strings"

	"h2lab/internal/base/versions"
)

// Chart is a Helm chart that a Kubernetes object installs or configures.
type Chart struct {
	Name    string  // as the object names it, without a repository; "" when it names none
	Version Named   // of the chart; "" when it names a range or none
	Values  []*Node // those that the object passes
	Passes  bool    // it passes values, or names files, ConfigMaps or Secrets that have some
	Put     string  // where values go, as a pattern for YAML on one line: "values: {%s}   # in spec"
}

// passing are the fields of a K3s HelmChart, of Flux's HelmRelease and of an Application of Argo CD that have
// values, or name what has them.
var passing = []string{"values", "valuesContent", "valuesObject", "set", "parameters", "fileParameters",
	"valuesFrom", "valuesFiles", "valuesFile", "valuesSecrets", "valueFiles"}

// Charts returns the charts of an object: a HelmChart or HelmChartConfig of K3s, a HelmRelease of Flux, an
// Application of Argo CD.
func Charts(f *Source, n *Node) []Chart {
	spec := n.At("spec")
	if spec == nil {
		return nil
	}
	switch n.Scalar("kind") {
	case "HelmChart", "HelmChartConfig":
		return []Chart{chart(f, spec, "version", `valuesContent: '{%s}'   # in spec`, spec)}
	case "HelmRelease":
		from := spec.At("chart", "spec")
		return []Chart{chart(f, from, "version", `values: {%s}   # in spec`, spec, from)}
	case "Application":
		sources := []*Node{spec.At("source")}
		if list := spec.At("sources"); list != nil {
			sources = append(sources, list.Items...)
		}
		var out []Chart
		for _, s := range sources {
			out = append(out, chart(f, s, "targetRevision", `helm: {valuesObject: {%s}}   # beside chart`, s.At("helm")))
		}
		return out
	}
	return nil
}

// chart is the chart that from names, with the values that places have.
func chart(f *Source, from *Node, version, put string, places ...*Node) Chart {
	name := from.Scalar("chart")
	c := Chart{Put: put, Name: name[strings.LastIndex(name, "/")+1:]}
	if v := from.Field(version); v != nil {
		c.Version, _ = Release(v.Value.Text, v.Line)
	}
	for _, p := range places {
		c.Passes = c.Passes || p.Field(passing...) != nil
		for _, key := range []string{"values", "valuesObject", "valuesContent"} {
			if v := p.Field(key); v != nil && v.Value.Kind == Mapping {
				c.Values = append(c.Values, v.Value)
			} else if v != nil && v.Value.Kind == Scalar {
				c.Values = append(c.Values, f.within(v)...)
			}
		}
	}
	return c
}

// within reads the YAML that a field holds as text. For a literal block the places are those of the
// file; otherwise they are the field's.
func (s *Source) within(field *Field) []*Node {
	docs, err := ReadYAML(File{Name: s.Name, Data: []byte(field.Value.Text)})
	if err != nil || docs[0].Kind != Mapping {
		return nil
	}
	text := field.Value.Text
	first := len(text) - len(strings.TrimLeft(text, "\n")) // the empty lines above the text
	raw := s.raw(field.Value.Line + 1 + first)
	indent := len(raw) - len(strings.TrimLeft(raw, " ")) - (len(text[first:]) - len(strings.TrimLeft(text[first:], " ")))
	docs[0].move(func(line, column *int) {
		if field.Value.Literal {
			*line, *column = *line+field.Value.Line, *column+indent
		} else {
			*line, *column = field.Line, 0
		}
	})
	return docs[:1]
}

// move changes the places of a document.
func (n *Node) move(to func(line, column *int)) {
	to(&n.Line, &n.Column)
	for i := range n.Fields {
		to(&n.Fields[i].Line, &n.Fields[i].Column)
	}
	for _, inner := range n.Inner() {
		inner.move(to)
	}
}

// Named is a version that a file states, with the place.
type Named struct {
	Version string
	Line    int
}

// ImageVersion is the version of an image that a Compose file, a Kubernetes object or Helm values name.
// image matches the image's name before the colon, without a registry.
func ImageVersion(n *Node, image string) (Named, bool) {
	return imageIn(n, regexp.MustCompile(`(?:^|/)`+image+`:v?([0-9]+\.[0-9]+(?:\.[0-9]+)?)([-+_.][\w.-]*)?`))
}

func imageIn(n *Node, reference *regexp.Regexp) (Named, bool) {
	if image := n.Field("image"); image != nil {
		if m := reference.FindStringSubmatch(image.Value.Text); m != nil && !ownBuild.MatchString(m[2]) {
			return Release(m[1], image.Line)
		}
	}
	for _, one := range n.Inner() {
		if v, there := imageIn(one, reference); there {
			return v, true
		}
	}
	return Named{}, false
}

// TagVersion is the version in Helm values' image.tag.
func TagVersion(n *Node) (Named, bool) {
	if tag := n.At("image").Field("tag"); tag != nil {
		return Release(tag.Value.Text, tag.Line)
	}
	return Named{}, false
}

// ownBuild matches what names a build of the source tree, whose defaults are not those of the release in
// front of it: ingress-nginx's own charts have had 1.0.0-dev through all its releases.
var ownBuild = regexp.MustCompile(`(?i)[-.+_](dev|devel|snapshot|nightly|local|edge|git|dirty)\b`)

// Release is the version that a tag or a label states, if it is that of a release.
func Release(text string, line int) (Named, bool) {
	v, err := versions.Parse(strings.TrimPrefix(text, "v"))
	if err != nil || ownBuild.MatchString(text) {
		return Named{}, false
	}
	return Named{v.String(), line}, true
}
