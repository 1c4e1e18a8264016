package unsupported

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
		tryNamed(faults, c.name, c.text, c.what, c.next)
	}
}

// What makes or carries a configuration is named with the way to the configuration.
func TestAFileThatMakesAConfigurationIsNamed(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct{ name, text, what, next string }{
		{"h.yaml", "kind: HelmRelease\napiVersion: helm.toolkit.fluxcd.io/v2\nmetadata: {name: p}\nspec:\n  chart: {spec: {chart: p}}\n" +
			"  valuesFrom: [{kind: ConfigMap, name: v}, {kind: Secret, name: w}]\n", `the HelmRelease "p" of Flux`,
			"those that valuesFrom names"},
		{"h.yaml", "kind: Application\napiVersion: argoproj.io/v1alpha1\nmetadata: {name: p}\nspec:\n  sources:\n" +
			"  - {chart: p, helm: {valueFiles: [$r/v.yaml]}}\n", `the Application "p" of Argo CD`,
			"the files that valueFiles names"},
		{"compose.yml", "services:\n  a b: {image: 'x/nginx:1'}\nconfigs:\n  web: {content: 'events {}'}\n",
			"a Compose file", "docker compose exec 'a b' nginx -vT 2>&1 | h2lab lint --kind nginx -"},
		{"c.yml", "services:\n  a: {image: 'busybox'}\n", "a Compose file", "that it mounts"},
		{"l.json", `{"kind": "List", "apiVersion": "v1", "items": [{"kind": "ConfigMap", "metadata": {"name": "w", "namespace": "s"}, ` +
			`"data": {"nginx.conf": "events {}"}}]}`, `a list of Kubernetes objects, with the file nginx.conf in a ConfigMap`,
			`kubectl get configmap CONFIGMAP -n NAMESPACE -o jsonpath='{.data.nginx\.conf}' | h2lab lint --kind nginx -`},
		{"snippet.yaml", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: i\n  annotations:\n" +
			"    nginx.ingress.kubernetes.io/server-snippet: keepalive_requests 10;\n", `an Ingress "i"`,
			"nginx.ingress.kubernetes.io/server-snippet sets keepalive directives itself"},
		{"w.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {template: {spec: {containers: [{name: c, image: 'a/envoy:v1'}]}}}\n",
			`the Kubernetes object Deployment "w"`, "kubectl exec -n NAMESPACE deployment/w -- cat /etc/envoy/envoy.yaml | h2lab lint --kind envoy -"},
		{"n.yaml", "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: n}\nspec: {template: {spec: {containers: [{image: 'r/ingress-nginx/controller:v1'}]}}}\n",
			`the Kubernetes object DaemonSet "n"`, "kubectl get configmap -A"},
		{"describe.txt", "Name:   a\nLabels: <none>\n\nData\n====\na:\n----\n1\n", "a file of kubectl describe", "-o yaml"},
		{"README.md", "# a\n```nginx\nhttp { }\n```\n", "a file of Markdown", "one of its blocks"},
		{"Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n", "the Chart.yaml of a Helm chart", "helm template"},
		{"main.tf", "resource \"helm_release\" \"a\" {\n  name = \"a\"\n}\n", "a file of Terraform", "helm get values"},
		{"configuration.nix", "{ config, ... }: {\n  services.nginx.enable = true;\n}\n", "a file of NixOS", "nginx -vT"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: haproxy-config, namespace: a}\ndata: {haproxy.cfg: 'global'}\n",
			`the ConfigMap "haproxy-config" with the file haproxy.cfg in it`, "--kind haproxy -"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx-config}\ndata: {nginx.conf: 'events {}'}\n",
			`the ConfigMap "nginx-config" with the file nginx.conf in it`, "--kind nginx -"},
		{"config.yaml", "apisix: {node_listen: 9080}\n", "a configuration of APISIX", "conf/nginx.conf | h2lab lint --kind nginx -"},
		{"v.yaml", "apisix:\n  nginx: {keepaliveTimeout: 60s}\n", "keepaliveTimeout: 60s in line 2, how long an idle connection is kept", "nginx_config"},
		{"h2o.conf", "listen: 80\nhosts:\n  default:\n    paths:\n      /:\n        file.dir: /srv\n", "a file of H2O", "http2-idle-timeout"},
		{"application.properties", "server.port=1\nserver.tomcat.max-keep-alive-requests=10\n", "a file of Spring Boot (max-keep-alive-requests: 10 in line 2",
			"h2lab probe"},
		{"nghttpx.conf", "frontend=*,443\nbackend=127.0.0.1,80\n", "a file of nghttpx", "frontend-max-requests"},
		{"caddy.json", `{"apps": {"http": {"servers": {"a": {"listen": [":443"]}}}}}`, "Caddy's configuration", "h2lab probe"},
		{"b.yaml", "apiVersion: cloud.google.com/v1\nkind: BackendConfig\nmetadata: {name: b}\n", `the BackendConfig "b" of GKE`, "load balancer"},
		{"r.yaml", "apiVersion: apisix.apache.org/v2\nkind: ApisixRoute\nmetadata: {name: r}\n", `the ApisixRoute "r" of APISIX`, "nginx_config"},
		{"alb.yaml", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nspec: {ingressClassName: alb}\n", "an Ingress", "load balancer"},
		{"old.yaml", "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {annotations: {kubernetes.io/ingress.class: traefik}}\n",
			"an Ingress", "arguments of Traefik"},
		{"play.yml", "- hosts: web\n  tasks:\n    - copy: {dest: a}\n", "a file of Ansible", "nginx -vT"},
	} {
		tryNamed(faults, c.name, c.text, c.what, c.next)
	}
}

func tryNamed(faults *labtest.Faults, name, text, what, next string) {
	faults.Try("lint gets "+what+": "+name, func(t *testing.T) {
		err := Named(lint.File{Name: name, Data: []byte(text)})
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), next) {
			t.Fatalf("%q: %v", text, err)
		}
		if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q", err)
		}
	})
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

func TestFilesThatHoldOthersAreNamedWithTheCommandThatOpensThem(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct{ data, what, next string }{
		{"\x1f\x8b\x08\x00", "a gzip file", "gzip -dc 'a b' | h2lab lint -"},
		{"PK\x03\x04", "a zip archive", "unzip 'a b'"},
		{"\xfd7zXZ\x00\x00", "an xz file", "xz -dc"},
		{strings.Repeat("\x00", 257) + "ustar\x00", "a tar archive", "tar xf 'a b'"},
		{"\xff\xfeh\x00t\x00", "text in UTF-16", "iconv -f UTF-16"},
		{"\x7fELF\x02", "a program", "the configuration that it reads"},
	} {
		faults.Try("lint gets "+c.what, func(t *testing.T) {
			err := Packed(lint.File{Name: "a b", Data: []byte(c.data)})
			if err == nil || !strings.Contains(err.Error(), "is "+c.what) || !strings.Contains(err.Error(), c.next) {
				t.Errorf("%q: %v", c.data, err)
			}
		})
	}
	for _, text := range []string{"", "events {}\n", strings.Repeat("#", 300) + "\nustar", "\xef\xbb\xbfevents {}"} {
		if err := Packed(lint.File{Name: "nginx.conf", Data: []byte(text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestValuesOfAnUnknownChartAreNamed(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	faults.Try("lint gets values of a chart that doesn't say whose it is", func(t *testing.T) {
		err := Values(lint.File{Name: "values.yaml", Data: []byte("controller:\n  replicaCount: 2\n")})
		if err == nil || !strings.Contains(err.Error(), "--kind ingress-nginx") {
			t.Error(err)
		}
	})
	for _, text := range []string{"controller: a\n", "a: b\n", "kind: Pod\ncontroller: {}\n", "a: ["} {
		if err := Values(lint.File{Name: "v.yaml", Data: []byte(text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Charts and frameworks have the settings of servers under names of their own spelling.
func TestSettingsOfConnectionsAreNamedInAnySpelling(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Places)
	for _, c := range []struct{ name, text, want string }{
		{"values of a chart in camelCase", "nginx:\n  keepAliveRequests: 100\n", "keepAliveRequests: 100 in line 2, how many requests a connection takes"},
		{"streams in camelCase", "a: {b: {http2MaxConcurrentStreams: 32}}\n", "http2MaxConcurrentStreams: 32 in line 1, how many requests a connection has in flight"},
		{"a framework's settings with dashes", "server:\n  tomcat:\n    max-keep-alive-requests: 10\n",
			"max-keep-alive-requests: 10 in line 3, how many requests"},
		{"an age of gRPC in a list", "servers:\n- maxConnectionAge: 30s\n", "maxConnectionAge: 30s in line 2, how long a connection lives"},
		{"more settings than a line holds", "- {keepalive_timeout: 1}\n- {keepalive_timeout: 2}\n- {keepalive_timeout: 3}\n- {keepalive_timeout: 4}\n" +
			"- {keepalive_timeout: 5}\n", "keepalive_timeout: 4 in line 4, how long an idle connection is kept; and 1 more)"},
		{"properties of a framework", "server.port=1\nserver.tomcat.max-keep-alive-requests = 10\n", "max-keep-alive-requests: 10 in line 2,"},
		{"a server in Go", "s := keepalive.ServerParameters{\n\tMaxConnectionAge: 30 * time.Second,\n}\n", "MaxConnectionAge: 30 in line 2,"},
		{"a server in Java", "b.forPort(1)\n  .maxConnectionAge(30, SECONDS)\n", "maxConnectionAge: 30 in line 2,"},
		{"a server in JavaScript", "new Server({\n  'grpc.max_connection_age_ms': 30000,\n})\n", "max_connection_age_ms: 30000 in line 2,"},
		{"Tomcat's server.xml", "<Server>\n<Connector port=\"1\" maxKeepAliveRequests=\"100\"/>\n", "maxKeepAliveRequests: 100 in line 2,"},
		{"directives of nginx within other text", "x = <<EOT\n  keepalive_requests 100;\nEOT\n", "keepalive_requests: 100 in line 2,"},
	} {
		faults.Try("lint gets "+c.name, func(t *testing.T) {
			if err := Settings(lint.File{Name: "v.yaml", Data: []byte(c.text)}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	for _, text := range []string{"keepAliveRequests: {a: b}\n", "timeout: 5\n", "a: [\n", "", "# keepalive_requests 100;\n",
		"x = 1\n// maxConnectionAge(30)\n", "keepalive_time: 10\n"} {
		if err := Settings(lint.File{Name: "v.yaml", Data: []byte(text)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Each program's file is named as that program's.
func TestTools(t *testing.T) {
	for text, want := range map[string]string{
		"Listen 80\n<VirtualHost *:80>\n  ServerName x\n</VirtualHost>\n":         "Apache httpd",
		"LoadModule http2_module modules/mod_http2.so\n":                          "Apache httpd",
		"server.modules += ( \"mod_proxy\" )\n$HTTP[\"host\"] == \"x\" {\n}\n":    "lighttpd",
		"[supervisord]\nnodaemon=true\n[program:nginx]\ncommand=nginx\n":          "supervisord",
		"[Definition]\nfailregex = ^ no user\n":                                   "fail2ban",
		"[web-admin]\nenabled = true\nfilter = web\nfindtime = 10m\n":             "fail2ban",
		"input {\n  tcp { port => 5000 }\n}\n":                                    "Logstash",
		"/var/log/nginx/*.log {\n    daily\n    rotate 14\n}\n":                   "logrotate",
		"[Unit]\nDescription=x\n[Service]\nExecStart=/usr/sbin/nginx\n":           "systemd",
		"vcl 4.1;\nbackend default { .host = \"x\"; }\n":                          "Varnish",
		"[www]\nlisten = /run/php.sock\npm = dynamic\n":                           "PHP-FPM",
		"proxy_listen = 0.0.0.0:8000\nadmin_listen = 127.0.0.1:8001\n":            "Kong",
		"FROM nginx:1.27\nCOPY nginx.conf /etc/nginx/\n":                          "Dockerfile",
		"services:\n  web:\n    image: nginx:1.27\n":                              "Docker Compose",
		"example.com {\n    reverse_proxy localhost:8080\n}\n":                    "Caddy",
		"server { listen 80; location / { proxy_pass http://a; } }\n":             "",
		"ssl_protocols TLSv1.3;\n":                                                "",
		"location / {\n  try_files $uri /index.php?$args;\n  return 200 a=>b;\n}": "",
	} {
		err := Program(lint.File{Name: "x", Data: []byte(text)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "a file of "+want+",")) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A template is refused with the line of its first placeholder; what only looks like one is not.
func TestTemplates(t *testing.T) {
	for text, want := range map[string]string{
		"http {\n  {% if x %}\n}":                             "x:2: {% if x %}",
		"http {\n  server_name {{ host }};\n}":                "x:2: {{ host }}",
		"worker_connections ${WORKERS};":                      "x:1: ${WORKERS}",
		"upstream a {\n%{ for ip in ips ~}\n}":                "x:2: %{ for ip in ips ~}",
		"a;\nserver_name {SERVER_NAME};":                      "x:2: {SERVER_NAME}",
		"http {\n  @NGINX_REDIRECT@\n}":                       "x:2: @NGINX_REDIRECT@",
		"listen @PORT@;":                                      "x:1: @PORT@",
		"a: 1\n[[- if .base.on]]\nb: 2\n[[- end]]":            "x:2: [[- if",
		"location @OLD { return 404; }":                       "",
		"<% if @a %>\n":                                       "x:1: <% if @a %>",
		"{{range $i := .}}":                                   "x:1: {{range $i := .}}",
		"# {{ a comment }}\nserver { listen 80; }":            "",
		"set $HOST_X a; proxy_pass http://${HOST_X};":         "",
		"proxy_pass http://${host}$uri;":                      "",
		"content_by_lua_block { local t = {{1, 2}, {3, 4}} }": "",
		`return 200 '{"a": {"b": 1}}';`:                       "",
		`if ($uri ~ "^/[a-z]{2,3}$") { return 404; }`:         "",
	} {
		err := Template(lint.File{Name: "x", Data: []byte(text)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want+" stands for")) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A file of sections is named as INI or TOML; brackets of nginx's files are no sections.
func TestFilesOfSections(t *testing.T) {
	for text, want := range map[string]bool{
		"[web]\nname = x\n": true,
		"# a comment\n[[server]]\nlisten = [\n \"a\",\n]\n": true,
		"[a.b-c]\n  on=1\n":                     true,
		"[web]\n":                               false,
		"name = x\n":                            false,
		"server {\n  listen [::]:80;\n}\n":      false,
		"location ~ \\.php$ {\n  [broken]\n}\n": false,
	} {
		if err := Sections(lint.File{Name: "x.conf", Data: []byte(text)}); (err != nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
