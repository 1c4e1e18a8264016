package foreign

import (
	"strings"
	"testing"

	"h2lab/internal/field/lint"
)

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
		err := Tool(lint.File{Name: "x", Data: []byte(text)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "a file of "+want+",")) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestConfigMapsNameTheCommand(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  default.conf: |\n    server { listen 80; }\n"
	err := Tool(lint.File{Name: "m.yaml", Data: []byte(text)})
	if want := `kubectl get configmap web -o jsonpath='{.data.default\.conf}' | h2lab lint -`; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if err := Tool(lint.File{Name: "m.yaml", Data: []byte("kind: ConfigMap\ndata:\n  keep-alive: \"75\"\n")}); err != nil {
		t.Error(err)
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
