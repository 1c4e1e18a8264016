package translations

// chineseRules are the rules' titles, why they matter, the expected values and the next steps.
var chineseRules = map[Phrase]string{
	"The fault":                 "故障",
	"The cures":                 "对策",
	"Are the numbers reliable?": "数据可信吗？",

	"At every renewal, each waiting request dials its own connection": "连接风暴（stampede）：每次更换连接，等待" +
		"中的请求各自建连",
	"All connections of a batch but one are unused, and each costs client and server a full TLS " +
		"handshake.": "每批新建的连接只有一条有用，其余都白做一次完整的 TLS 握手，两端都有开销。",
	"accepted ≥ %d × expected while used ≤ %.1f × expected + 1 a pool (100 requests in flight give 20 × or " +
		"more)": "接受数 ≥ %d × 预期数，同时使用数 ≤ %.1f × 预期数 + 每个连接池 1 条（100 个在途请求可达 20 × 以" +
		"上）",
	"Raise keepalive_requests on the server, or let the client " +
		"dial once (Go: MaxConnsPerHost).": "调高服务端的 keepalive_requests，或者让客户端同一时刻只建一条连接（Go：" +
		"MaxConnsPerHost）。",
	"%d of %d trials stayed below %d × expected": "%[2]d 次试验中有 %[1]d 次低于 %[3]d × 预期数",
	"The dial stampede, with the load on %s":     "在 %s 上压测：连接风暴",
	"A higher limit makes the stampede rarer, not smaller; the client's cure is to dial " +
		"once.": "调高上限只会降低连接风暴的频率，不会缩小其规模；客户端的对策是同一时刻只建一条连接。",
	"accepted in the window ≤ %d + expected, plus one batch for each renewal; the cold start is counted " +
		"separately": "测量窗口内接受数 ≤ %d + 预期数（每次更换连接允许的那一批另计）；冷启动单独统计",
	"Look at the timeline for bursts and compare the limit in effect.": "在时间线上查找尖峰，并核对实际生效的上" +
		"限。",
	", so this run has no stampede to cure: %s": "；低上限下没有连接风暴，无从检验对策：" +
		"%s",
	"; the cold start took %s":               "；冷启动另建 %s 条",
	"trial %d (%s)":                          "第 %d 次试验（%s）",
	"trial %d accepted %s without a renewal": "第 %d 次试验没有更换连接，却接受了 %s",
	"connections reached the high limit in %s: each renewal still costs one batch of dials": "达到过上限的有%s：" +
		"每次更换连接仍会新建一批连接",
	"the cold start took %s, more than %d for each of %d requests in flight": "冷启动建立了 %s，超过 %[3]d 个在" +
		"途请求每个 %[2]d 条",

	"k6's metrics miss most of the connections that it opens": "k6 自带的指标漏掉了它建立的大部分连接",
	"http_req_connecting and http_req_tls_handshaking look healthy in the middle of a stampede; only the server " +
		"counts every connection.": "发生连接风暴时，http_req_connecting 和 http_req_tls_handshaking 看上去仍然" +
		"正常；实际建了多少连接，只有服务端知道。",
	"k6 did not report its connections in trial %d": "第 %d 次试验中，k6 没有上报连接数",
	"Look at the trial's warnings.":                 "查看这次试验的警告。",
	"less than %.0f %% of the accepted connections in k6's own metrics": "k6 自带指标里的连接数不到服务端接受数的 " +
		"%.0f %%",
	"Count connections on the server (stub_status accepts).": "在服务端统计连接数（stub_status 的 accepts）。",
	"no connection was opened in the window":                 "测量窗口内没有新建连接",
	"k6 reported %s of %s, %.1f %%": "k6 上报 %[1]s 条，服务端实际接受 %[2]s，前者占" +
		" %.1[3]f %%",
	"Without a stampede k6 counts well; look at dial-stampede.": "没有连接风暴时，k6 的计数是准的；查看 " +
		"dial-stampede。",

	"Each server had the requested processor budget": "每台服务器的 CPU 配额与要求一致",
	"The budget decides whether handshakes cost throughput: a proxy with a spare core hides " +
		"them.": "握手是否拖累吞吐，取决于这个配额：如果代理有一整个空闲的核，握手的开销就显现不出来。",
	"every server's budget as read back = CPUS": "每台服务器回读到的配额 = CPUS",
	"%s has %g":                      "%s 为 %g",
	"no server's budget is recorded": "没有记录任何服务器的配额",
	"unlimited: %s":                  "不限：%s",
	"CPUS=%s was requested; %s":      "要求 CPUS=%s；%s",
	"CPUS=%s on all %d servers":      "全部 %[2]d 台服务器都是 CPUS=%[1]s",
	"none":                           "none",
	"Run where h2lab may write to the cpu cgroup (as root, or with RUNTIME=docker), or set CPUS=none.": "换到 h2lab " +
		"能写 cpu cgroup 的环境中运行（以 root 身份，或用 RUNTIME=docker），或者指定 CPUS=none。",

	"Envoy's two-stage GOAWAY at the same low limit still costs connections or requests": "在同样的低上限下，" +
		"Envoy 的两阶段 GOAWAY 仍会影响客户端",
	"Announcing the end first saves the requests in flight, but the client can still dial once for each of " +
		"them.": "先预告再关闭，可以保住在途请求，但不能避免客户端为每个请求各建一条连接。",
	"a stampede (accepted ≥ %d × expected) or lost requests": "出现连接风暴（接受数 ≥ %d × 预期数）或丢失请求",
	"the stampede and the loss both remain":                  "连接风暴和请求丢失都仍然存在",
	"no request is lost, but the stampede remains":           "没有丢失请求，但连接风暴仍然存在",
	"Raise or drop max_requests_per_connection, or let the client dial once.": "调高或去掉 " +
		"max_requests_per_connection，或者让客户端同一时刻只建一条连接。",
	"no stampede, but requests are lost":            "没有连接风暴，但有请求丢失",
	"no connection reached the limit in the window": "测量窗口内没有连接用满",
	"neither a stampede nor a loss":                 "既没有连接风暴，也没有请求丢失",
	" (%s; go-once: %s)":                            "（%s；go-once：%s）",
	"A request was executed twice, or executed without " +
		"its caller getting an answer": "有请求执行了两次，或者执行了但调用方没有得到响应",
	"A POST that ran twice is worse than a failed one: a retry must never cause this.": "执行了两次的 POST 比失败的 " +
		"POST 更糟：重试绝不能造成这种结果。",
	"duplicate ids at the backend, or more executed than answered": "后端出现重复的请求 id，或者执行数多于响应数",
	"Nothing to do: every request id was executed once at most and answered.": "无需处理：每个请求 id 至多执行一次，" +
		"且都得到了响应。",
	"%s executed again, %s executed without an answer, in %d cells": "%[3]d 个单元合计：%[1]s重复执行，%[2]s 个" +
		"执行了但没有响应",
	"%s answered but not counted by the backend: its ids are incomplete": "%s得到了响应，后端却没有记录：后端的 " +
		"id 记录不完整",
	"Look at the errors of these cells: goaway-after-processing " +
		"and timeout may have run.": "查看这些单元的错误：goaway-after-processing 和 timeout 的请求可能已经执行。",
	"no cell was measured": "没有测量任何单元",
	"Look at the backend's ledger (ids_saturated) of these cells.": "查看这些单元的后端记录（ids_saturated）。",
	"; the backend's count is not known in %s":                     "；后端计数未知的单元：%s",
	"Handshakes cost the proxy processor time: an HTTP/2 request costs more of it at the low " +
		"limit": "握手的开销由代理承担：低上限下，每个 HTTP/2 请求耗费的代理 CPU 更多",
	"This is the cost of the fault, even if the throughput doesn't show it.": "这是故障的实际开销；即使吞吐没有" +
		"下降，这些 CPU 也已经耗费。",
	"the proxy's CPU time of cell %s is not known": "单元 %s 的代理 CPU 时间未知",
	"Run where h2lab may read the servers' /proc.": "换到 h2lab 能读取服务器进程 /proc 的环境" +
		"中运行。",
	"significantly more than %.2f × the proxy CPU per request of %s": "显著高于 %[2]s 每个请求的代理 CPU 的 " +
		"%.2[1]f ×",
	"%.3f ms of proxy CPU a request against %.3f ms, %s times%s": "每个请求的代理 CPU 为 %.3f ms，对照组为 %.3f " +
		"ms，前者是后者的 %s 倍%s",
	"Raise TRIALS to 6.": "把 TRIALS 提高到 6。",
	"Look at dial-stampede: without a stampede there is no such cost.": "查看 dial-stampede：没有连接风暴，就没" +
		"有这项开销。",
	"Raise TRIALS or DURATION.":                  "提高 TRIALS 或 DURATION。",
	"; about %.1f ms for each unused connection": "；每条浪费的连接约耗费 %.1f ms",

	"The usual k6 script, with one connection for each VU, hides the stampede": "常见的 k6 脚本（每个 VU 一条连" +
		"接）会掩盖连接风暴",
	"If this load test passes, an application whose requests share a pool can still stampede.": "这样的压测即使" +
		"通过，也不能说明请求共用连接池的应用没有问题。",
	"accepted ≤ %.1f × used with a connection for each VU, " +
		"where the shared pool stampedes": "每个 VU 一条连接时，接受数 ≤ %.1f × 使用数；而共享连接池出现连接风暴",
	"a connection for each VU: %s accepted, %s used; the shared pool under the same limit: " +
		"%s accepted, %s used": "每个 VU 一条连接：接受 %s，使用 %s 条；同一上限下的共享连接池：接受 %s 条，使用 %s 条",
	"Test with requests that share a pool: k6/shared-pool.js.":  "改用共享连接池的请求来压测：k6/shared-pool.js。",
	"; there is no stampede to hide: %s":                        "；本来就没有连接风暴：%s",
	"; the usual script shows the waste in this run":            "；本次运行中，常见的压测脚本也显示了浪费",
	"Look at its failures: lost connections are dialled again.": "查看该单元的失败请求：断开的连接会重新建立。",
	": %s opened for each used against %s, %s hidden": "：接受数与使用数之比，前者为 %s，后者为 %s，掩" +
		"盖了 %s",

	"The probed limit is the one in the topology's name":           "探测到的上限与拓扑名称中的上限一致",
	"A comparison of wrongly named topologies is worse than none.": "名称与实际不符的对比，不如不做。",
	"effective = configured in every measured cell; a front that drains may allow one more for each request in " +
		"flight": "每个被测单元的实际上限 = 配置上限；如果入口代理先排空再关闭，则每个在途请求最多可多出一个",
	"%s over %s":                "%s（%s）",
	"%s shows %s instead of %s": "%[1]s 应为 %[3]s，实测 %[2]s",
	"Look at the effective configuration in the run's directory.": "查看运行目录中的生效配置。",
	"not probed: %s": "未探测：%s",
	"Measure again; h2lab probes before it measures.": "重新测量；h2lab 会先探测再测量。",
	"Run the command again.":                          "重新运行该命令。",
	"no limit":                                        "无上限",
}
