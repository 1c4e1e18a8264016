package translations

// chineseAdvise are the texts of advise.
var chineseAdvise = map[Phrase]string{

	// facts
	"asked":       "输入",
	"latency":     "延迟",
	"handshake":   "握手",
	"renewals":    "更换连接",
	"connections": "连接",
	"handshakes":  "每秒握手",
	"capacity":    "容量",
	"waiting":     "等待",
	"dropped":     "丢弃",
	"goodput":     "有效吞吐",
	"%s requests/s, %d in flight in %s, limit %d, %s, TLS %s, %s, %s": "" +
		"每秒 %s 个请求，在途 %d 个，%s，上限 %d，%s，TLS %s，%s，%s",
	"1 pool":   "1 个连接池",
	"%s pools": "%s 个连接池",
	"1 core":   "1 个核",
	"%s cores": "%s 个核",
	"%s ms (in-flight / rate), of it %s on the network and %s at the backend": "" +
		"%s ms（在途数 ÷ 速率），其中网络 %s，后端 %s",
	"%s ms of the server's processor (given)": "" +
		"服务器处理器时间 %s ms（由参数给出）",
	"%s ms of the server's processor (nginx in the recorded runs)": "" +
		"服务器处理器时间 %s ms（取自已录运行中的 nginx）",
	"%s ms of the server's processor: %s × Go's TLS here, %s ms (%s to %s)": "" +
		"服务器处理器时间 %s ms：本机 Go 的 TLS 的 %s 倍，后者为 %s ms（%s 到 %s）",
	"%s an hour; a connection lasts %s s": "" +
		"每小时 %s 次；一条连接持续 %s s",
	"%s/s: %s used, %s wasted (%s at each renewal)": "" +
		"每秒 %s 条：使用 %s，浪费 %s（每次更换连接 %s 条）",
	"%s/s: %s cores, %s of the %s": "%s 次：占用 %s 个核（共 %[4]s，占 %[3]s）",
	"%s requests/s with these renewals, %s without (at %s ms of processor a request)": "" +
		"有更换连接时每秒 %s 个请求，没有时 %s 个（每个请求处理器时间 %s ms）",
	"%s requests at each renewal, %s of all, up to %s ms": "" +
		"每次更换连接 %s 个请求，占全部的 %s，最长 %s ms",
	"%s streams at each renewal": "每次更换连接 %s 个流",
	"%s of the %s requests/s, where clients wait for answers before they send more": "" +
		"每秒 %[2]s 个请求中的 %[1]s 个（客户端等到响应才继续发送时）",

	// what they mean
	"Renewals don't show in the 99th percentile: %s of requests wait for one.": "" +
		"更换连接不影响 p99：等待更换连接的请求占 %s。",
	"%s of requests wait for a renewal, which adds about %s ms to the 99th percentile.": "" +
		"有 %s 的请求要等待更换连接，p99 因此增加约 %s ms。",
	"A client sends dropped streams again if it can.": "" +
		"被丢弃的流，客户端会尽可能重发。",
	"If their bodies can't be sent again, %s requests a second fail.": "" +
		"如果请求体无法重发，每秒有 %s 个请求失败。",
	"These are estimates by arithmetic alone: %s.": "" +
		"以上只是按公式计算的估计值：%s。",
	"In recorded runs such estimates of dials and goodput were typically within a factor of 1.3, at" +
		" worst 3.3; of added p99 1.7 and 7 (docs/advise.md).": "" +
		"在已录的运行中，建连次数和有效吞吐的估计通常相差不到 1.3 倍，最差 3.3 倍；增加的 p99 分别是 1.7 倍和 7" +
		" 倍（docs/advise.md）。",
	"The measured map (docs/when-it-matters.md) corrects the arithmetic: dials × %s, requests lost ×" +
		" %s, added p99 × %s.": "" +
		"计算结果已按实测数据（docs/when-it-matters.md）修正：建连 × %s，丢失的请求 × %s，增加的 p99 × %s。",
	"At the map's cells that gave no correction, such answers are off by these factors: %s.": "" +
		"在没有参与修正的实测单元上，这样的结果相差的倍数为：%s。",
	"dials typically %s, at worst %s":   "建连通常 %s，最差 %s",
	"goodput typically %s, at worst %s": "有效吞吐通常 %s，最差 %s",
	"added p99 typically %s, at worst %s": "" +
		"增加的 p99 通常 %s，最差 %s",
	"No connection reaches the limit within an hour: keepalive_time (1h) ends it first.": "" +
		"一小时之内没有连接会达到上限：keepalive_time（1h）先结束它。",
	"there is no recorded map in this build": "" +
		"这个构建里没有实测数据",
	"the map is of HTTP/2":      "实测数据只针对 HTTP/2",
	"the map has no cell of %s": "实测数据里没有 %s 的单元",
	"the limit is %d, and the map has %s to %s": "" +
		"上限是 %d，而实测数据的范围是 %s 到 %s",
	"requests in flight on one connection is %s, and the map has %s to %s": "" +
		"一条连接上的在途请求数是 %s，而实测数据的范围是 %s 到 %s",
	"the backend's time is %s ms, and the map has %s to %s ms": "" +
		"后端的时间是 %s ms，而实测数据的范围是 %s 到 %s ms",
	"the round trip is %s ms, and the map has %s to %s ms": "" +
		"往返时间是 %s ms，而实测数据的范围是 %s 到 %s ms",
	"the time of a request beside both is %s ms, and the map has %s to %s ms": "" +
		"请求的其余时间是 %s ms，而实测数据的范围是 %s 到 %s ms",

	// the table
	"limit\trenewals/h\tconnections/s\tcores\tcapacity/s\twaiting %\tadded p99 ms\tfailures/s*\t": "" +
		"上限\t更换/小时\t连接/秒\t核数\t容量/秒\t等待 %\t增加的 p99 ms\t失败/秒*\t",
	"* of requests whose body can't be sent again": "" +
		"* 仅指请求体无法重发的请求",

	// what to change
	"client first: ": "先改客户端：",
	"bodies: ":       "请求体：",
	"server: ":       "服务器：",
	"with one dial for each renewal the server does %s handshakes a second instead of %s, at the same" +
		" limit.": "" +
		"每次更换连接只建连一次时，上限不变，服务器每秒握手 %s 次，而不是 %s 次。",
	"Handshakes then cost almost nothing; waiting and dropped streams remain.": "" +
		"这时握手几乎没有开销；等待和被丢弃的流仍然存在。",
	"This holds for up to %d requests in flight in each pool.": "" +
		"这一结论适用于每个连接池的在途请求不超过 %d 个的情况。",
	"make them replayable (Go: Request.GetBody, which NewRequest sets for bytes and strings).": "" +
		"使请求体可重放（Go：Request.GetBody，对字节和字符串，NewRequest 会自动设置）。",
	"No limit prevents all failures.": "任何上限都不能避免所有失败。",
	"keepalive_requests %d leaves %s renewals an hour, %s cores and %s of requests waiting.": "" +
		"设为 keepalive_requests %d 时，每小时仍更换连接 %s 次，占用 %s 个核，等待的请求占 %s。",
	"keep keepalive_requests %d: its renewals cost almost nothing.": "" +
		"保持 keepalive_requests %d：它带来的更换连接几乎没有开销。",
	"  price, memory: ":      "  代价，内存：",
	"  price, rebalancing: ": "  代价，负载再均衡：",
	"  price, flood-guard: ": "  代价，帧泛滥防护：",
	"  price, age: ":         "  代价，存续时间：",
	"  Envoy: ":              "  Envoy：",
	"nginx frees a connection's pool when the connection ends; that is its documentation's reason for" +
		" a limit.": "" +
		"连接结束时，nginx 才释放它的内存池；这是文档给出的设置上限的理由。",
	"A request over HTTP/2 has a pool of its own, freed with it.": "" +
		"HTTP/2 的请求有自己的内存池，随请求一起释放。",
	"Connections open here: %s.": "此时打开的连接：%s 条。",
	"Watch the worker's RSS.":    "请观察 worker 的 RSS。",
	"nginx ends a connection after %d × keepalive_requests frames without a new request: %s instead" +
		" of %s.": "" +
		"连续 %d × keepalive_requests 帧没有新请求，nginx 就结束连接：由 %[3]s 变为 %[2]s。",
	"keepalive_time (1h by default) ends a connection that is older, with the same GOAWAY; at this" +
		" limit a connection lasts %s, so the limit ends it first.": "" +
		"存续时间超过 keepalive_time（默认 1h）的连接以同样的 GOAWAY 结束；按这个上限，一条连接持续" +
		" %s，所以先由上限结束。",
	"keepalive_time (1h by default) ends a connection before it reaches this limit, with the same" +
		" GOAWAY, once an hour.": "" +
		"连接达到这个上限之前，keepalive_time（默认 1h）就以同样的 GOAWAY 结束它，每小时一次。",
	"Behind a balancer of connections (L4, kube-proxy) a connection stays %s with the server it was" +
		" opened to.": "" +
		"在按连接均衡的负载均衡器（L4、kube-proxy）后面，一条连接建立在哪台服务器，就停留在那里 %s。",
	"Behind a balancer of connections (L4, kube-proxy) a connection stays %s with the server it was" +
		" opened to; with several servers a new one gets no traffic for that long (--backends N counts).": "" +
		"在按连接均衡的负载均衡器（L4、kube-proxy）后面，一条连接建立在哪台服务器，就停留在那里" +
		" %s；如果有多台服务器，新加入的那台在这段时间内没有流量（用 --backends N 计算）。",
	"With %s connections and %d servers, on average %s of them have none.": "" +
		"%s 条连接和 %d 台服务器时，平均有 %s 台没有连接。",
	"an hour": "一小时",
	"%s min":  "%s 分钟",
	"Envoy has no limit unless max_requests_per_connection is set: leave it out and bound the age" +
		" instead, max_connection_duration: 3600s with max_connection_duration_jitter, so that" +
		" connections don't end together.": "" +
		"Envoy 只有设置了 max_requests_per_connection 才有上限：不要设置它，改为限制存续时间，用" +
		" max_connection_duration: 3600s 加上 max_connection_duration_jitter，使连接不会同时结束。",
	"It sends GOAWAY in two stages and drops nothing in flight; a pool that stampedes still" +
		" stampedes.": "" +
		"它分两阶段发送 GOAWAY，不丢弃在途请求；会产生连接风暴的连接池仍会产生。",

	// warnings
	"%s requests a second are more than %s cores can serve with these renewals (%s/s at %s ms a" +
		" request): they queue, and the rate falls to that.": "" +
		"有这样的更换连接，%[2]s 个核处理不了每秒 %[1]s 个请求（每个请求 %[4]s ms，每秒 %[3]s" +
		" 个）：请求会排队，速率降到这个值。",
	"the limit is less than ten times the %s requests in flight on a connection: renewals overlap," +
		" and the model was not checked there.": "" +
		"上限不到一条连接上在途请求数 %s 的十倍：更换连接会相互重叠，模型没有在这种情况下验证过。",
	"a pool has more in flight than the %d streams of one connection: the model assumes an even" +
		" spread over several.": "" +
		"连接池的在途请求超过一条连接的 %d 个流：模型假定它们均匀分布在多条连接上。",
	"the effect of a round trip is calculated here, not measured: %s.": "" +
		"往返时间的影响是计算得出的，没有实测：%s。",

	// formulas
	"every number:":                   "每个数字的算法：",
	"in-flight / rate (Little's law)": "in-flight / rate（利特尔法则）",
	"%d pools, %d in flight":          "%d 个连接池，在途 %d 个",
	"in-flight / connections, 1 at least": "" +
		"in-flight / connections，至少为 1",
	"smaller of in-flight-on-one × (%s, 1 with two flights) and dropped + round-trips + %s × flights" +
		" × at-the-proxy + √at-the-backend": "" +
		"取较小者：in-flight-on-one ×（%s，两次往返时为 1），或 dropped + round-trips + %s × flights ×" +
		" at-the-proxy + √at-the-backend",
	"%s, or %s + %s + %s × %s × %s + √%s": "" +
		"%s，或 %s + %s + %s × %s × %s + √%s",
	"1: all wait for one dial": "1：全部等待一次建连",
	"(2 × limit × request-ms + ((1 + flights) × rtt + mean pause / connections) × cpus) /" +
		" handshake-ms": "" +
		"(2 × limit × request-ms + ((1 + flights) × rtt + mean-pause / connections) × cpus) / handshake-ms",
	"1 / √(1/dialling² + 1/dials-in-time²), 1 at least": "" +
		"1 / √(1/dialling² + 1/dials-in-time²)，至少为 1",
	"1 / √(1/dialling² + 1/dials-in-time²) × map-dials, 1 at least": "" +
		"1 / √(1/dialling² + 1/dials-in-time²) × map-dials，至少为 1",
	"from the measured map: measured / calculated, between %d cells": "" +
		"取自实测数据：实测值 ÷ 计算值，在 %d 个单元之间插值",
	"rate-on-one / in-flight-on-one × (dialling × (trips + %s × queue) + requests-a-connection × mean" +
		" pause)": "" +
		"rate-on-one / in-flight-on-one × (dialling × (trips + %s × queue) + requests-a-connection ×" +
		" mean-pause)",
	"(rate-on-one / in-flight-on-one × (dialling × (trips + %s × queue) + requests-a-connection ×" +
		" mean pause) + %s) × map-lost − %s, 0 at least": "" +
		"(rate-on-one / in-flight-on-one × (dialling × (trips + %s × queue) + requests-a-connection ×" +
		" mean-pause) + %s) × map-lost − %s，至少为 0",
	"dials × handshake-ms / cpus, without map-dials": "" +
		"dials × handshake-ms / cpus，不含 map-dials",
	"100 ms × (1 − cpus, 0 at least) × busy share × handshakes' share of the work": "" +
		"100 ms ×（1 − cpus，至少为 0）× 忙碌比例 × 握手占工作量的比例",
	"of the 1 % that were dropped most often: 1 s after the second time, 2 s after the third …": "" +
		"被丢弃次数最多的 1 %：第二次之后 1 s，第三次之后 2 s……",
	"one for each request in flight": "每个在途请求一条",
	"one a pool, and one more for every %d streams in flight": "" +
		"每个连接池一条，每 %d 个在途的流再加一条",
	"as asked": "由参数给出",
	"the smaller of limit / rate-on-one and 3600 s (keepalive_time)": "" +
		"limit / rate-on-one 与 3600 s（keepalive_time）中较小者",
	"1 where limit / rate-on-one is more than 3600 s": "" +
		"limit / rate-on-one 大于 3600 s 时为 1",
	"connections / life (rate / limit, unless keepalive_time ends them first)": "" +
		"connections / life（如果不是 keepalive_time 先结束，就是 rate / limit）",
	"rate-on-one × rtt + %s × at-the-proxy, 1 less than in flight at most": "" +
		"rate-on-one × rtt + %s × at-the-proxy，最多为在途数减 1",
	"one for each connection opened": "每条新建的连接一次",
	"dialling: for the connection, or behind the handshakes": "" +
		"dialling：等待连接，或排在握手之后",
	"shown × (trips + stop + pause + %s × queue × (1 − 0.01 / waiting-share))": "" +
		"shown × (trips + stop + pause + %s × queue × (1 − 0.01 / waiting-share))",
	"shown is 0 up to 0.8 % waiting and 1 from 1.2 % on": "" +
		"等待比例不超过 0.8 % 时 shown 为 0，从 1.2 % 起为 1",
	"(shown × (trips + stop + pause + %s × queue × (1 − 0.01 / waiting-share)); shown is 0 up to 0.8" +
		" %% waiting and 1 from 1.2 %% on + %s) × map-added-p99 − %s, 0 at least; queue without map-dials": "" +
		"(shown × (trips + stop + pause + %s × queue × (1 − 0.01 / waiting-share)) + %s) × map-added-p99 −" +
		" %s，至少为 0；等待比例不超过 0.8 %% 时 shown 为 0，从 1.2 %% 起为 1；queue 不含 map-dials",
}
