// Package envoyconf reads Envoy's configuration (a bootstrap, a /config_dump or bare resources, in
// YAML or JSON) with Envoy's own protobuf messages, and reports what ends HTTP/2 connections from
// clients and to upstreams.
package envoyconf

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/textwrap"
	"h2lab/internal/facts"
	"h2lab/internal/field/lint"
)

// builtFor is the Envoy version of the protobuf messages in this program (go-control-plane/envoy in
// go.mod). It is also assumed when the user gives no version.
const builtFor = "1.40"

// Lint checks the files of one Envoy.
func Lint(files []lint.File, o lint.Options) (lint.Report, error) {
	c := &config{unread: map[string]int{}, services: map[string]bool{}}
	r := lint.Report{Kind: lint.Envoy}
	given, known, err := lint.ParseVersion(o.Version)
	if err != nil {
		return r, err
	}
	for _, f := range files {
		r.Files = append(r.Files, f.Name)
		if err := c.read(lint.Lines(f)); err != nil {
			return r, err
		}
	}
	switch {
	case known:
		c.version = given
	case !c.versioned:
		c.version, _, _ = lint.ParseVersion(builtFor)
		r.Assume(facts.Verbatim("Envoy " + builtFor + " is assumed: give --version"))
	}
	if known || c.versioned {
		r.Version = c.version.String()
	}
	for _, s := range c.repeated {
		r.Assume(s)
	}
	if len(c.bootstraps) > 0 && len(c.dumps) == 0 {
		r.Apply = "envoy --mode validate -c FILE"
	}
	j := &judge{config: c, options: o, report: &r}
	j.all()
	if n := len(c.unknown); n > 0 {
		r.Assume(facts.Verbatim(fmt.Sprintf("%s left out, of another version than Envoy %s; the first at %s",
			numfmt.Counted(n, "field was", "fields were"), builtFor, textwrap.Clip(c.unknown[0], lint.LongestLine))))
	}
	if said := c.notRead(); said != "" {
		r.Assume(facts.Verbatim(said))
	}
	for _, s := range c.origin() {
		r.Assume(facts.Verbatim(s))
	}
	if j.tcp > 0 {
		r.Assume(facts.Verbatim(fmt.Sprintf("%s without an HttpConnectionManager: Envoy reads no HTTP there, and lint "+
			"has nothing to check", numfmt.Things(j.tcp, "filter chain"))))
	}
	if len(c.listeners) == 0 && len(c.clusters) == 0 {
		r.Assume(facts.Verbatim("no listener and no cluster is in these files: they come over xDS; give what " +
			"the admin endpoint's /config_dump says"))
	}
	r.Sort()
	r.Findings = c.gathered(r.Findings)
	return r, nil
}

// itsWords are in every file of Envoy's, in either spelling of a field's name.
var itsWords = regexp.MustCompile(`envoy\.|(static|dynamic)_resources|load_?[aA]ssignment|filter_?[cC]hains|eds_?[cC]luster_?[cC]onfig`)

// Looks reports whether a file looks like Envoy's.
func Looks(f lint.File) bool {
	if !itsWords.Match(f.Data) {
		return false
	}
	docs, err := lint.ReadYAML(f)
	if err != nil {
		return bytes.Contains(f.Data, []byte("static_resources")) ||
			bytes.Contains(f.Data, []byte("type.googleapis.com/envoy."))
	}
	n := docs[0]
	if n.Kind == lint.Sequence && len(n.Items) > 0 {
		n = n.Items[0]
	}
	for _, key := range slices.Concat([]string{"resources", "virtual_hosts", "@type"}, listenerKeys, clusterKeys, bootstrapKeys) {
		if field(n, key) != nil {
			return true
		}
	}
	return len(dumped(n, 0)) > 0
}

// judge checks a config and fills the report.
type judge struct {
	*config
	options  lint.Options
	report   *lint.Report
	upstream map[string]upstream // the clusters by name
	ways     map[string]routes   // the routes to them
	tcp      int                 // the filter chains without an HttpConnectionManager
	// untypedSaid says that the report names an HTTP filter without typed_config.
	untypedSaid bool
}

func (j *judge) all() {
	j.upstream, j.ways = map[string]upstream{}, countRoutes(j.routeConfigs())
	all := make([]upstream, len(j.clusters))
	for i, cl := range j.clusters {
		all[i] = newUpstream(cl)
		j.upstream[cl.msg.GetName()] = all[i]
	}
	for _, l := range j.listeners {
		j.listener(l)
	}
	for _, u := range all {
		j.cluster(u)
	}
	for _, b := range j.bootstraps {
		j.overload(b)
	}
}

// find adds a finding at a line.
func (j *judge) find(rule lint.Rule, f *lint.Source, line int, why string, args ...any) *lint.Finding {
	j.report.Findings = append(j.report.Findings, rule.New(f.Name, line, facts.Verbatim(fmt.Sprintf(why, args...))))
	return &j.report.Findings[len(j.report.Findings)-1]
}
