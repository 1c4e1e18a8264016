//go:build integration

package main_test

import "fmt"

// nginx is an nginx with one worker and that limit.
func nginx(program string, limit int) real {
	http2 := "http2 on;" // since 1.25.1; before it a word of listen
	listen := "listen 127.0.0.1:PORT ssl;"
	if program == "nginx" {
		http2, listen = "", "listen 127.0.0.1:PORT ssl http2;"
	}
	return real{program: program, args: []string{"-p", "DIR/", "-c", "DIR/nginx.conf", "-e", "stderr"},
		files: map[string]string{"nginx.conf": fmt.Sprintf(`
daemon off; worker_processes 1; pid DIR/nginx.pid; error_log stderr warn;
events { worker_connections 256; }
http { access_log off;
  client_body_temp_path DIR/b; proxy_temp_path DIR/p; fastcgi_temp_path DIR/f; uwsgi_temp_path DIR/u; scgi_temp_path `+
			`DIR/s;
  server { %s %s ssl_certificate DIR/server.crt; ssl_certificate_key DIR/server.key;
    keepalive_requests %d; keepalive_timeout 2s;
    location = /lab/health { return 200 "ok\n"; } } }
`, listen, http2, limit)}}
}

// envoy is an Envoy with that line among its common_http_protocol_options.
func envoy(line string) real {
	return real{program: "envoy",
		args: []string{"-c", "DIR/envoy.yaml", "--concurrency", "1", "--use-dynamic-base-id", "--log-level", "warning"},
		files: map[string]string{"envoy.yaml": fmt.Sprintf(`
admin: {address: {socket_address: {address: 127.0.0.1, port_value: 0}}}
static_resources:
  listeners:
  - address: {socket_address: {address: 127.0.0.1, port_value: PORT}}
    filter_chains:
    - transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
          common_tls_context:
            alpn_protocols: [h2, http/1.1]
            tls_certificates: [{certificate_chain: {filename: DIR/server.crt}, private_key: {filename: DIR/server.key}}]
      filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: front
          drain_timeout: 0.5s
          common_http_protocol_options: {%s}
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes: [{match: {prefix: /}, direct_response: {status: 200, body: {inline_string: "ok\n"}}}]
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
`, line)}}
}

// haproxy is a HAProxy with that line in its global section.
func haproxy(program, line string) real {
	return real{program: program, args: []string{"-db", "-f", "DIR/haproxy.cfg"},
		files: map[string]string{"haproxy.cfg": fmt.Sprintf(`
global
  maxconn 200
  %s
defaults
  mode http
  timeout client 2s
  timeout http-keep-alive 2s
  timeout connect 1s
  timeout server 5s
frontend front
  bind 127.0.0.1:PORT ssl crt DIR/both.pem alpn h2,http/1.1
  http-request return status 200 content-type text/plain string ok
`, line)}}
}

// apache is an Apache with mod_http2 that closes connections after two idle seconds.
func apache() real {
	return real{program: "apache2", args: []string{"-DFOREGROUND", "-d", "DIR", "-f", "DIR/httpd.conf"},
		files: map[string]string{"httpd.conf": `
LoadModule mpm_event_module MODULES/mod_mpm_event.so
LoadModule authz_core_module MODULES/mod_authz_core.so
LoadModule ssl_module MODULES/mod_ssl.so
LoadModule http2_module MODULES/mod_http2.so
ROOT User nobody
ROOT Group nogroup
ServerName localhost
PidFile DIR/httpd.pid
DefaultRuntimeDir DIR
Mutex pthread
ErrorLog /dev/stderr
ServerLimit 1
ThreadsPerChild 64
MaxRequestWorkers 64
StartServers 1
MinSpareThreads 8
MaxSpareThreads 64
Listen 127.0.0.1:PORT https
Protocols h2 http/1.1
KeepAliveTimeout 2
SSLEngine on
SSLCertificateFile DIR/server.crt
SSLCertificateKeyFile DIR/server.key
DocumentRoot DIR/www
<Directory />
  AllowOverride None
</Directory>
<Directory DIR/www>
  Require all granted
</Directory>
`}}
}

func caddy() real {
	return real{program: "caddy", args: []string{"run", "--config", "DIR/caddy.json"},
		files: map[string]string{"caddy.json": `{
  "admin": {"disabled": true, "config": {"persist": false}},
  "storage": {"module": "file_system", "root": "DIR/storage"},
  "apps": {
    "http": {"servers": {"front": {
      "listen": ["127.0.0.1:PORT"],
      "idle_timeout": "2s",
      "routes": [{"handle": [{"handler": "static_response", "status_code": 200, "body": "ok\n"}]}],
      "automatic_https": {"disable": true},
      "tls_connection_policies": [{}]}}},
    "tls": {"certificates": {"load_files": [{"certificate": "DIR/server.crt", "key": "DIR/server.key"}]}}}}
`}}
}

func h2o() real {
	return real{program: "h2o", args: []string{"-m", "worker", "-c", "DIR/h2o.conf"},
		files: map[string]string{"h2o.conf": `
ROOT user: nobody
num-threads: 1
http2-idle-timeout: 2
error-log: /dev/stderr
listen:
  host: 127.0.0.1
  port: PORT
  ssl: {certificate-file: DIR/server.crt, key-file: DIR/server.key}
hosts:
  default:
    paths:
      /: {file.dir: DIR/www}
`}}
}

// nghttpx is nghttpx in front of an origin, with those options.
func nghttpx(options ...string) real {
	return real{program: "nghttpx", files: map[string]string{"nghttpx.conf": ""},
		args: append([]string{"--conf=DIR/nghttpx.conf", "-f127.0.0.1,PORT", "-bORIGIN", "--workers=1",
			"--errorlog-file=/dev/stderr",
			"--no-ocsp", "--frontend-http2-read-timeout=2s", "--backend-read-timeout=10s"},
			append(options, "DIR/server.key", "DIR/server.crt")...)}
}

func node() real {
	return real{program: "node", args: []string{"DIR/server.js", "DIR", "PORT"}, files: map[string]string{"server.js": `
const fs = require('fs'), dir = process.argv[2];
const server = require('http2').createSecureServer({
  allowHTTP1: true, key: fs.readFileSync(dir + '/server.key'), cert: fs.readFileSync(dir + '/server.crt'),
}, (request, response) => response.end('ok\n'));
server.listen(Number(process.argv[3]), '127.0.0.1');
`}}
}
