package foreign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	format "h2lab/internal/base/text"
	"h2lab/internal/field/lint"
)

// is says what an object is, and what to give to lint instead.
type is struct {
	what, next string
	sure       bool // no kind of lint can read the file, whatever else it contains
}

// helm matches what only templates of Helm charts contain.
var helm = regexp.MustCompile(
	`\{\{-?\s*(include|template|define|if|with|range|toYaml|tpl)?\s*[(]?\s*("|\.Values|\.Release|\.Chart|\$\.)`)

// Object is an error that names an object from which another program writes a configuration; nil when
// there is none in the file. Unless it is sure, another object of the file may be one that lint reads.
func Object(f lint.File) (err error, sure bool) {
	docs, broken := lint.ReadYAML(f)
	if broken != nil {
		if helm.Match(f.Data) {
			return fmt.Errorf("lint: %s is a template of a Helm chart, which lint doesn't read: give what it makes: "+
				"helm template CHART | h2lab lint -", f.Name), false
		}
		return nil, false
	}
	for _, doc := range docs {
		if o, known := object(f.Name, doc); known {
			return fmt.Errorf("lint: %s is %s, which lint doesn't read: %s", f.Name, o.what, o.next), o.sure
		}
	}
	return nil, false
}

// Named is an error that names what a file is that no kind of lint reads; nil when that isn't known.
func Named(f lint.File) error {
	if err, _ := Object(f); err != nil {
		return err
	}
	return Tool(f)
}

// What prints the configuration that a controller has made.
const (
	istioDump = "give what Envoy has: kubectl exec POD -c istio-proxy -- pilot-agent request GET config_dump | " +
		"h2lab lint --kind envoy -"
	egctlDump   = "give what Envoy has: egctl config envoy-proxy all POD -n envoy-gateway-system -o json | h2lab lint --kind envoy -"
	contourDump = "give what Envoy has: kubectl exec -n projectcontour POD -c envoy -- curl -s localhost:9001/config_dump | " +
		"h2lab lint --kind envoy -"
	nginxDump   = "give the nginx.conf that the controller writes: kubectl exec -n NAMESPACE POD -- nginx -T | h2lab lint --kind nginx -"
	haproxyFile = "give the haproxy.cfg that the controller writes: kubectl exec -n NAMESPACE POD -- " +
		"cat /etc/haproxy/haproxy.cfg | h2lab lint --kind haproxy -"
	traefikArgs = "the limits of connections are arguments of Traefik: kubectl get deployment -n NAMESPACE traefik -o yaml | " +
		"h2lab lint --kind traefik -"
	ingressMap = "the limits of connections are in the controller's ConfigMap: kubectl get configmap -A -o yaml | " +
		"h2lab lint --kind ingress-nginx -"
)

// kongConf is where Kong has limits of connections.
const kongConf = "nginx_proxy_keepalive_requests of kong.conf sets the limit; check what Kong writes: kong prepare && " +
	"h2lab lint /usr/local/kong/nginx.conf"

// apisixConf is where APISIX has limits of connections.
const apisixConf = "nginx_config.http and http_server_configuration_snippet set the limits; check what APISIX writes: " +
	"docker exec CONTAINER cat /usr/local/apisix/conf/nginx.conf | h2lab lint --kind nginx -"

// isAPISIX recognises APISIX's config.yaml, and the values of its chart, which have the same key.
func isAPISIX(n *lint.Node) bool {
	own := n.At("apisix")
	return own != nil && own.Kind == lint.Mapping && n.At("kind") == nil || n.At("nginx_config", "http") != nil
}

// balancer is for objects that set up a load balancer of a cloud, which has no configuration file.
const balancer = "the cloud's load balancer ends the connections; " + probed

// group is the API group of Kubernetes objects, by the end of its name, with what the objects are.
type group struct {
	suffix, of, next string
	kinds            map[string]string // for single kinds: where their limits of connections are, and the next step
}

var groups = []group{
	{"networking.istio.io", "Istio", istioDump, map[string]string{
		"EnvoyFilter":     "it changes what Istio writes for Envoy; " + istioDump,
		"DestinationRule": "trafficPolicy.connectionPool.http sets maxRequestsPerConnection and idleTimeout of clusters; " + istioDump,
	}},
	{"gateway.envoyproxy.io", "Envoy Gateway", egctlDump, map[string]string{
		"ClientTrafficPolicy": "spec.connection, spec.timeout and spec.http2 set the limits of listeners; " + egctlDump,
		"BackendTrafficPolicy": "spec.circuitBreaker (maxRequestsPerConnection, maxPendingRequests) sets those of clusters; " +
			egctlDump,
	}},
	{"projectcontour.io", "Contour", contourDump, map[string]string{
		"ContourConfiguration": "spec.envoy.listener.maxRequestsPerConnection and spec.envoy.timeouts set the limits; " + contourDump,
	}},
	{"gateway.networking.k8s.io", "the Gateway API", "its controller sets the limits of connections; give what the proxy has: " +
		"kubectl exec POD -- nginx -T | h2lab lint -, or Envoy's /config_dump", nil},
	{"traefik.io", "Traefik", traefikArgs, nil},
	{"traefik.containo.us", "Traefik", traefikArgs, nil},
	{"configuration.konghq.com", "Kong", nginxDump, nil},
	{"k8s.nginx.org", "F5's NGINX Ingress Controller", nginxDump, nil},
	{"gateway.nginx.org", "NGINX Gateway Fabric", nginxDump, nil},
	{"argoproj.io", "Argo CD", "give the chart's values, or the rendered objects: helm template CHART -f VALUES | h2lab lint -", nil},
	{"helm.toolkit.fluxcd.io", "Flux", "give the chart's values (spec.values)", nil},
	{"cloud.google.com", "GKE", balancer, nil},
	{"networking.gke.io", "GKE", balancer, nil},
	{"elbv2.k8s.aws", "AWS's load balancer controller", balancer, nil},
	{"appgw.ingress.k8s.io", "Azure's Application Gateway", balancer, nil},
	{"getambassador.io", "Emissary", "give what its Envoy has: the admin endpoint's /config_dump", nil},
	{"apisix.apache.org", "APISIX", apisixConf, nil},
	{"helm.cattle.io", "K3s", "it sets values of a chart that lint doesn't check", nil},
	{"kustomize.config.k8s.io", "Kustomize", "give the rendered objects: kubectl kustomize DIRECTORY | h2lab lint -", nil},
}

// object recognises an object in YAML or JSON.
func object(file string, n *lint.Node) (is, bool) {
	kind, version := text(n.At("kind")), text(n.At("apiVersion"))
	switch {
	case n.Kind != lint.Mapping:
		return is{}, false
	case n.At("_format_version") != nil:
		return is{"Kong's declarative configuration", kongConf, true}, true
	case isAPISIX(n):
		return is{"a configuration of APISIX, or values of its chart" + settingsIn(n), apisixConf, true}, true
	case n.At("apps", "http", "servers") != nil && kind == "":
		return is{"Caddy's configuration", "Caddy has no limit on requests; " + probed, true}, true
	case n.At("AWSTemplateFormatVersion") != nil, cloudFormation(n):
		return is{"a CloudFormation template", "give the configuration that its containers read", true}, true
	case n.At("suite") != nil && n.At("tests") != nil:
		return is{"a test suite of helm-unittest", "give the chart's values, or what helm template prints", true}, true
	case n.At("services") != nil && n.At("services").Kind == lint.Mapping && kind == "":
		return is{"a Compose file" + inline(n), composed(n), false}, true
	case n.At("services") == nil && n.At("apiVersion") != nil && n.At("version") != nil && n.At("name") != nil && kind == "":
		return is{"the Chart.yaml of a Helm chart", "give the chart's values, or the rendered objects: helm template CHART | h2lab lint -",
			true}, true
	case n.At("jobs") != nil && n.At("on") != nil:
		return is{"a workflow of GitHub Actions", "give the configuration of a server", true}, true
	case kind == "" || version == "":
		return within(file, n)
	case kind == "ConfigMap":
		return ofConfigMap(file, n), true
	case kind == "List" || strings.HasSuffix(kind, "List"):
		if o, there := heldIn(n); there {
			return o, true
		}
		return is{"a list of Kubernetes objects without a configuration that lint reads", ingressMap, false}, true
	case kind == "Ingress":
		return is{"an Ingress" + quoted(text(n.At("metadata", "name"))), snippetOf(n), false}, true
	}
	name := quoted(text(n.At("metadata", "name")))
	if g, own := limitsOf(n); g != nil {
		next := g.next
		switch by := values(n); {
		case own:
			next = g.kinds[kind]
		case by != "":
			next = by
		}
		return is{fmt.Sprintf("the %s%s of %s", clip(kind), name, g.of), next, false}, true
	}
	return is{fmt.Sprintf("the Kubernetes object %s%s", clip(kind), name), running(n, kind), false}, true
}

// within recognises lists of Kubernetes objects below other keys, as tests of controllers have them.
func within(file string, n *lint.Node) (is, bool) {
	var found is
	for _, f := range n.Fields {
		for _, item := range f.Value.Items {
			if item.At("kind") == nil || item.At("apiVersion") == nil {
				continue
			}
			o, known := object(file, item)
			if _, limits := limitsOf(item); limits || found.what == "" && known {
				found = o
			}
		}
	}
	return found, found.what != ""
}

// values says what to give for an object that installs a chart; "" when it says nothing of its values.
func values(n *lint.Node) string {
	for _, c := range lint.Charts(n) {
		if len(c.Elsewhere) > 0 {
			return fmt.Sprintf("the values of chart %s are in %s: give those", clip(c.Name), clip(strings.Join(c.Elsewhere, ", ")))
		}
	}
	return ""
}

// limitsOf returns the group of an object, and whether objects of its kind set limits of connections.
func limitsOf(n *lint.Node) (*group, bool) {
	api, _, _ := strings.Cut(text(n.At("apiVersion")), "/")
	for i := range groups {
		if g := &groups[i]; api == g.suffix || strings.HasSuffix(api, "."+g.suffix) {
			return g, g.kinds[text(n.At("kind"))] != ""
		}
	}
	return nil, false
}

// cloudFormation recognises a template without its version line: its resources have types of AWS.
func cloudFormation(n *lint.Node) bool {
	resources := n.At("Resources")
	return resources != nil && slices.ContainsFunc(resources.Fields, func(f lint.Field) bool {
		return strings.HasPrefix(text(f.Value.At("Type")), "AWS::")
	})
}

// held maps the names of configuration files to the kind of lint that reads them.
var held = []struct{ part, kind string }{
	{"nginx", lint.Nginx}, {"envoy", lint.Envoy}, {"haproxy", lint.HAProxy}, {"traefik", lint.Traefik}, {".conf", lint.Nginx},
}

// ofConfigMap says whose a ConfigMap is: it holds a file, or it has another controller's keys.
func ofConfigMap(file string, n *lint.Node) is {
	name, space := text(n.At("metadata", "name")), text(n.At("metadata", "namespace"))
	data := n.At("data")
	has := func(keys ...string) bool { return data != nil && data.Field(keys...) != nil }
	key, kind := heldBy(data)
	holds := key != ""
	switch {
	case has("contour.yaml"):
		return is{"Contour's ConfigMap" + quoted(name), "listener and timeouts in contour.yaml set the limits of connections; " +
			contourDump, true}
	case strings.Contains(name+space, "haproxy") && !holds,
		has("backend-config-snippet", "global-config-snippet", "timeout-http-keep-alive"):
		return is{"the ConfigMap" + quoted(name) + " of an ingress controller of HAProxy's", haproxyFile, true}
	case F5(n) && !holds:
		return is{"the ConfigMap" + quoted(name) + " of F5's NGINX Ingress Controller",
			"keepalive-requests and keepalive-timeout set the limits of connections there; " + nginxDump, true}
	}
	if holds {
		return is{fmt.Sprintf("the ConfigMap%s with the file %s in it", quoted(name), key),
			fmt.Sprintf("give the file: kubectl create --dry-run=client -f %s -o jsonpath='{.data.%s}' | h2lab lint --kind %s -",
				format.ShellWord(file), strings.ReplaceAll(key, ".", `\.`), kind), false}
	}
	return is{"the ConfigMap" + quoted(name) + " without a key of ingress-nginx", ingressMap, false}
}

// F5 reports whether a ConfigMap is that of F5's NGINX Ingress Controller, whose keys resemble those of
// ingress-nginx (docs.nginx.com, "ConfigMap Resources").
func F5(n *lint.Node) bool {
	if strings.Contains(text(n.At("metadata", "labels", "app.kubernetes.io/name"))+text(n.At("metadata", "name")), "ingress-nginx") {
		return false
	}
	data := n.At("data")
	return text(n.At("metadata", "name")) == "nginx-config" || text(n.At("metadata", "namespace")) == "nginx-ingress" ||
		data != nil && data.Field("http-snippets", "server-snippets", "location-snippets", "main-snippets", "stream-snippets",
			"redirect-to-https", "lb-method", "real-ip-header", "set-real-ip-from") != nil
}

func text(n *lint.Node) string {
	if n == nil || n.Kind != lint.Scalar {
		return ""
	}
	return n.Text
}

func clip(s string) string { return strings.Trim(quoted(s), ` "`) }

// quoted is a name of an object, as messages show it.
func quoted(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" %q", format.ClipLine(name, lint.LongestWord))
}
