package envoyconf

import (
	"fmt"
	"regexp"
	"strings"

	"h2lab/internal/field/lint"
)

// oldType matches the type of a message of Envoy's API version 2, such as
// envoy.config.filter.network.http_connection_manager.v2.HttpConnectionManager.
var oldType = regexp.MustCompile(`^envoy\.(api|config|data|service|admin)\.(\w+\.)*v2(alpha\d*)?\.`)

// olderAPI is an error when the file is written in version 2 of Envoy's API, which Envoy 1.18 removed
// (https://www.envoyproxy.io/docs/envoy/latest/version_history/v1.18/v1.18.0). Its error would otherwise name
// one unknown field after the other.
func olderAPI(f *lint.Source, n *lint.Node) error {
	what, line := old(n)
	if what == "" {
		return nil
	}
	return &lint.SyntaxError{File: f.Name, Line: line, What: fmt.Sprintf("%s belongs to version 2 of Envoy's API, "+
		"which Envoy 1.18 and newer refuse: migrate the file to version 3, "+
		"https://www.envoyproxy.io/docs/envoy/v1.17.4/faq/api/envoy_v3", what)}
}

// old is the first thing in n that only version 2 has, with its line.
func old(n *lint.Node) (what string, line int) {
	cluster := field(n, "lb_policy") != nil || field(n, "connect_timeout") != nil
	for _, f := range n.Fields {
		switch {
		case f.Key == "@type" && oldType.MatchString(shortType(f.Value.Text)):
			return shortType(f.Value.Text), f.Line
		case f.Key == "config" && f.Value.Kind == lint.Mapping && len(n.Fields) == 2 &&
			n.At("name") != nil && strings.HasPrefix(n.At("name").Text, "envoy."):
			return `"config" beside "name"`, f.Line
		case f.Key == "hosts" && cluster && f.Value.Kind == lint.Sequence,
			f.Key == "tls_context" && f.Value.Kind == lint.Mapping && (cluster || field(n, "filters") != nil):
			return fmt.Sprintf("%q", f.Key), f.Line
		}
		if what, line = old(f.Value); what != "" {
			return what, line
		}
	}
	for _, item := range n.Items {
		if what, line = old(item); what != "" {
			return what, line
		}
	}
	return "", 0
}
