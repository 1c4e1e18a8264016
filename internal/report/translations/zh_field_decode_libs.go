package translations

// chineseDecodeLibraries are the libraries and versions of decode's data.
var chineseDecodeLibraries = map[Phrase]string{
	"curl, libcurl":                   "curl、libcurl",
	"curl, libcurl (CURLE_HTTP2, 16)": "curl、libcurl（CURLE_HTTP2，16）",
	"curl, libcurl (CURLE_HTTP2_STREAM, 92)": "" +
		"curl、libcurl（CURLE_HTTP2_STREAM，92）",
	"curl, libcurl, ostree (CURLE_SEND_ERROR, 55)": "" +
		"curl、libcurl、ostree（CURLE_SEND_ERROR，55）",
	"curl, libcurl (CURLE_RECV_ERROR, 56)": "" +
		"curl、libcurl（CURLE_RECV_ERROR，56）",
	"h2load, as the lab reports it": "h2load，按实验的写法",
	"nghttp, nghttp2's trace":       "nghttp，nghttp2 的跟踪输出",
	"Go net/http, x/net/http2":      "Go 的 net/http、x/net/http2",
	"cloudflared (Go net/http)":     "cloudflared（Go 的 net/http）",
	"k6 (Go net/http)":              "k6（Go 的 net/http）",
	"Go net/http":                   "Go 的 net/http",
	"Go net/http with GODEBUG=http2debug=1": "" +
		"Go 的 net/http，设置了 GODEBUG=http2debug=1",
	"Go net/http with GODEBUG=http2debug=2": "" +
		"Go 的 net/http，设置了 GODEBUG=http2debug=2",
	"Go net/http's server": "Go 的 net/http 服务器",
	"OkHttp 3.4, perhaps other Java programs": "" +
		"OkHttp 3.4，也可能是其他 Java 程序",
	"Java NIO: Apache HttpClient 5, Jetty and others": "" +
		"Java NIO：Apache HttpClient 5、Jetty 等",
	"Jetty HttpClient, perhaps other Java programs": "" +
		"Jetty HttpClient，也可能是其他 Java 程序",
	"Reactor Netty, Spring WebClient": "Reactor Netty、Spring WebClient",
	"Netty HTTP/2 (Vert.x, Armeria, gRPC and others on it)": "" +
		"Netty HTTP/2（以及基于它的 Vert.x、Armeria、gRPC 等）",
	"Armeria, sttp on Armeria": "Armeria、基于 Armeria 的 sttp",
	"gRPC core (Python, C++, Ruby, PHP, C#)": "" +
		"gRPC core（Python、C++、Ruby、PHP、C#）",
	"gRPC through ingress-nginx": "经过 ingress-nginx 的 gRPC",
	"Node.js http2 (and got, axios, fetch-h2 on it)": "" +
		"Node.js http2（以及基于它的 got、axios、fetch-h2）",
	"undici, Node's fetch":              "undici、Node 的 fetch",
	"Chrome and browsers of its family": "Chrome 及同源的浏览器",
	"async-http, protocol-http2 (Ruby)": "async-http、protocol-http2（Ruby）",
	"protocol-http2 (Ruby)":             "protocol-http2（Ruby）",
	"protocol-http (Ruby)":              "protocol-http（Ruby）",
	"httpx (Ruby)":                      "httpx（Ruby）",
	"YetAnotherHttpHandler (Unity, C# on hyper)": "" +
		"YetAnotherHttpHandler（Unity，基于 hyper 的 C# 库）",
	"async-http-client, SwiftNIO HTTP/2": "async-http-client、SwiftNIO HTTP/2",
	"Best HTTP (Unity)":                  "Best HTTP（Unity）",
	"Mint, Finch, Req (Elixir)":          "Mint、Finch、Req（Elixir）",
	"hackney, gun, h2 (Erlang)":          "hackney、gun、h2（Erlang）",
	"HTTP.jl (Julia)":                    "HTTP.jl（Julia）",
	"amphp/http-client (PHP)":            "amphp/http-client（PHP）",
	"httpx, httpcore, hyper-h2":          "httpx、httpcore、hyper-h2",
	"httpx, httpcore":                    "httpx、httpcore",
	"httpx, httpcore, hyper-h2 between threads": "" +
		"多线程共用的 httpx、httpcore、hyper-h2",
	"Python: httpx shared by threads, and others": "" +
		"Python：多线程共用的 httpx，以及其他程序",
	"hyper, reqwest, tonic (h2)": "hyper、reqwest、tonic（h2）",
	"hyper-util; YetAnotherHttpHandler (Unity, C#) on it": "" +
		"hyper-util；基于它的 YetAnotherHttpHandler（Unity，C#）",
	"h2 (hyper, reqwest, uv, tonic)": "h2（hyper、reqwest、uv、tonic）",
	"h2 (a server in Rust)":          "h2（Rust 服务器）",
	"hyper, reqwest":                 "hyper、reqwest",
	"nginx as a client (proxy_http_version 2, grpc_pass)": "" +
		"作为客户端的 nginx（proxy_http_version 2、grpc_pass）",
	"nginx, error_log at level debug": "nginx，error_log 为 debug 级别",
	"Envoy as a client":               "作为客户端的 Envoy",
	"Envoy as a server":               "作为服务器的 Envoy",
	"Envoy's access log":              "Envoy 的访问日志",
	"Vespa's container or feed client (Jetty)": "" +
		"Vespa 的容器或 feed 客户端（Jetty）",
	"HTTP/1.1 clients (urllib3, aiohttp, JDK, Apache 4, Ruby)": "" +
		"HTTP/1.1 客户端（urllib3、aiohttp、JDK、Apache 4、Ruby）",
	"nginx as a client over HTTP/1.x, FastCGI …": "" +
		"以 HTTP/1.x、FastCGI 等作为客户端的 nginx",
	"this lab":    "本实验",
	"any program": "任何程序",
	"ab, wrk":     "ab、wrk",
	"any client":  "任何客户端",
	"Apache HttpClient, HttpURLConnection, Java streams": "" +
		"Apache HttpClient、HttpURLConnection、Java 的流",

	// versions
	"fixed in part by 8.4.0":            "8.4.0 修复了一部分",
	"before it set GetBody":             "设置 GetBody 之前",
	"%s and newer":                      "%s 及更高版本",
	"of 2016 and older":                 "2016 年及更早版本",
	"3.4 and older":                     "3.4 及更早版本",
	"11 and newer, without JDK-8335181": "11 及更高版本，不含 JDK-8335181",
	"5 (core 5)":                        "5（core 5）",
	"12.0.22, 12.1 and newer":           "12.0.22、12.1 及更高版本",
	"5 (4.5 in part)":                   "5（4.5 有一部分）",
	"before 1.40":                       "1.40 之前",
	"before the fix in socketry/async-http#245": "" +
		"socketry/async-http#245 修复之前",
	"before 2.1.2": "2.1.2 之前",
	"1.29.4 and newer; gRPC since 1.13.10": "" +
		"1.29.4 及更高版本；gRPC 自 1.13.10 起",
}
