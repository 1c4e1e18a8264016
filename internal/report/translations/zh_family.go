package translations

// chineseFamilies are the names of internal/field/family, and how sure it is.
var chineseFamilies = map[Phrase]string{
	"nginx, or something built on it (OpenResty, ingress-nginx, Kong, Angie, …)": "nginx，或基于它的产品" +
		"（OpenResty、ingress-nginx、Kong、Angie 等）",
	"Go's net/http, or something built on it (Caddy, Traefik, kube-apiserver, …)": "Go 的 net/http，或基于它的程序" +
		"（Caddy、Traefik、kube-apiserver 等）",
	"Envoy, or something built on it (Istio, Contour, Envoy Gateway, …)": "Envoy，或基于它的产品" +
		"（Istio、Contour、Envoy Gateway 等）",
	"HAProxy, or something built on it (OpenShift's router, …)": "HAProxy，或基于它的产品（OpenShift 的路由器等）",
	"Apache httpd with mod_http2":                               "启用 mod_http2 的 Apache httpd",
	"nghttpd, or another server on libnghttp2 (Unbound, BIND)":  "nghttpd，或其他基于 libnghttp2 的服务器（Unbound、BIND）",
	"Varnish, behind Hitch or another program for TLS":          "Varnish，由它前面的 Hitch 或其他程序处理 TLS",
	"Node.js's or Bun's http2, or something built on it":        "Node.js 或 Bun 的 http2，或基于它的程序",
	"Helidon 4 (Java)":                                              "Helidon 4（Java）",
	"Apache HttpComponents Core 5 (Java)":                           "Apache HttpComponents Core 5（Java）",
	"Grizzly, or something built on it (GlassFish, Payara, Jersey)": "Grizzly，或基于它的产品（GlassFish、Payara、Jersey）",
	"ntex (Rust)":                                                "ntex（Rust）",
	"fasthttp with dgrr/http2 (Go)":                              "使用 dgrr/http2 的 fasthttp（Go）",
	"fasthttp with dgrr/http2":                                   "使用 dgrr/http2 的 fasthttp",
	"libwebsockets (C)":                                          "libwebsockets（C）",
	"a gRPC server in Go (grpc-go)":                              "Go 的 gRPC 服务器（grpc-go）",
	"a gRPC server in Java (grpc-java)":                          "Java 的 gRPC 服务器（grpc-java）",
	"a gRPC server on the C++ core (C++, Python, Ruby, PHP, C#)": "基于 C++ 核心的 gRPC 服务器（C++、Python、Ruby、PHP、C#）",
	"Tomcat, or something built on it (Spring Boot)":             "Tomcat，或基于它的程序（Spring Boot）",
	"Undertow, or something built on it (WildFly)":               "Undertow，或基于它的程序（WildFly）",
	"Netty: Vert.x (Quarkus), Reactor Netty (Spring WebFlux), Micronaut, …": "Netty：Vert.x（Quarkus）、Reactor Netty" +
		"（Spring WebFlux）、Micronaut 等",
	"Hypercorn (Python)":             "Hypercorn（Python）",
	"Armeria (Java)":                 "Armeria（Java）",
	"Pekko HTTP or Akka HTTP (Play)": "Pekko HTTP 或 Akka HTTP（Play）",
	"Python's h2: Twisted, Daphne (Django Channels), grpclib, …": "Python 的 h2：Twisted、Daphne（Django Channels）、" +
		"grpclib 等",
	"Rust's hyper or h2, or something built on it (Granian, axum, Actix Web, tonic, Pingora, Linkerd)": "" +
		"Rust 的 hyper 或 h2，或基于它们的程序（Granian、axum、Actix Web、tonic、Pingora、Linkerd）",
	"Go's net/http":   "Go 的 net/http",
	"gRPC's C++ core": "gRPC 的 C++ 核心",
	"Rust's hyper":    "Rust 的 hyper",

	"certain":  "确定",
	"likely":   "很可能",
	"possible": "可能",
	"; or ":    "；或者 ",
	"unknown: what was seen fits no server that this program knows": "未知：观察到的行为不符合本程序已知的任何服务器",
}

// chineseClues are what speaks for a family.
var chineseClues = map[Phrase]string{
	"its SETTINGS frame is that of %s: %s (%s)":  "SETTINGS 帧与 %s 的相同：%s（%s）",
	"its SETTINGS frame is that of %s: %s":       "SETTINGS 帧与 %s 的相同：%s",
	"%s is %d, not the default %d":               "%s 是 %d，不是默认的 %d",
	"%s, and %d more":                            "%s，另有 %d 个",
	"empty":                                      "空帧",
	"the Server header says %q":                  "Server 响应头是 %q",
	"an unused connection is ended after it: %s": "空闲连接正是在这么久之后结束：%s",

	"one GOAWAY, and every connection got exactly as many requests, with one in flight or a hundred: the limit is checked " +
		"stream by stream": "只发一个 GOAWAY，而且不论在途请求是一个还是一百个，每条连接得到的请求数都完全相同：上限逐流检查",
	"streams sent after the GOAWAY are never answered":                   "GOAWAY 之后发出的流始终没有响应",
	"streams sent after the GOAWAY, below its id, are answered":          "GOAWAY 之后发出、编号小于它的流得到响应",
	"streams sent during the drain are answered":                         "排空期间发出的流得到响应",
	"the connection is closed as soon as the last answer is out":         "最后一个响应发出后立即关闭连接",
	"the connection is closed a second after the GOAWAY (goAwayTimeout)": "GOAWAY 之后一秒关闭连接（goAwayTimeout）",
	"the connection is closed a second after the final GOAWAY (delayed_close_timeout)": "最后一个 GOAWAY 之后一秒" +
		"关闭连接（delayed_close_timeout）",
	"the connection is closed two seconds after the first GOAWAY":       "第一个 GOAWAY 之后两秒关闭连接",
	"an unused connection gets one GOAWAY without a text and is closed": "空闲连接收到一个不带文本的 GOAWAY，然后关闭",
	"an unused connection gets a GOAWAY without a text, perhaps another of the same id, and is closed": "空闲连接" +
		"收到一个不带文本的 GOAWAY，可能还有一个编号相同的，然后关闭",
	"an unused connection is closed a second after its GOAWAY (goAwayTimeout)": "空闲连接在 GOAWAY 之后一秒关闭" +
		"（goAwayTimeout）",
	"an unused connection is drained as well: GOAWAY 2^31 − 1, then the real id": "空闲连接同样先排空：先是 GOAWAY " +
		"2^31 − 1，再是真实的编号",
	"an unused connection is closed without a GOAWAY":                              "空闲连接关闭时没有 GOAWAY",
	`an unused connection gets a GOAWAY with the text "timeout"`:                   `空闲连接收到带文本 "timeout" 的 GOAWAY`,
	`an unused connection gets a GOAWAY with the text "idle timeout"`:              `空闲连接收到带文本 "idle timeout" 的 GOAWAY`,
	`an unused connection gets a GOAWAY with the text "idle_timeout"`:              `空闲连接收到带文本 "idle_timeout" 的 GOAWAY`,
	`an unused connection gets a GOAWAY with the text "Timeout due to inactivity"`: `空闲连接收到带文本 "Timeout due to inactivity" 的 GOAWAY`,
	"one GOAWAY with the newest stream that the server had read":                   "只发一个 GOAWAY，给出服务器读到的最新的流",
	"with many in flight the GOAWAY's last-stream-id lies above the limit: it is the newest stream that the server had read": "" +
		"在途请求多时，GOAWAY 的 last-stream-id 高于上限：它是服务器读到的最新的流",
	"a GOAWAY of 2^31 − 1 announces the end": "以 2^31 − 1 的 GOAWAY 预告结束",
	"one GOAWAY with an id above all streams, so that those in flight are answered": "只发一个 GOAWAY，编号高于所有流，" +
		"在途的流因此得到响应",
	`GOAWAY 2^31 − 1 with the text "graceful shutdown"`:                 `GOAWAY 2^31 − 1，带文本 "graceful shutdown"`,
	"a GOAWAY has a text of gRPC's servers":                             "GOAWAY 带有 gRPC 服务器的文本",
	`a GOAWAY has the text "max-age", which Armeria sends at every end`: `GOAWAY 带有文本 "max-age"，Armeria 每次结束连接都发送它`,
	"an unused connection is reset by TCP, without a GOAWAY":            "闲置的连接被 TCP 重置，没有 GOAWAY",
	"the same GOAWAY several times":                                     "同一个 GOAWAY 发送多次",
}

// chineseDefaults are the defaults of servers.
var chineseDefaults = map[Phrase]string{
	"1000 is nginx's default since 1.19.10 and 1.20 (keepalive_requests), and was before 1.19.7 (http2_max_requests)": "" +
		"1000 是 nginx 自 1.19.10 和 1.20 起的默认值（keepalive_requests），也是 1.19.7 之前的默认值（http2_max_requests）",
	"100 is the default of nginx 1.19.7 to 1.19.9, and of ingress-nginx until 2023": "100 是 nginx 1.19.7 到 1.19.9 的" +
		"默认值，也是 ingress-nginx 在 2023 年之前的默认值",
	"1000 is nginx's default since 1.19.10":       "1000 是 nginx 自 1.19.10 起的默认值",
	"100 is nginx's default until 1.19.9":         "100 是 nginx 到 1.19.9 为止的默认值",
	"75 s is nginx's default (keepalive_timeout)": "75 s 是 nginx 的默认值（keepalive_timeout）",
	"Apache's default, MaxKeepAliveRequests 100, allows one request and 100 more": "Apache 的默认值 " +
		"MaxKeepAliveRequests 100 允许一个请求，再加 100 个",
	"5 s is Apache's default (KeepAliveTimeout)":            "5 s 是 Apache 的默认值（KeepAliveTimeout）",
	"1 h is Envoy's default (idle_timeout)":                 "1 h 是 Envoy 的默认值（idle_timeout）",
	"5 minutes is Caddy's default (idle_timeout)":           "5 分钟是 Caddy 的默认值（idle_timeout）",
	"3 minutes is nghttpx's default":                        "3 分钟是 nghttpx 的默认值",
	"10 s is H2O's default (http2-idle-timeout)":            "10 s 是 H2O 的默认值（http2-idle-timeout）",
	"15 s is Armeria's default (idleTimeout)":               "15 s 是 Armeria 的默认值（idleTimeout）",
	"60 s is Twisted's default (timeOut of HTTPFactory)":    "60 s 是 Twisted 的默认值（HTTPFactory 的 timeOut）",
	"60 s is the default of pekko.http.server.idle-timeout": "60 s 是 pekko.http.server.idle-timeout 的默认值",
	"100 is Tomcat's default (maxKeepAliveRequests)":        "100 是 Tomcat 的默认值（maxKeepAliveRequests）",
	"30 s is Jetty's default (idleTimeout)":                 "30 s 是 Jetty 的默认值（idleTimeout）",
	"3 minutes is Traefik's default (respondingTimeouts.idleTimeout)": "3 分钟是 Traefik 的默认值" +
		"（respondingTimeouts.idleTimeout）",
	"Hypercorn's default, keep_alive_max_requests 1000, allows one request more": "Hypercorn 的默认值 " +
		"keep_alive_max_requests 1000 允许多一个请求",
}

// chineseEndings are how the families end connections.
var chineseEndings = map[Phrase]string{
	"one GOAWAY, last id 2N − 1, sent before that stream's answer; closed when the last answer is out": "一个 GOAWAY，" +
		"last-stream-id 为 2N − 1，在该流的响应之前发出；最后一个响应发出后关闭",
	"one GOAWAY with the newest stream that was read; closed 1 s after the last answer": "一个 GOAWAY，给出读到的最新" +
		"的流；最后一个响应之后 1 s 关闭",
	"GOAWAY 2^31 − 1, after drain_timeout (5 s) the real id; closed 1 s later": "GOAWAY 2^31 − 1，drain_timeout（5 s）" +
		"之后给出真实的编号；再过 1 s 关闭",
	"one GOAWAY with an id above all streams (by tune.h2.fe.max-concurrent-streams), a second with the real id at the close": "" +
		"一个 GOAWAY，编号高于所有流（高出 tune.h2.fe.max-concurrent-streams），关闭时再发一个带真实编号的",
	"only at a graceful stop: GOAWAY 2^31 − 1, then the real id": "只在平滑停止时：GOAWAY 2^31 − 1，然后是真实的编号",
	`only at a stop: GOAWAY 2^31 − 1 "graceful shutdown", 1 s later the real id`: "只在停止时：GOAWAY 2^31 − 1 " +
		`"graceful shutdown"，1 s 之后给出真实的编号`,
	"GOAWAY 2^31 − 1, 2 s later the real id; closed at once": "GOAWAY 2^31 − 1，2 s 之后给出真实的编号；随即关闭",
	`GOAWAY 2^31 − 1 with the text "max-age", a second later the last stream id`: `GOAWAY 2^31 − 1，带文本 "max-age"，` +
		"一秒之后给出最后一个流的编号",
	"only at a stop":                 "只在停止时",
	"only where the program says so": "只在程序要求时",
	"only where the program says so (session.close(), session.goaway())": "只在程序要求时（session.close()、session.goaway()）",
	`at MaxConnectionAge: GOAWAY 2^31 − 1 with the text "max_age", then the last stream id`: "达到 MaxConnectionAge 时：" +
		`GOAWAY 2^31 − 1，带文本 "max_age"，然后是最后一个流的编号`,
	`at maxConnectionAge: GOAWAY 2^31 − 1 with the text "max_age", then the last stream id`: "达到 maxConnectionAge 时：" +
		`GOAWAY 2^31 − 1，带文本 "max_age"，然后是最后一个流的编号`,
	`at grpc.max_connection_age_ms: GOAWAY 2^31 − 1 with the text "max_age", then the last stream id`: "达到 " +
		`grpc.max_connection_age_ms 时：GOAWAY 2^31 − 1，带文本 "max_age"，然后是最后一个流的编号`,
	"the same GOAWAY several times; closed at once": "同一个 GOAWAY 发送多次；随即关闭",
}

// chineseMeanings say what the behaviour means for a client.
var chineseMeanings = map[Phrase]string{
	"It may be a default: %s.":                             "这可能是默认值：%s。",
	"The probe did not see how %s ends a connection here.": "探测没有看到 %s 在这里怎样结束连接。",
	"%s is known for: %s.":                                 "%s 已知的结束方式：%s。",
	"A connection in light use ends at an age of %g s.":    "轻度使用的连接在建立 %g s 后结束。",
	"Settings that end connections at an age: nginx keepalive_time; Envoy max_connection_duration; Traefik " +
		"keepAliveMaxTime; gRPC MaxConnectionAge.": "" +
		"设置最长时间的配置项：nginx keepalive_time；Envoy max_connection_duration；Traefik keepAliveMaxTime；gRPC " +
		"MaxConnectionAge。",
	"A load balancer in between may have one too.": "中间的负载均衡器也可能有一个。",
	"Envoy ends each connection at its first request while it drains, by the overload action disable_http_keepalive, and where " +
		"max_requests_per_connection is 1.": "排空期间、过载动作 disable_http_keepalive 生效时，或 max_requests_per_connection " +
		"为 1 时，Envoy 会在第一个请求之后结束每条连接。",
	"nginx also ends a connection at its first request where keepalive_timeout is 0.": "keepalive_timeout 为 0 时，nginx " +
		"也会在第一个请求之后结束连接。",
	"%s announces such an end with a GOAWAY, and none came: a TCP load balancer or a firewall in front of it may have cut " +
		"the connection, or the server crashed.": "%s 会用 GOAWAY 预告结束，这里却没有：可能是前面的 TCP 负载均衡器或防火墙" +
		"切断了连接，也可能是服务器崩溃。",
	"%s announces the end of an unused connection with a GOAWAY, and none came: a TCP load balancer or a firewall in front of it " +
		"may have an idle time-out of its own.": "%s 会用 GOAWAY 预告空闲连接的结束，这里却没有：前面的 TCP 负载均衡器或防火墙" +
		"可能有自己的空闲超时。",
	"%s on %s got no answer and may have run: nothing shows that the server did not process %s.": "%[2]s 上有 %[1]s " +
		"没有响应，可能已被执行：没有任何迹象表明服务器没有处理 %[3]s。",
	"it": "它", "them": "它们",
	"Only idempotent requests may be sent again (RFC 9110 §9.2.2).": "只有幂等的请求可以重发（RFC 9110 §9.2.2）。",

	"The GOAWAY only announces the end, and none with the last-stream-id came.": "这个 GOAWAY 只是预告结束，带有 " +
		"last-stream-id 的始终没有来。",
	"Two stages: the first GOAWAY only announces the end, the second, %g s later, has the last-stream-id (%d).": "" +
		"两阶段：第一个 GOAWAY 只是预告结束；%g s 之后的第二个才带有 last-stream-id（%d）。",
	"One GOAWAY has a last-stream-id above all streams sent so far.": "只发一个 GOAWAY，last-stream-id 高于此前发出的" +
		"所有流。",
	"One GOAWAY has a last-stream-id of %d, above the newest stream sent so far (%d).": "只发一个 GOAWAY，last-stream-id " +
		"为 %d，高于此前发出的最新的流（%d）。",
	"The last answer has Connection: close, so no request is lost.": "最后一个响应带有 Connection: close，因此没有请求丢失。",
	"A client opens a new connection for its next request.":         "客户端为下一个请求新建连接。",
	"The server resets the connection without a GOAWAY.":            "服务器重置连接，没有发送 GOAWAY。",
	"The server closes the connection without a GOAWAY.":            "服务器关闭连接，没有发送 GOAWAY。",
	"The server resets the connection without Connection: close.":   "服务器重置连接，没有用 Connection: close 预告。",
	"The server closes the connection without Connection: close.":   "服务器关闭连接，没有用 Connection: close 预告。",
	"A client can't know whether a request in flight was processed, so it may send only idempotent requests again (RFC " +
		"9110 §9.2.2).": "客户端无法知道在途的请求是否处理过，因此只能重发幂等的请求（RFC 9110 §9.2.2）。",
	"One stage: one GOAWAY with the last stream that the server processes.": "单阶段：只发一个 GOAWAY，给出服务器" +
		"处理的最后一个流。",
	"One stage: one GOAWAY with the last stream that the server processes (%d).": "单阶段：只发一个 GOAWAY，给出" +
		"服务器处理的最后一个流（%d）。",
	"A client may send streams above it again on another connection, whatever their method: they are not processed (RFC " +
		"9113 §6.8, §8.7).": "编号大于它的流没有处理：不论什么方法，客户端都可以在另一条连接上重发（RFC 9113 §6.8、§8.7）。",
	"Of %d streams in flight above it %s.": "编号大于它的 %d 个在途的流：%s。",
	"The server did not process them: a client may send each again on another connection, whatever its method (RFC 9113 " +
		"§6.8, §8.7).": "服务器没有处理它们：不论什么方法，客户端都可以在另一条连接上逐个重发（RFC 9113 §6.8、§8.7）。",
	"In a client that does not, they fail.": "客户端不重发，这些请求就会失败。",
	"The server answers streams above its last-stream-id, so this id proves nothing: those without an answer may have run.": "" +
		"服务器响应了编号大于 last-stream-id 的流，所以这个编号证明不了什么：没有响应的那些可能已经执行。",
	"Streams above it were answered nevertheless, so this id proves nothing: a request without an answer may have run.": "" +
		"编号大于它的流照样得到了响应，所以这个编号证明不了什么：没有响应的请求可能已经执行。",
	"No stream was in flight then.": "当时没有在途的流。",
	"The stream in flight was answered: nothing is lost, but every client opens a new connection.": "在途的那一个流得到响应：" +
		"没有丢失，但每个客户端都要新建一条连接。",
	"All %d streams in flight were answered: nothing is lost, but every client opens a new connection.": "%d 个在途的流" +
		"全部得到响应：没有丢失，但每个客户端都要新建一条连接。",
	"Of %d streams in flight %d were not answered.": "%d 个在途的流中有 %d 个没有响应。",
	"A client may send those above the last-stream-id again, whatever their method (RFC 9113 §6.8, §8.7).": "其中编号" +
		"大于 last-stream-id 的，不论什么方法，客户端都可以重发（RFC 9113 §6.8、§8.7）。",
	"%d was never answered":            "%d 个始终没有响应",
	"%d were never answered":           "%d 个始终没有响应",
	"%d was reset":                     "%d 个被重置",
	"%d were reset":                    "%d 个被重置",
	"%d was refused (REFUSED_STREAM)":  "%d 个被拒绝（REFUSED_STREAM）",
	"%d were refused (REFUSED_STREAM)": "%d 个被拒绝（REFUSED_STREAM）",
	"%d was answered nevertheless":     "%d 个照样得到响应",
	"%d were answered nevertheless":    "%d 个照样得到响应",

	"The connection was ended with an error.":                 "连接以错误结束。",
	"GOAWAY %s %q after %s is an error, not a request limit.": "%[3]s 之后的 GOAWAY %[1]s %[2]q 是错误，不是请求数上限。",
	"GOAWAY %s after %s is an error, not a request limit.":    "%[2]s 之后的 GOAWAY %[1]s 是错误，不是请求数上限。",
	"The server takes this for a flood (frames, resets or requests too fast).": "服务器认为这是泛洪攻击（帧、重置或请求" +
		"过快）。",
	"Ask more slowly (--rate) and compare the numbers.": "请放慢请求（--rate），再比较数字。",
	"The server's log may say why.":                     "服务器的日志里可能有原因。",

	"An unused connection was still open after %g s.": "%g s 之后，空闲连接仍未关闭。",
	"An unused connection ends after %g s.":           "空闲连接在 %g s 后结束。",
	"An unused connection ends after %g s (%s).":      "空闲连接在 %g s 后结束（%s）。",
	"An unused connection ends after %g s without a GOAWAY, so a client can't know whether a request sent at that moment " +
		"was processed.": "空闲连接在 %g s 后结束，没有 GOAWAY，因此客户端无法知道恰在此时发出的请求是否处理过。",
	"An unused connection ends after %g s (%s) without a GOAWAY, so a client can't know whether a request sent at that " +
		"moment was processed.": "空闲连接在 %g s 后结束（%s），没有 GOAWAY，因此客户端无法知道恰在此时发出的请求是否处理过。",
	"An unused connection ends after %g s: a client has to repeat a request that it sent at that moment.": "空闲连接" +
		"在 %g s 后结束：恰在此时发出的请求，客户端必须重发。",
	"An unused connection ends after %g s (%s): a client has to repeat a request that it sent at that moment.": "" +
		"空闲连接在 %g s 后结束（%s）：恰在此时发出的请求，客户端必须重发。",
	"Set the client's own idle time-out below it.": "请把客户端自己的空闲超时设得比它短。",

	"the Server header says %q, which names no server known here: perhaps an application behind the server that ends the " +
		"connections": "Server 响应头是 %q，不是已知的服务器：也许是结束连接的服务器后面的应用程序",
	"the Server header says %q, but what was seen is not how %s behaves: another server in front of it may end the " +
		"connections": "Server 响应头是 %q，但观察到的行为与 %s 不符：结束连接的可能是它前面的另一台服务器",
	"the Server header says %q, but the connections behave as those of %s: perhaps %s stands in front, passes the header " +
		"on and ends the connections; or the header was configured": "Server 响应头是 %q，但连接的行为与 %s 一致：也许 %s " +
		"在前面，转发了这个响应头并结束连接；也可能是有人配置了这个响应头",
}
