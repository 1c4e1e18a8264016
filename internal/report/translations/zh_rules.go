package translations

// chineseRules are the rules' titles, why they matter, the expected values and the next steps.
var chineseRules = map[Phrase]string{
	"The fault":                    "故障",
	"The cures":                    "对策",
	"Can the numbers be believed?": "数字可信吗？",

	"At every renewal of a connection, each waiting request dials for itself": "每次更换连接时，等待中的请求各自建连",
	"Every connection but one of a batch is a full TLS handshake for " +
		"nothing, paid by both sides.": "一批新建连接里只有一条有用，其余全是白做的完整 TLS 握手，两端都要付出代价。",
	"accepted ≥ %d × expected while used ≤ %.1f × expected + 1 a pool " +
		"(100 requests in flight give 20 × and more)": "接受数 ≥ %d × 预期数，同时使用数 ≤ %.1f × 预期数 + " +
		"每个连接池 1 条（并发 100 个请求时可达 20 × 以上）",
	"Raise keepalive_requests on the server, or let the client " +
		"dial once (Go: MaxConnsPerHost).": "调高服务端的 keepalive_requests，或者让客户端同一时刻只建一条连接（Go：" +
		"MaxConnsPerHost）。",
	"%d of %d trials stayed below %d × expected": "%[2]d 次试验中有 %[1]d 次低于 %[3]d × 预期数",
	"The dial stampede, with the load on %s":     "连接风暴：负载放在 %s 上",
	"A higher limit makes the stampede rarer, not smaller: a client that dials once is the " +
		"cure of the client's side.": "调高上限只是让连接风暴更少见，并不会让它变小；客户端一侧的对策是只建一条连接。",
	"accepted in the window ≤ %d + expected, one batch a renewal apart; the cold " +
		"start counts for itself": "测量窗口内接受数 ≤ %d + 预期数（每次更换连接允许的那一批另计）；冷启动单独统计",
	"Look at the timeline for bursts and compare the limit in effect.": "到时间线上找尖峰，并核对实际生效的上限。",
	", so there was no stampede to cure: %s":                           "，因此没有连接风暴可治：%s",
	"; the cold start took %s":                                         "；冷启动用了 %s 条",
	"trial %d (%s)":                                                    "第 %d 次试验（%s）",
	"trial %d accepted %s without a renewal":                           "第 %d 次试验在没有更换连接的情况下接受了 %s",
	"the limit was passed in %s: each renewal still costs one batch of dials": "%s 中越过了上限：" +
		"每次更换连接仍要付出一批建连",
	"the cold start took %s, more than %d for each of %d requests in flight": "冷启动用了 %s，超过了并发的 %[3]d " +
		"个请求每个 %[2]d 条",

	"k6's own metrics miss most of the connections that it opens": "k6 自带的指标漏掉了它建立的大部分连接",
	"http_req_connecting and http_req_tls_handshaking look healthy in the middle of a " +
		"stampede; only the server counts what was dialled.": "连接风暴正在发生时，http_req_connecting 和 " +
		"http_req_tls_handshaking 看上去仍然正常；建了多少连接，只有服务端数得清。",
	"k6 did not report its connections in trial %d": "第 %d 次试验中，k6 没有上报连接数",
	"Look at the trial's warnings.":                 "查看这次试验的警告。",
	"less than %.0f %% of the accepted connections in k6's own metrics": "k6 自带指标里的连接数不到服务端接受数的 " +
		"%.0f %%",
	"Count connections on the server (stub_status accepts).":    "在服务端统计连接数（stub_status 的 accepts）。",
	"no connection was opened in the window":                    "测量窗口内没有新建连接",
	"k6 reported %s of %s, %.1f %%":                             "k6 上报了 %[1]s 条，实际 %[2]s，占 %.1[3]f %%",
	"Without a stampede k6 counts well; look at dial-stampede.": "没有连接风暴时 k6 数得很准；请看 dial-stampede。",

	"Each server had the processor budget that was asked for": "每台服务器拿到的处理器配额与要求一致",
	"Whether handshakes cost throughput depends on it: a proxy with a whole " +
		"core to spare hides them.": "握手会不会拖累吞吐，取决于这个配额：代理若还闲着一整个核，就把握手的开销盖住了。",
	"every server's budget as read back = CPUS": "每台服务器回读到的配额 = CPUS",
	"%s has %g":                      "%s 为 %g",
	"no server's budget is recorded": "没有记录任何服务器的配额",
	"unlimited: %s":                  "不限：%s",
	"CPUS=%s was asked for; %s":      "要求 CPUS=%s；%s",
	"CPUS=%s on all %d servers":      "全部 %[2]d 台服务器都是 CPUS=%[1]s",
	"none":                           "none",
	"Run where h2lab may write to the cpu cgroup (as root, or with " +
		"RUNTIME=docker), or ask for CPUS=none.": "换到 h2lab 能写 cpu cgroup 的环境里跑（以 root 身份，或用 " +
		"RUNTIME=docker），或者指定 CPUS=none。",

	"Envoy's two-stage GOAWAY at the same low limit " +
		"still costs the client something": "同样的低上限下，Envoy 的两阶段 GOAWAY 仍会让客户端有所损失",
	"Announcing the end first saves the requests under way. It doesn't stop a client " +
		"from dialling once for each of them.": "先预告再关闭，保住了在途请求，但拦不住客户端为每个请求各建一条连接。",
	"a stampede (accepted ≥ %d × expected) or lost requests": "出现连接风暴（接受数 ≥ %d × 预期数）或丢失请求",
	"both the stampede and the loss remain":                  "连接风暴和请求丢失都还在",
	"no request is lost, but the stampede remains":           "没有丢失请求，但连接风暴还在",
	"Raise or drop max_requests_per_connection, or let the client dial once.": "调高或去掉 " +
		"max_requests_per_connection，或者让客户端只建一条连接。",
	"no stampede, but requests are lost":               "没有连接风暴，但丢了请求",
	"no connection was used up in the window":          "测量窗口内没有连接用到上限",
	"neither a stampede nor a loss: it behaves gently": "既没有连接风暴也没有请求丢失：行为温和",
	" (%s; go-once: %s)":                               "（%s；go-once：%s）",
	"A request was executed twice, or executed without " +
		"its caller getting an answer": "有请求被执行了两次，或者执行了而调用方没拿到响应",
	"A POST that ran twice is worse than one that failed: this " +
		"is what a retry must never cause.": "执行了两次的 POST 比失败的 POST 更糟：重试绝不能造成这种结果。",
	"duplicate ids at the backend, or more executed than answered": "后端出现重复的请求 id，或者执行数多于响应数",
	"Nothing to do: every request id was executed once at most and answered.": "无需处理：每个请求 id 至多执行一次，" +
		"且都得到了响应。",
	"%s executed again, %s executed without an answer, in %d cells": "%[3]d 个单元中：%[1]s被重复执行，%[2]s " +
		"个执行了却没有响应",
	"%s answered without being counted by the backend: its ids are not complete": "%s得到响应却没有被后端计数：" +
		"后端的 id 记录不完整",
	"Look at the errors of these cells: goaway-after-processing " +
		"and timeout may have run.": "查看这些单元的错误：goaway-after-processing 和 timeout 的请求可能已经执行。",
	"no cell was measured": "没有测量任何单元",
	"Look at the backend's ledger (ids_saturated) of these cells.": "查看这些单元在后端的账目（ids_saturated）。",
	"; the backend's count is not known in %s":                     "；以下单元的后端计数未知：%s",
	"The proxy pays for the handshakes: an HTTP/2 request " +
		"costs it more at the low limit": "握手的账由代理来付：低上限下，一个 HTTP/2 请求的开销更高",
	"This is the fault's bill, and it is paid even where " +
		"the throughput doesn't show it.": "这就是故障的账单；即使吞吐上看不出来，也照样要付。",
	"the proxy's CPU time of cell %s is not known":                   "单元 %s 的代理 CPU 时间未知",
	"Run where h2lab may read the servers' /proc.":                   "换到 h2lab 能读取服务器进程 /proc 的环境里跑。",
	"significantly more than %.2f × the proxy CPU per request of %s": "显著高于 %[2]s 每请求代理 CPU 的 %.2[1]f ×",
	"%.3f ms of proxy CPU a request against %.3f ms, %s times%s": "每个请求的代理 CPU 为 %.3f ms，对照 %.3f ms，是其 " +
		"%s 倍%s",
	"Raise TRIALS to 6.": "把 TRIALS 提高到 6。",
	"Look at dial-stampede: without one there is nothing to pay.": "请看 dial-stampede：没有连接风暴，就没有账要付。",
	"Raise TRIALS or DURATION.":                                   "提高 TRIALS 或 DURATION。",
	"; about %.1f ms for each connection that served nobody":      "；每条没派上用场的连接约合 %.1f ms",

	"The usual k6 script, a connection for each VU, hides the stampede": "常见的 k6 脚本（每个 VU 一条连接）" +
		"会掩盖连接风暴",
	"A load test that passes says nothing about an application " +
		"whose requests share a pool.": "这样的压测通过了，并不能说明请求共用连接池的应用没有问题。",
	"accepted ≤ %.1f × used with a connection for each VU, " +
		"where the shared pool stampedes": "每个 VU 一条连接时，接受数 ≤ %.1f × 使用数；而共享连接池出现连接风暴",
	"a connection for each VU: %s accepted, %s used; the shared pool under the same limit: " +
		"%s accepted, %s used": "每个 VU 一条连接：接受 %s，使用 %s 条；同一上限下的共享连接池：接受 %s 条，使用 %s 条",
	"Test with requests that share a pool: k6/shared-pool.js.":  "改用共享连接池的请求来压测：k6/shared-pool.js。",
	"; there is no stampede to hide: %s":                        "；没有连接风暴可以掩盖：%s",
	"; the usual script shows the waste here":                   "；这里常见脚本也显出了浪费",
	"Look at its failures: lost connections are dialled again.": "查看它的失败请求：断掉的连接会重新建立。",
	": %s opened for each used against %s, %s hidden":           "：每用一条，前者新建 %s，后者 %s，掩盖了 %s",

	"The limit that the wire shows is the one that the topology is named for": "线上实测的上限与拓扑名字里的上限一致",
	"A comparison under a wrong name is worse than none.":                     "名不副实的对比，还不如不比。",
	"effective = configured in every measured cell; where a front drains, up to one more " +
		"for each request in flight": "每个被测单元的实际上限 = 配置上限；若前端会先排空，则每个在途请求最多可多出一个",
	"%s over %s":                "%s（%s）",
	"%s shows %s instead of %s": "%[1]s 应为 %[3]s，实测 %[2]s",
	"Look at the effective configuration that is kept beside results.json.": "查看与 results.json " +
		"保存在一起的生效配置。",
	"not probed: %s": "未探测：%s",
	"Measure again; h2lab probes before it measures.": "重新测量；h2lab 会先探测再测量。",
	"Run the command again.":                          "重新运行该命令。",
	"no limit":                                        "无上限",
}
