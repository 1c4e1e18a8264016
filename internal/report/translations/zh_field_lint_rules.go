package translations

// chineseLintRules are the titles of lint's rules.
var chineseLintRules = map[Phrase]string{

	// nginx
	"keepalive_time renews connections often, whatever keepalive_requests says": "" +
		"不论 keepalive_requests 是多少，keepalive_time 都使连接频繁更换",
	"Before 1.19.7 keepalive_requests doesn't govern HTTP/2": "" +
		"1.19.7 之前，keepalive_requests 对 HTTP/2 不起作用",
	"The limit is so low that nginx may take a client for a flood": "" +
		"上限过低，nginx 可能把客户端误判为帧泛滥",
	"A short pause ends the connection": "短暂的停顿就会结束连接",
	"An included file isn't there":      "被 include 的文件不存在",
	"An include matches no file":        "include 没有匹配到任何文件",
	"An HTTP/2 connection takes fewer requests than a client has in flight": "" +
		"一条 HTTP/2 连接允许的请求数少于客户端的在途请求数",
	"HTTP/2 connections are renewed often": "" +
		"HTTP/2 连接更换频繁",
	"`listen … http2` is deprecated since 1.25.1": "" +
		"自 1.25.1 起，`listen … http2` 已弃用",
	"A limit in a location has no effect on HTTP/2": "" +
		"写在 location 里的上限对 HTTP/2 不起作用",
	"keepalive_min_timeout has no effect on HTTP/2": "" +
		"keepalive_min_timeout 对 HTTP/2 不起作用",
	"A directive has swallowed the next one: a semicolon is missing": "" +
		"少了一个分号：下一条指令被并入了这一条",
	"TLS sessions can't be resumed, so every renewal makes full handshakes": "" +
		"TLS 会话无法复用，每次更换连接都要做完整握手",
	"nginx ignores this directive since 1.19.7": "" +
		"自 1.19.7 起，nginx 忽略这条指令",
	"keepalive_timeout 0 gives every HTTP/2 connection one request": "" +
		"keepalive_timeout 0 使每条 HTTP/2 连接只能承载一个请求",
	"HTTP/3 connections have the same limit": "" +
		"HTTP/3 连接有同样的上限",
	"nginx refuses a directive that stands twice in one block": "" +
		"同一个块里重复的指令，nginx 会拒绝",
	"nginx refuses this directive in this block": "" +
		"nginx 不允许在这个块里写这条指令",
	"This release of nginx doesn't know the directive or value yet": "" +
		"这个版本的 nginx 还没有这条指令或这个值",
	"nginx refuses this value": "nginx 拒绝这个值",
	"Servers on one socket have different limits": "" +
		"同一个套接字上的服务器上限不同",
	"Fewer streams than requests in flight": "" +
		"并发流数少于在途请求数",
	"`keepalive` in the upstream has no effect: each request asks for a close": "" +
		"upstream 里的 `keepalive` 不起作用：每个请求都要求关闭连接",
	"A GOAWAY of the upstream becomes a 502": "" +
		"上游的 GOAWAY 变成 502",
	"Connections to the upstream are renewed often": "" +
		"到上游的连接更换频繁",
	"Every request opens a connection to the upstream": "" +
		"每个请求都要新建一条到上游的连接",
	"nginx keeps upstream connections longer than the server behind them": "" +
		"nginx 保持上游连接的时间比后面的服务器更长",
	"A few renewals at once fill worker_connections": "" +
		"同时更换几条连接就会用完 worker_connections",

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
