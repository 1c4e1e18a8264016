package lint

import (
	"regexp"
	"slices"
	"strings"

	"h2lab/internal/base/versions"
)

// ChartValues returns the values that a Kubernetes object passes to a Helm chart: a HelmChart or
// HelmChartConfig of K3s, a HelmRelease of Flux, an Application of Argo CD. It returns nil for others.
func ChartValues(f *Source, n *Node) []*Node {
	spec := n.At("spec")
	switch kind := n.At("kind"); {
	case spec == nil || kind == nil:
		return nil
	case kind.Text == "HelmChart" || kind.Text == "HelmChartConfig":
		return f.within(spec.Field("valuesContent"))
	case kind.Text == "HelmRelease":
		return mappings(spec.At("values"))
	case kind.Text == "Application":
		var out []*Node
		for _, s := range sources(spec) {
			if helm := s.Field("helm"); helm != nil {
				out = append(out, mappings(helm.Value.At("valuesObject"))...)
				out = append(out, f.within(helm.Value.Field("values"))...)
			}
		}
		return out
	}
	return nil
}

// sources are those of an Application.
func sources(spec *Node) []*Node {
	out := []*Node{spec.At("source")}
	if list := spec.At("sources"); list != nil {
		out = append(out, list.Items...)
	}
	return out
}

// Chart is what an object says about the chart that it installs.
type Chart struct {
	Name      string   // as the object names it, without a repository
	Version   Named    // of the chart; "" when it names a range or none
	Values    bool     // it passes values
	Elsewhere []string // the files, ConfigMaps and Secrets that have values
	Put       string   // where values go, as a pattern for YAML on one line: "values: {%s}   # in spec"
}

// elsewhere are the fields that name values instead of having them: valuesFrom of Flux's HelmRelease, the
// others of its chart, of K3s' HelmChart and of an Application of Argo CD.
var elsewhere = []string{"valuesFrom", "valuesFiles", "valuesFile", "valuesSecrets", "valueFiles"}

// ofValues are the fields that have values.
var ofValues = []string{"values", "valuesContent", "valuesObject", "set", "parameters", "fileParameters"}

// Charts returns the charts that a HelmChart of K3s, a HelmRelease of Flux or an Application of Argo CD installs.
func Charts(n *Node) []Chart {
	kind, spec := n.At("kind"), n.At("spec")
	if kind == nil || spec == nil {
		return nil
	}
	switch kind.Text {
	case "HelmChart":
		return installed(spec, spec.Field("version"), `valuesContent: '{%s}'   # in spec`, spec)
	case "HelmRelease":
		from := spec.At("chart", "spec")
		return installed(from, from.Field("version"), `values: {%s}   # in spec`, spec, from)
	case "Application":
		var out []Chart
		for _, s := range sources(spec) {
			out = append(out, installed(s, s.Field("targetRevision"), `helm: {valuesObject: {%s}}   # beside chart`, s.At("helm"))...)
		}
		return out
	}
	return nil
}

// installed is the chart that from names, with the values that places have.
func installed(from *Node, version *Field, put string, places ...*Node) []Chart {
	name := from.At("chart")
	if name == nil || name.Kind != Scalar || name.Text == "" {
		return nil
	}
	c := Chart{Name: name.Text[strings.LastIndex(name.Text, "/")+1:], Put: put}
	if version != nil {
		c.Version, _ = Release(version.Value.Text, version.Line)
	}
	for _, p := range places {
		c.Values = c.Values || p.Field(ofValues...) != nil
		for _, key := range elsewhere {
			if f := p.Field(key); f != nil {
				c.Elsewhere = append(c.Elsewhere, scalars(f.Value)...)
			}
		}
	}
	return []Chart{c}
}

// scalars are the texts of a list: file names, or of references "KIND NAME".
func scalars(n *Node) []string {
	if n.Kind == Scalar {
		return []string{n.Text}
	}
	var out []string
	for _, item := range n.Items {
		if kind, name := item.At("kind"), item.At("name"); kind != nil && name != nil {
			out = append(out, kind.Text+" "+name.Text)
		} else if item.Kind == Scalar {
			out = append(out, item.Text)
		}
	}
	return out
}

func mappings(n *Node) []*Node {
	if n == nil || n.Kind != Mapping {
		return nil
	}
	return []*Node{n}
}

// within reads the YAML that a field holds as text. For a literal block the places are those of the
// file; otherwise they are the field's.
func (s *Source) within(field *Field) []*Node {
	if field == nil || field.Value.Kind != Scalar {
		return nil
	}
	docs, err := ReadYAML(File{Name: s.Name, Data: []byte(field.Value.Text)})
	if err != nil {
		return nil
	}
	text := field.Value.Text
	first := len(text) - len(strings.TrimLeft(text, "\n")) // the empty lines above the text
	raw := s.raw(field.Value.Line + 1 + first)
	indent := len(raw) - len(strings.TrimLeft(raw, " ")) - (len(text[first:]) - len(strings.TrimLeft(text[first:], " ")))
	for _, doc := range docs {
		doc.move(func(line, column *int) {
			if field.Value.Literal {
				*line, *column = *line+field.Value.Line, *column+indent
			} else {
				*line, *column = field.Line, 0
			}
		})
	}
	return mappings(docs[0])
}

// move changes the places of a document.
func (n *Node) move(to func(line, column *int)) {
	to(&n.Line, &n.Column)
	for i := range n.Fields {
		to(&n.Fields[i].Line, &n.Fields[i].Column)
		n.Fields[i].Value.move(to)
	}
	for _, item := range n.Items {
		item.move(to)
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
	below := slices.Clone(n.Items)
	for _, f := range n.Fields {
		if f.Key == "image" && f.Value.Kind == Scalar {
			if m := reference.FindStringSubmatch(f.Value.Text); m != nil && !ownBuild.MatchString(m[2]) {
				return Named{m[1], f.Line}, true
			}
		}
		below = append(below, f.Value)
	}
	for _, one := range below {
		if v, there := imageIn(one, reference); there {
			return v, true
		}
	}
	return Named{}, false
}

// TagVersion is the version in Helm values' image.tag.
func TagVersion(n *Node) (Named, bool) {
	tag := n.At("image").Field("tag")
	if tag == nil {
		return Named{}, false
	}
	return Release(tag.Value.Text, tag.Line)
}

// ownBuild matches what names a build of the source tree, whose defaults are not those of the release in
// front of it: ingress-nginx's own charts have had 1.0.0-dev through all its releases.
var ownBuild = regexp.MustCompile(`(?i)[-.+_](dev|devel|snapshot|nightly|local|edge|git|dirty)\b`)

// Release is the version that a tag or a label states, if it is that of a release.
func Release(text string, line int) (Named, bool) {
	text = strings.TrimPrefix(text, "v")
	if _, err := versions.Parse(text); err != nil || ownBuild.MatchString(text) {
		return Named{}, false
	}
	return Named{text, line}, true
}
