package foreign

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
)

func TestAFileIsNamedWithItsNextStep(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct{ name, text, what, next string }{
		{"10-web.conf", "server.port = 80\nserver.modules += ( \"mod_proxy\" )\n", "a file of lighttpd", "server.max-keep-alive-requests"},
		{"site.conf", "# comment\n<VirtualHost *:80>\nServerName a\n</VirtualHost>\n", "a file of Apache httpd", "MaxKeepAliveRequests"},
		{"web.conf", "a.test {\n  reverse_proxy b:80\n}\n", "a file of Caddy", "h2lab probe"},
		{"kong.conf", "# comment\nnginx_worker_processes = 4\n", "a file of Kong", "kong prepare"},
		{"supervisor.conf", "[supervisord]\nnodaemon=true\n", "a file of supervisord", "lint the proxy's"},
		{"web.service", "[Unit]\nDescription=x\n[Service]\nExecStart=/usr/sbin/nginx\n", "a file of systemd", "lint the proxy's"},
		{"default.vcl", "vcl 4.1;\nbackend default { .host = \"a\"; }\n", "a file of Varnish", "lint the proxy's"},
		{"pipe.conf", "input {\n beats {\n port => 5044\n }\n}\n", "a file of Logstash", "lint the proxy's"},
		{"jail.conf", "[INCLUDES]\nbefore = x\n[Definition]\nfailregex = ^x\n", "a file of fail2ban", "lint the proxy's"},
		{"e.yaml", "apiVersion: networking.istio.io/v1alpha3\nkind: EnvoyFilter\nmetadata: {name: f}\n",
			`the EnvoyFilter "f" of Istio`, "GET config_dump"},
		{"p.yaml", "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: ClientTrafficPolicy\nmetadata: {name: p}\n",
			`the ClientTrafficPolicy "p" of Envoy Gateway`, "egctl config envoy-proxy all"},
		{"in.yaml", "gateways:\n- {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway}\npolicies:\n" +
			"- {apiVersion: gateway.envoyproxy.io/v1alpha1, kind: BackendTrafficPolicy}\n", "the BackendTrafficPolicy of Envoy Gateway", "egctl"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\ndata: {contour.yaml: '#'}\n", "Contour's ConfigMap", "config_dump"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: haproxy-controller}\ndata: {maxconn: '1'}\n",
			`the ConfigMap "a" of an ingress controller of HAProxy's`, "cat /etc/haproxy/haproxy.cfg"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx-config}\ndata: {http2: 'true'}\n", `the ConfigMap "nginx-config" of F5's NGINX Ingress Controller`, "nginx -T"},
		{"my map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {envoy.yaml: 'a: b'}\n",
			`the ConfigMap "m" with the file envoy.yaml in it`, `-f 'my map.yaml' -o jsonpath='{.data.envoy\.yaml}' | h2lab lint --kind envoy -`},
		{"a.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: t}\n", `the Application "t" of Argo CD`, "helm template"},
		{"i.yaml", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\n", `an Ingress "i"`, "kubectl get configmap"},
		{"r.yaml", "apiVersion: traefik.io/v1alpha1\nkind: IngressRoute\n", "the IngressRoute of Traefik", "kubectl get deployment"},
		{"g.yaml", "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: g}\n", `the Gateway "g" of the Gateway API`,
			"config_dump"},
		{"kong.yml", "_format_version: '3.0'\nservices: []\n", "Kong's declarative configuration", "kong prepare"},
		{"cfn.yaml", "Resources:\n  A: {Type: 'AWS::ECS::Service', Name: !Ref B}\n", "a CloudFormation template", "containers"},
		{"x_test.yaml", "suite: x\ntests: []\n", "a test suite of helm-unittest", "helm template"},
		{"t.yaml", "a: {{ .Values.port }}\n", "a template of a Helm chart", "helm template"},
		{"if.yaml", "{{- if .Values.on }}\na: 1\n{{- end }}\n", "a template of a Helm chart", "helm template"},
		{"d.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: \"a\\e[31m\"}\n", "the Kubernetes object Deployment", "ConfigMap"},
	} {
		faults.Try("lint gets "+c.what+": "+c.name, func(t *testing.T) {
			err := Named(lint.File{Name: c.name, Data: []byte(c.text)})
			if err == nil || !strings.Contains(err.Error(), c.what) || !strings.Contains(err.Error(), c.next) {
				t.Fatalf("%q: %v", c.text, err)
			}
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q", err)
			}
		})
	}
}

func TestFilesOfServersThatLintReadsAreNotForeign(t *testing.T) {
	for name, text := range map[string]string{
		"nginx.conf":   "# LoadModule\nhttp {\n  server { listen 80; }\n}\n",
		"haproxy.cfg":  "global\n  maxconn 1\nfrontend a\n  bind :80\n",
		"traefik.toml": "[entryPoints.web]\naddress = ':80'\n",
		"envoy.yaml":   "static_resources: {}\n",
		"values.yaml":  "controller: {config: {}}\n",
		"empty":        "",
		"internal.yml": "services:\n- name: a\n  port: 80\n",
		"broken.yaml":  "a: [\n",
		"lua.conf":     "http { content_by_lua_block {\n local a = 1\n} }\n",
	} {
		if err := Named(lint.File{Name: name, Data: []byte(text)}); err != nil {
			t.Error(err)
		}
	}
}
