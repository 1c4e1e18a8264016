package foreign

import (
	"fmt"
	"slices"
	"strings"

	format "h2lab/internal/base/text"
	"h2lab/internal/field/lint"
)

// heldBy is the first key of a ConfigMap that names a configuration file, and the kind that reads it.
func heldBy(data *lint.Node) (key, kind string) {
	if data == nil {
		return "", ""
	}
	for _, f := range data.Fields {
		for _, h := range held {
			if strings.Contains(f.Key, ".") && strings.Contains(f.Key, h.part) {
				return clip(f.Key), h.kind
			}
		}
	}
	return "", ""
}

// heldIn is a configuration file in a ConfigMap of a list, as kubectl prints lists.
func heldIn(list *lint.Node) (is, bool) {
	items := list.At("items")
	if items == nil {
		return is{}, false
	}
	for _, item := range items.Items {
		key, kind := heldBy(item.At("data"))
		if key == "" || text(item.At("kind")) != "ConfigMap" {
			continue
		}
		name, space := text(item.At("metadata", "name")), ""
		if s := text(item.At("metadata", "namespace")); s != "" {
			space = " -n " + format.ShellWord(s)
		}
		return is{fmt.Sprintf("a list of Kubernetes objects, with the file %s in the ConfigMap%s", key, quoted(name)),
			fmt.Sprintf("give the file: kubectl get configmap %s%s -o jsonpath='{.data.%s}' | h2lab lint --kind %s -",
				format.ShellWord(name), space, strings.ReplaceAll(key, ".", `\.`), kind), false}, true
	}
	return is{}, false
}

// snippetOf says where an Ingress leads: to the controller's ConfigMap, unless an annotation sets a limit.
func snippetOf(n *lint.Node) string {
	if notes := n.At("metadata", "annotations"); notes != nil {
		for _, f := range notes.Fields {
			if strings.HasSuffix(f.Key, "-snippet") && strings.Contains(f.Value.Text, "keepalive_") {
				return fmt.Sprintf("its annotation %s sets keepalive directives itself; give the nginx.conf that results: "+
					"kubectl exec -n NAMESPACE DEPLOYMENT -- nginx -T | h2lab lint --kind nginx -", clip(f.Key))
			}
		}
	}
	for _, c := range classes {
		if strings.Contains(classOf(n), c.part) {
			return c.next
		}
	}
	return ingressMap
}

// classes are other controllers than ingress-nginx, by a part of an Ingress's class.
var classes = []struct{ part, next string }{
	{"alb", balancer}, {"gce", balancer}, {"azure", balancer}, {"haproxy", haproxyFile}, {"traefik", traefikArgs},
	{"kong", nginxDump}, {"apisix", apisixConf}, {"contour", contourDump}, {"istio", istioDump},
}

// classOf is the class of an Ingress, also of the annotation that had it before Kubernetes 1.18.
func classOf(n *lint.Node) string {
	return strings.ToLower(text(n.At("spec", "ingressClassName")) + text(n.At("metadata", "annotations", "kubernetes.io/ingress.class")))
}

// shown are the commands that print what a container of an image has, by a part of the image's name.
var shown = []struct{ image, command, kind string }{
	{"nginx", "nginx -vT 2>&1", lint.Nginx}, {"openresty", "nginx -vT 2>&1", lint.Nginx}, {"angie", "angie -vT 2>&1", lint.Nginx},
	{"haproxy", "cat /usr/local/etc/haproxy/haproxy.cfg", lint.HAProxy}, {"envoy", "cat /etc/envoy/envoy.yaml", lint.Envoy},
	{"traefik", "cat /etc/traefik/traefik.yml", lint.Traefik},
}

// composed says what to give for a Compose file: what the container of its proxy reads.
func composed(n *lint.Node) string {
	for _, service := range n.At("services").Fields {
		image := text(service.Value.At("image"))
		for _, s := range shown {
			if strings.Contains(image, s.image) {
				return fmt.Sprintf("give what the container reads: docker compose exec %s %s | h2lab lint --kind %s -",
					format.ShellWord(service.Key), s.command, s.kind)
			}
		}
	}
	return "give the configuration file that it mounts into the server's container"
}

// running says what to give for a workload: what the container of its proxy reads, or the ConfigMap of ingress-nginx.
func running(n *lint.Node, kind string) string {
	spec := n.At("spec")
	if template := n.At("spec", "template", "spec"); template != nil {
		spec = template
	}
	const next = "give the configuration itself, or its ConfigMap"
	containers := spec.At("containers")
	if containers == nil {
		return next
	}
	for _, c := range containers.Items {
		image := text(c.At("image"))
		if strings.Contains(image, "ingress-nginx/controller") {
			return ingressMap
		}
		for _, s := range shown {
			if strings.Contains(image, s.image) {
				workload := strings.ToLower(clip(kind)) + "/" + clip(text(n.At("metadata", "name")))
				return fmt.Sprintf("give what the container reads: kubectl exec -n NAMESPACE %s -c %s -- %s | h2lab lint --kind %s -",
					format.ShellWord(workload), format.ShellWord(clip(text(c.At("name")))), s.command, s.kind)
			}
		}
	}
	return next
}

// inline names the configs of a Compose file that have their text in it.
func inline(n *lint.Node) string {
	configs := n.At("configs")
	if configs == nil {
		return ""
	}
	at := slices.IndexFunc(configs.Fields, func(f lint.Field) bool { return f.Value.At("content") != nil })
	if at < 0 {
		return ""
	}
	return fmt.Sprintf(" with the config%s in it", quoted(configs.Fields[at].Key))
}

// Values is an error for values of a Helm chart that don't say whose they are.
func Values(f lint.File) error {
	docs, err := lint.ReadYAML(f)
	if err != nil {
		return nil // whoever reads it says so
	}
	for _, n := range docs {
		if c := n.At("controller"); c != nil && c.Kind == lint.Mapping && n.At("kind") == nil {
			return fmt.Errorf("lint: %s has values of a Helm chart, with the key controller, which the charts of ingress-nginx, F5 and "+
				"HAProxy have: when it is ingress-nginx's, say so with --kind ingress-nginx; else give what the controller writes: "+
				"kubectl exec -n NAMESPACE POD -- nginx -T | h2lab lint -", f.Name)
		}
	}
	return nil
}
