package translations

// chineseLintRules are the titles of lint's rules.
var chineseLintRules = map[Phrase]string{

	// nginx

	// Envoy
	"a limit on requests per connection": "单条连接的请求数上限",
	"hardly any time between the two GOAWAYs": "" +
		"两个 GOAWAY 之间几乎没有间隔",
	"connections opened together end together": "" +
		"同时建立的连接同时结束",
	"idle connections are never closed": "空闲连接永不关闭",
	"a pause of seconds ends the connection": "" +
		"停顿几秒就会结束连接",
	"the socket is closed without waiting for the client": "" +
		"不等待客户端就关闭套接字",
	"fewer streams than requests in flight": "" +
		"并发流数少于在途请求数",
	"fewer stream resets than nghttp2 allows by default": "" +
		"允许的流重置次数低于 nghttp2 的默认值",
	"a flood guard below its default": "帧泛滥的防护阈值低于默认值",
	"HTTP/2 is not offered":           "没有提供 HTTP/2",
	"only HTTP/2 is understood, and not offered": "" +
		"只支持 HTTP/2，却没有在 ALPN 中提供",
	"an upstream's GOAWAY becomes a 503": "上游的 GOAWAY 变成 503",
	"fewer retries at once than a renewal needs": "" +
		"允许的并发重试少于一次更换连接所需",
	"Envoy renews no earlier than nginx would": "" +
		"Envoy 更换连接并不早于 nginx",
	"a circuit breaker below the requests in flight": "" +
		"熔断阈值低于在途请求数",
	"a deprecated field of the cluster": "集群（cluster）使用了已弃用的字段",
	"a dead upstream connection is noticed late": "" +
		"很晚才发现上游连接已失效",
	"overload ends connections": "过载时会结束连接",

	// HAProxy
	"a keyword that this HAProxy doesn't know": "" +
		"这个版本的 HAProxy 没有这个关键字",
	"a number that HAProxy reads as 0": "HAProxy 会把这个数字读成 0",
	"timeout http-request ends idle connections": "" +
		"timeout http-request 会结束空闲连接",
	"an option that ends HTTP/1 connections only": "" +
		"这个选项只结束 HTTP/1 连接",
	"fewer new connections than a stampede brings": "" +
		"允许的新连接数少于一次连接风暴带来的数量",
	"an upstream's GOAWAY becomes a refused request": "" +
		"上游的 GOAWAY 变成被拒绝的请求",
	"HAProxy renews no earlier than nginx would": "" +
		"HAProxy 更换连接并不早于 nginx",
	"connections to servers are not shared": "" +
		"到服务器的连接没有共用",
	"no connection to a server is kept": "不保持到服务器的连接",
	"fewer idle connections than requests in flight": "" +
		"空闲连接数少于在途请求数",

	// ingress-nginx
	"few requests end a connection": "请求不多，连接就会结束",
	"every HTTP/2 connection ends at its first request": "" +
		"每条 HTTP/2 连接在第一个请求就结束",
	"a key without effect since nginx 1.19.7": "" +
		"自 nginx 1.19.7 起不起作用的键",
	"a key that the controller ignores": "控制器忽略的键",
	"a value of a ConfigMap that is no string": "" +
		"ConfigMap 的值不是字符串",
	"a value that the controller can't use": "" +
		"控制器无法使用的值",
	"HTTP/2 is turned off":              "HTTP/2 被关闭",
	"a stampede can fill a worker":      "一次连接风暴就能占满一个 worker",
	"every request dials the pod":       "每个请求都要与 pod 新建连接",
	"keepalive directives in a snippet": "snippet 里有 keepalive 指令",

	// Traefik
	"a limit on requests per connection, in one stage": "" +
		"单条连接的请求数上限，单阶段结束",
	"connections end after a short time, whatever they carry": "" +
		"连接很快就结束，无论承载什么请求",
	"connections end by age, in one stage and without jitter": "" +
		"连接按存续时间结束，单阶段，没有抖动",
	"Traefik refuses to start with this": "有这个设置，Traefik 会拒绝启动",
	"fewer idle connections to a server than requests in flight": "" +
		"到服务器的空闲连接数少于在途请求数",
	"HTTP/2 to servers dials as Go does": "以 HTTP/2 连接服务器，建连方式与 Go 相同",
}
