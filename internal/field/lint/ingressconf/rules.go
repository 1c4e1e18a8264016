package ingressconf

import "h2lab/internal/field/lint"

const (
	configMap = "https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/configmap/"
	source    = "kubernetes/ingress-nginx internal/ingress/controller/config/config.go; " + configMap
)

var (
	limitLow = lint.Rule{
		ID:       "ingress-nginx/limit-low",
		Severity: lint.Warning,
		Title:    "few requests end a connection",
		Help: "nginx ends an HTTP/2 connection after keep-alive-requests with one GOAWAY. Requests above the id it " +
			"names are dropped, and clients dial again, many of them once for every request that " +
			"waits. Raise it; keepalive_time, an hour, still ends connections.",
		Docs: source + "; https://nginx.org/en/docs/http/ngx_http_core_module.html#keepalive_requests",
	}
	keepAliveOff = lint.Rule{
		ID:       "ingress-nginx/keep-alive-off",
		Severity: lint.Error,
		Title:    "every HTTP/2 connection ends at its first request",
		Help: "keep-alive 0 and keep-alive-requests 0 make nginx send GOAWAY with the first request: what a client " +
			"sends together with it is dropped. Leave keep-alive at 75.",
		Docs: configMap + "#keep-alive; https://trac.nginx.org/nginx/ticket/2155",
	}
	idleShort = lint.Rule{
		ID:       "ingress-nginx/idle-short",
		Severity: lint.Warning,
		Title:    "a pause of seconds ends the connection",
		Help: "Between two bursts every connection is closed, and the next burst begins with a dial for each of its " +
			"requests. PINGs don't help. Below 10 s this is a warning, below 60 s a note. The default is 75 s.",
		Docs: configMap + "#keep-alive",
	}
	deprecated = lint.Rule{
		ID:       "ingress-nginx/deprecated-key",
		Severity: lint.Note,
		Title:    "a key without effect since nginx 1.19.7",
		Help: "http2-max-requests went with nginx's http2_max_requests: the limit " +
			"of HTTP/2 is keep-alive-requests.",
		Docs: source,
	}
	unheard = lint.Rule{
		ID:       "ingress-nginx/unknown-key",
		Severity: lint.Warning,
		Title:    "a key that the controller ignores",
		Help: "Keys of the ConfigMap are the controller's own, with dashes. It ignores other names, nginx's among them, " +
			"and logs nothing.",
		Docs: configMap,
	}
	notString = lint.Rule{
		ID:       "ingress-nginx/not-a-string",
		Severity: lint.Error,
		Title:    "a value of a ConfigMap that is no string",
		Help: "Kubernetes refuses the whole ConfigMap: quote the value. (Helm values need no quotes, the " +
			"chart adds them.)",
		Docs: configMap,
	}
	notNumber = lint.Rule{
		ID:       "ingress-nginx/not-a-number",
		Severity: lint.Error,
		Title:    "a value that the controller can't use",
		Help:     "The controller logs a warning, and the limit isn't what the ConfigMap says.",
		Docs:     configMap,
	}
	streamsLow = lint.Rule{
		ID:       "ingress-nginx/streams-low",
		Severity: lint.Warning,
		Title:    "fewer streams than requests in flight",
		Help: "A client with more requests than http2-max-concurrent-streams is refused the rest, or opens more " +
			"connections.",
		Docs: configMap + "#http2-max-concurrent-streams",
	}
	noH2 = lint.Rule{
		ID:       "ingress-nginx/no-h2",
		Severity: lint.Note,
		Title:    "HTTP/2 is turned off",
		Help: "use-http2 false leaves clients with HTTP/1.1: one request at a time on a connection, and the same " +
			"limit of requests.",
		Docs: configMap + "#use-http2",
	}
	workersLow = lint.Rule{
		ID:       "ingress-nginx/worker-connections-low",
		Severity: lint.Warning,
		Title:    "a stampede can fill a worker",
		Help: "When a worker runs out of connections nginx closes idle ones, healthy HTTP/2 connections among them, " +
			"and their clients join the stampede. The default is 16384.",
		Docs: configMap + "#max-worker-connections; nginx src/core/ngx_connection.c, ngx_drain_connections",
	}
	upstreamOff = lint.Rule{
		ID:       "ingress-nginx/upstream-keepalive-off",
		Severity: lint.Warning,
		Title:    "every request dials the pod",
		Help:     "Without a cache of connections nginx opens one to the pod for every request. The default is 320.",
		Docs:     configMap + "#upstream-keepalive-connections",
	}
	snippet = lint.Rule{
		ID:       "ingress-nginx/snippet",
		Severity: lint.Warning,
		Title:    "keepalive directives in a snippet",
		Help: "The controller writes keepalive_requests and keepalive_timeout into http{} itself. In an http-snippet " +
			"they are there twice and nginx refuses the configuration; in a location HTTP/2 doesn't heed them; in a " +
			"server-snippet they win over the ConfigMap.",
		Docs: "docs/lint-others.md; " +
			"https://github.com/kubernetes/ingress-nginx/blob/main/rootfs/etc/nginx/template/nginx.tmpl",
	}
)

// Rules lists all rules of this package.
var Rules = []lint.Rule{
	limitLow, keepAliveOff, idleShort, deprecated, unheard, notString, notNumber, streamsLow, noH2, workersLow,
	upstreamOff, snippet,
}
