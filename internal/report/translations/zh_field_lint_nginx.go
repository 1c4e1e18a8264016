package translations

// chineseLintNginx are the reasons of lint's findings in nginx's files.
var chineseLintNginx = map[Phrase]string{
	"Make the change at %s:%d first, then lint again.": "" +
		"请先修改 %s:%d，再执行 lint。",
	"The change at %s:%d mends this too.": "" +
		"%s:%d 的修改也会解决这个问题。",
	"The first request after %s ends its connection with GOAWAY, however few it has served.": "" +
		"%s 之后的第一个请求会以 GOAWAY 结束连接，不论它承载过多少请求。",
	"nginx %s goes by http2_max_requests for HTTP/2, which is not set: its default is 1000.": "" +
		"对 HTTP/2，nginx %s 依据的是 http2_max_requests，这里没有设置：默认值是 1000。",
	"The limit of %d also sets the flood allowance: after %d frames without a new request nginx" +
		" closes the connection.": "" +
		"上限 %d 也决定了帧泛滥的阈值：连续 %d 帧没有新请求，nginx 就关闭连接。",
	"After %s without a request the connection ends.": "" +
		"空闲 %s，连接就会结束。",
	"%s was not found, so what it sets was not seen.": "" +
		"找不到 %s，因此看不到它的设置。",
	"%s were not found, so what they set was not seen.": "" +
		"找不到 %s，因此看不到它们的设置。",
	"%s, a link to %s, was not found, so what it sets was not seen.": "" +
		"找不到 %s（指向 %s 的链接），因此看不到它的设置。",
	"nginx refuses to start without it.": "没有它，nginx 拒绝启动。",
	"%s, and %d more match no file here: servers and settings in such files were not seen.": "" +
		"%s 等（另有 %d 个）在这里没有匹配到任何文件：看不到这些文件里的服务器和设置。",
	"%s match no file here: servers and settings in such files were not seen.": "" +
		"%s 在这里没有匹配到任何文件：看不到这些文件里的服务器和设置。",
	"%s matches no file here: servers and settings in such files were not seen.": "" +
		"%s 在这里没有匹配到任何文件：看不到这些文件里的服务器和设置。",
	"%s: request %d on a connection is answered with GOAWAY, last-stream-id %d, and what the client" +
		" has sent after it is dropped.": "" +
		"%s：一条连接上的第 %d 个请求会引来 GOAWAY，last-stream-id 为 %d，客户端在它之后发出的请求会被丢弃。",
	"With %d requests in flight every one of them may then dial for itself.": "" +
		"如果有 %d 个在途请求，它们这时可能各自建连。",
	"The limit is not above the %d in flight: one burst alone reaches it.": "" +
		"上限不高于在途请求数 %d：一批请求就会达到上限。",
	"%s is %d (%s) at %d listeners": "%s 为 %d（%s），涉及 %d 个监听地址",
	"%s is %d at %d listeners":      "%s 为 %d，涉及 %d 个监听地址",
	"%s is %d (%s)":                 "%s 为 %d（%s）",
	"%s is %d":                      "%s 为 %d",
	"This server has HTTP/2 from the listen at %s:%d alone.": "" +
		"这台服务器的 HTTP/2 只来自 %s:%d 的 listen。",
	"nginx 1.25.1 and later warn about it at each start.": "" +
		"nginx 1.25.1 及更高版本每次启动都会给出警告。",
	"Give --version for the change: releases before 1.25.1 refuse `http2 on;`.": "" +
		"要得到修改建议，请给出 --version：1.25.1 之前的版本拒绝 `http2 on;`。",
	"HTTP/2 connections here go by the server's own value, not by this one, which HTTP/1.1 requests" +
		" alone obey. If it is meant for HTTP/2, move it into the server block of line %d.": "" +
		"这里的 HTTP/2 连接依据 server 自己的值，而不是这个值；只有 HTTP/1.1 请求遵循它。如果是为 HTTP/2" +
		" 设置的，请移到第 %d 行的 server 块里。",
	"It keeps idle HTTP/1 connections open during a shutdown of workers; HTTP/2 connections are" +
		" closed as if it weren't there.": "" +
		"它使空闲的 HTTP/1 连接在 worker 退出期间保持打开；HTTP/2 连接照常关闭，如同没有这个设置。",
	"%s goes on into line %d, where %s begins: put a `;` at the end of line %d.": "" +
		"%s 一直延续到第 %d 行，而 %s 从那里开始：请在第 %d 行末尾加上 `;`。",
	"Tickets are off here and there is no shared session cache: no session can be resumed.": "" +
		"这里关闭了会话票据，也没有共享的会话缓存：任何会话都无法复用。",
	"nginx ignores it and uses %s.": "nginx 忽略它，使用 %s。",
	"Unless keepalive_requests is set, the limit is nginx's default.": "" +
		"如果没有设置 keepalive_requests，上限就是 nginx 的默认值。",
	"GOAWAY goes out with the first request of each HTTP/2 connection (since 1.19.9), so every" +
		" request needs a connection and those in flight beside it are dropped.": "" +
		"每条 HTTP/2 连接的第一个请求就会引来 GOAWAY（自 1.19.9 起），所以每个请求都需要一条连接，同时在途的其" +
		"他请求会被丢弃。",
	"1.19.7 closes HTTP/2 connections at once with this value (nginx trac #2142, #2155).": "" +
		"使用这个值，1.19.7 会立即关闭 HTTP/2 连接（nginx trac #2142、#2155）。",
	"At %d requests (%s) a QUIC connection is ended too; requests after that are rejected and can be" +
		" sent again, not dropped.": "" +
		"QUIC 连接达到 %d 个请求（%s）也会结束；之后的请求会被拒绝而不是丢弃，可以重发。",
	"%s stands in the same block at %s:%d already.": "" +
		"同一个块里，%[2]s:%[3]d 已经有 %[1]s。",
	"The server listens on %s at line %d already: nginx says \"a duplicate listen\". Keep that line," +
		" with the parameters of both: %s": "" +
		"这台服务器在第 %[2]d 行已经监听 %[1]s：nginx 会报告 \"a duplicate" +
		" listen\"。请保留那一行，合并两者的参数：%[3]s",
	"%s has a default server at %s:%d already.": "" +
		"%s 在 %s:%d 已经有默认服务器。",
	"The options of the socket %s are at %s:%d already: nginx says \"duplicate listen options\".": "" +
		"套接字 %s 的选项在 %s:%d 已经设置：nginx 会报告 \"duplicate listen options\"。",
	"%s may stand in %s, not in %s.":     "%s 可以写在 %s 里，不能写在 %s 里。",
	"%s came with %d.%d.%d; this is %s.": "%s 自 %d.%d.%d 起才有；这里是 %s。",
	"HTTP/2 to upstreams came with 1.29.4; this is %s.": "" +
		"对上游使用 HTTP/2 自 1.29.4 起才有；这里是 %s。",
	"QUIC came with 1.25.0; this is %s.": "QUIC 自 1.25.0 起才有；这里是 %s。",
	"%s takes %s, here are %d: nginx says \"invalid number of arguments\".": "" +
		"%s 需要 %s，这里有 %d 个：nginx 会报告 \"invalid number of arguments\"。",
	"one argument":        "一个参数",
	"one or %d arguments": "一个或 %d 个参数",
	"%s is read when nginx starts, so it can't be a variable: %s is refused.": "" +
		"%s 在 nginx 启动时读取，不能是变量：%s 会被拒绝。",
	"%q is no number that %s takes: digits alone.": "" +
		"%[2]s 不接受 %[1]q：只能是数字。",
	"%q is no number that %s takes: digits alone, above 0.": "" +
		"%[2]s 不接受 %[1]q：只能是大于 0 的数字。",
	"%q is no time: a number with units, the greater before the smaller, as in 75s or 1h30m.": "" +
		"%q 不是时间：应为带单位的数字，大单位在前，例如 75s 或 1h30m。",
	"%q is none of 1.0, 1.1 and 2.":     "%q 不是 1.0、1.1 或 2。",
	"%q is neither \"on\" nor \"off\".": "%q 既不是 \"on\" 也不是 \"off\"。",
	"A client without SNI on %s gets the default server's limit of %d (%s:%d), and not the %d of this" +
		" server.": "" +
		"在 %s 上没有 SNI 的客户端，得到的是默认服务器的上限 %d（%s:%d），而不是这台服务器的 %d。",
	"Every client on %s, which has no TLS and so no SNI, gets the default server's limit of %d" +
		" (%s:%d), and not the %d of this server.": "" +
		"%s 没有 TLS，也就没有 SNI，那里的每个客户端得到的都是默认服务器的上限 %d（%s:%d），而不是这台服务器的" +
		" %d。",
	"%d streams at once, for clients with %d requests in flight.": "" +
		"同时只允许 %d 个流，而客户端有 %d 个在途请求。",
	"Requests to %q go out as HTTP/1.0: the upstream closes each connection after one answer.": "" +
		"发往 %q 的请求使用 HTTP/1.0：上游在一个响应之后就关闭连接。",
	"Requests to %q go out as HTTP/1.0 (the default before 1.29.7): the upstream closes each" +
		" connection after one answer.": "" +
		"发往 %q 的请求使用 HTTP/1.0（1.29.7 之前的默认值）：上游在一个响应之后就关闭连接。",
	"Requests to %q carry `Connection: close`: the upstream closes each connection after one answer.": "" +
		"发往 %q 的请求带有 `Connection: close`：上游在一个响应之后就关闭连接。",
	"Requests to %q carry `Connection: close` (the default before 1.29.7): the upstream closes each" +
		" connection after one answer.": "" +
		"发往 %q 的请求带有 `Connection: close`（1.29.7 之前的默认值）：上游在一个响应之后就关闭连接。",
	"Requests to %q carry `Connection: close` when they ask for no upgrade (%s is set at %s:%d): the" +
		" upstream closes each connection after one answer.": "" +
		"发往 %q 的请求没有要求升级时带有 `Connection: close`（%s 由 %s:%d" +
		" 设置）：上游在一个响应之后就关闭连接。",
	"When a server of %q ends a connection with GOAWAY while nginx's next request is on its way, the" +
		" client gets 502.": "" +
		"%q 的服务器用 GOAWAY 结束连接时，如果 nginx 的下一个请求正在途中，客户端会得到 502。",
	"%s:%d behind it does so at %d requests (%s), and nginx sends up to %d (%s) on a connection.": "" +
		"它后面的 %s:%d 在 %d 个请求时（%s）就会这样，而 nginx 在一条连接上最多发送 %d 个（%s）。",
	"There is no second server to send it to again: let nginx renew first, with keepalive_requests" +
		" and keepalive_timeout in the upstream block below the limits of the server behind.": "" +
		"没有第二台服务器可以重发：应让 nginx 先更换连接，upstream 块里的 keepalive_requests 和" +
		" keepalive_timeout 要低于后面服务器的上限。",
	"nginx opens a connection to %q for every %d requests (%s).": "" +
		"nginx 每 %[2]d 个请求就新建一条到 %[1]q 的连接（%[3]s）。",
	"0 turns the cache of connections off.": "" +
		"0 会关闭连接缓存。",
	"Without `keepalive` nginx %s closes each connection to %q after one request (1.29.7 and later" +
		" keep 32).": "" +
		"没有 `keepalive` 时，nginx %s 在一个请求之后就关闭到 %q 的连接（1.29.7 及更高版本保持 32 条）。",
	"%s is no upstream block, and nginx keeps connections to those alone.": "" +
		"%s 不是 upstream 块，而 nginx 只对 upstream 块保持连接。",
	"Without TCP a connection costs little here.": "" +
		"这里不经过 TCP，新建连接的开销很小。",
	"The upstream block %q has this server: name that.": "" +
		"upstream 块 %q 里有这台服务器：请改用它的名称。",
	"%q is kept %s without a request (%s), but %s:%d behind it closes after %s (%s).": "" +
		"%q 空闲时保持 %s（%s），而它后面的 %s:%d 在 %s 之后就关闭（%s）。",
	"A worker has %d connections (%s). One renewal with %d in flight can open as many at once, each" +
		" with a second one to its upstream: enough for %d clients' renewals.": "" +
		"一个 worker 有 %d 条连接（%s）。有 %d 个在途请求时，更换一次连接可能同时建立同样多的连接，每条还要再占" +
		"用一条到上游的连接：只够 %d 个客户端更换连接。",
	"A worker has %d connections (%s). One renewal with %d in flight can open as many at once: enough for %d " +
		"clients' renewals.": "" +
		"一个 worker 有 %d 条连接（%s）。有 %d 个在途请求时，更换一次连接可能同时建立同样多的连接：只够 %d" +
		" 个客户端更换连接。",
}
