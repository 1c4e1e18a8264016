package translations

// chineseTools are the descriptions of the command-line tools and proxies among the client programs, chinesePrices
// the costs of cures, as the manifests in clients/ have them.
var (
	chineseTools = map[Phrase]string{
		"one VU with all requests in flight on its pool, as an application": "一个 VU，全部在途请求共用它的连接池，与应用程序一样",
		"a connection for each of 100 VUs: the usual script":                "100 个 VU 各用一条连接：常见的压测脚本",
		"curl --parallel --parallel-max 100 over a file of transfers":       "curl 加 --parallel --parallel-max 100，传输列表取自文件",
		"the same with --retry 3 --retry-all-errors":                        "同上，加 --retry 3 --retry-all-errors",
		"the same with --http1.1":                                           "同上，加 --http1.1",
		"h2load -c 1 -m 100: one connection, all streams on it":             "h2load -c 1 -m 100：一条连接，所有的流都在上面",
		"h2load -c 100 -m 1: a connection for each request in flight":       "h2load -c 100 -m 1：每个在途请求一条连接",
		"h2load --h1 -c 100 -m 1, which connects again":                     "h2load --h1 -c 100 -m 1，会重新连接",
		"hey -c 100, without -h2":                                           "hey -c 100，不加 -h2",
		"a cluster with http2_protocol_options, one worker":                 "一个设置了 http2_protocol_options 的 cluster，一个 worker",
		"the same with max_requests_per_connection 900 on the cluster":      "同上，cluster 设置 max_requests_per_connection 900",
		"retry_on refused-stream, with enough retries at once":              "retry_on refused-stream，允许足够多的并发重试",
		"HTTP/1.1 to the upstream":                                          "对上游使用 HTTP/1.1",
		"proxy_http_version 2 and the default cache of 32 connections":      "proxy_http_version 2，默认缓存 32 条连接",
		"keepalive 128: as many as requests in flight":                      "keepalive 128：不少于在途请求数",
	}

	chinesePrices = map[Phrase]string{
		"The body stays in memory until the answer arrives; the stampede remains.": "请求体一直占用内存，直到得到响应；连接风暴仍然" +
			"存在。",
		"No more requests in flight than the server's streams a connection; one slow dial delays all requests " +
			"(golang/go#34941).": "在途请求数不能超过服务器允许一条连接打开的流数；一次建连缓慢会延误全部请求（" +
			"golang/go#34941）。",
		"Speaks HTTP/2 only, is deprecated, and dials as net/http does from Go 1.27 on unless built with -tags " +
			"http2legacy.": "只支持 HTTP/2，已弃用；从 Go 1.27 起与 net/http 一样建连，除非用 -tags http2legacy 编译。",
		"One connection for each request in flight, and none of HTTP/2's multiplexing.": "每个在途请求各占一条连接，不再有 " +
			"HTTP/2 的多路复用。",
		"Every UNAVAILABLE is tried again, also where the server may have run the call: only for methods that may " +
			"run " +
			"twice.": "凡是 UNAVAILABLE 都会重试，包括服务器可能已经执行的调用：只适用于可以重复执行的方法。",
		"Four connections instead of one; helps while each has far fewer calls in flight than the limit.": "四条连接代替一条；" +
			"每条的在途调用远少于上限时才有帮助。",
		"Twice as many connections as expected; the server's limit must be known; reloads and age limits still send " +
			"GOAWAY.": "连接数是预期的两倍；必须知道服务端的上限；重新加载配置和连接存活时间的限制仍会触发 GOAWAY。",
		"One connection for each thread, and none of HTTP/2's multiplexing.": "每个线程各占一条连接，不再有 HTTP/2 的多路复用。",
		"Twice as many connections; a selector thread for each client until it is collected; the server's limit " +
			"must be known; " +
			"reloads and age limits still send GOAWAY.": "连接数加倍；每个客户端对象在回收之前各占一个 selector 线程；必须知道服务端" +
			"的上限；重新加载配置和连接存活时间的限制仍会触发 GOAWAY。",
		"Reactor Netty doesn't say whether the request was processed: it may run twice.": "Reactor Netty 不说明请求是否处理过：可能" +
			"执行两遍。",
		"Calls wait for one of few connections instead of failing.": "调用不再失败，而是等待为数不多的连接。",
		"The server's limit must be known; reloads and age limits still send GOAWAY.": "必须知道服务端的上限；重新加载配置和连接存活" +
			"时间的限制仍会触发 GOAWAY。",
		"It recognises the case by the message alone, and adds at least 10 ms to the repeated calls.": "只靠错误信息识别这种情况，" +
			"而且重发的调用至少增加 10 ms。",
		"Retries every UNAVAILABLE, also of calls that the server may have executed.": "凡是 UNAVAILABLE 都会重试，包括服务器可能" +
			"已经执行的调用。",
		"a refused request takes a second round trip, with a handshake":       "被拒绝的请求要多一次往返和握手",
		"the limit must be known; one handshake for every 900 requests":       "必须知道上限；每 900 个请求一次握手",
		"four handshakes for every 900 requests, and the limit must be known": "每 900 个请求四次握手，而且必须知道上限",
		"HTTP/1.1: a connection for every request in flight, as with undici 6 over h2 too": "HTTP/1.1：每个在途请求各占一条连接，" +
			"undici 6 走 h2 时也是如此",
		"HTTP/1.1: a connection for every request in flight":                "HTTP/1.1：每个在途请求各占一条连接",
		"the application reads an error text, and must have the body again": "应用要读取错误信息的文字，还必须能再提供一次请求体",
		"the application reads an error text; it cures the failures, not the hundred dials": "应用要读取错误信息的文字；只消除失败，" +
			"不减少那一百次建连",
		"a package beside node's own undici, and the retry": "在 node 自带的 undici 之外再加一个包，还有重发",
		"HTTP/1.1, and a package beside node's own undici":  "HTTP/1.1，在 node 自带的 undici 之外再加一个包",
		"about half the rate, and calls wait for one of ten connections; with 100 connections some waited over 4 s": "速率约为一半，" +
			"调用要等待十条连接之一；有 100 条连接时，有的等了 4 s 以上",
		"a connection a thread: nothing is multiplexed any more":        "每个线程一条连接：不再有多路复用",
		"Every https host that this Client talks to must speak HTTP/2.": "这个 Client 访问的所有 https 主机都必须支持 HTTP/2。",
		"HTTP/2 hosts only; the policy replaces reqwest's own, so its classifier must be correct.": "只适用于 HTTP/2 主机；这项策略" +
			"取代 reqwest 自带的策略，所以它的分类必须正确。",
		"One connection for every request in flight.": "每个在途请求各占一条连接。",
		"The application must be able to create the stream again; HTTP/2 hosts only.": "应用必须能重新创建这个流；只适用于 HTTP/2 " +
			"主机。",
		"A loop around every call; the body stays in memory until the answer arrives; HTTP/2 hosts only.": "每次调用外面都要加循环；" +
			"请求体一直占用内存，直到得到响应；只适用于 HTTP/2 主机。",
		"All options must be set again for each transfer. In general (16) doesn't prove that nothing was processed: " +
			"check with " +
			"your libcurl, or use an idempotency key.": "每次传输都要重新设置全部选项。一般来说，错误 16 不能证明请求没有处理：请用你的 " +
			"libcurl 验证，或者使用幂等键。",
		"No more in flight than one connection's streams, and none at all while it is renewed; very slow if " +
			"HTTP/1.1 is " +
			"negotiated.": "在途请求数不能超过一条连接的流数，更换连接期间一个也没有；如果协商到 HTTP/1.1，会非常慢。",
		"As libcurl-multi-retry.": "与 libcurl-multi-retry 相同。",
		"A failed transfer is sent again after a second, whatever its failure: a POST may run twice. The stampedes " +
			"remain.": "传输不论因为什么失败，一秒之后都会重发：POST 可能执行两遍。连接风暴仍然存在。",
		"One connection for each transfer in flight.": "每个在途的传输各占一条连接。",
		"Only delays the fault: each connection still ends at its thousandth request, and h2load makes no new " +
			"one.": "只是推迟故障：每条连接仍在第一千个请求时结束，而 h2load 不会新建连接。",
		"It measures HTTP/1.1.": "测的是 HTTP/1.1。",
		"It measures HTTP/1.1, and dials more than once for each request in flight when it starts.": "测的是 HTTP/1.1，而且启动时每个" +
			"在途请求不止建一条连接。",
		"The server's limit must be known and must not become lower; its reloads and age limits still cost " +
			"503s.": "必须知道服务端的上限，而且它不能再调低；重新加载配置和连接存活时间的限制仍会造成 503。",
		"Envoy keeps the body until the answer begins, and tries again after 25 ms or so; safe for POST, since a " +
			"refused request " +
			"was not processed.": "Envoy 保留请求体，直到响应开始，并在大约 25 ms 之后重试；对 POST 也安全，因为被拒" +
			"绝的请求没有处理" +
			"过。",
		"One connection for each request in flight.": "每个在途请求各占一条连接。",
		"One connection for each request in flight: nginx has one stream at a time on each.": "每个在途请求各占一条连接：nginx 在每条" +
			"连接上同一时刻只开一个流。",
	}
)
