package translations

// chineseVerdicts are the sentences with a verdict's numbers, and the headline.
var chineseVerdicts = map[Phrase]string{
	"; ":    "；",
	" ":     "",
	": %s":  "：%s",
	"%s.":   "%s。",
	")":     "）",
	" and ": " 和 ",

	"%s connection":      "%s 条连接",
	"%s connections":     "%s 条连接",
	"%s new connection":  "%s 条连接",
	"%s new connections": "%s 条连接",
	"%s request":         "%s 个请求",
	"%s requests":        "%s 个请求",
	"%s lost request":    "丢失请求 %s 个",
	"%s lost requests":   "丢失请求 %s 个",
	"%s renewal":         "更换连接 %s 次",
	"%s renewals":        "更换连接 %s 次",
	"%s failure":         "%s 个失败",
	"%s failures":        "%s 个失败",
	"%s was":             "%s 条",
	"%s were":            "%s 条",
	"unknown":            "未知",

	"; but in cell %s %d requests failed because the client's machine had no file, port, thread or memory for " +
		"them": "；但在单元 %s 中有 %d 个请求失败，原因是客户端所在机器的文件描述符、端口、线程或内存不足",
	"Raise the limits of this machine (ulimit -n) or " +
		"lower CONCURRENCY, and run again.": "请提高本机的资源上限（ulimit -n）或降低 CONCURRENCY，然后重新运行。",

	"reproduced":     "已复现",
	"fixed":          "已消除",
	"not-reproduced": "未复现",
	"inconclusive":   "无法判定",
	"unsupported":    "不支持",

	"cell %s can't run here: %s":                    "单元 %s 无法在此运行：%s",
	"cell %s has no trial: the run ended before it": "单元 %s 没有试验：运行提前结束",
	"Run the command again to its end.":             "重新运行该命令，直到结束。",
	"cell %s was not measured":                      "单元 %s 没有测量",
	"Measure it: run the command again without TOPOLOGY, PROTOCOL or CLIENT.": "补测：去掉 TOPOLOGY、PROTOCOL、" +
		"CLIENT 重新运行该命令。",
	"cell %s has no count of connections that were %s":        "单元 %s 缺少以下连接数：%s",
	"cell %s has no successful request, so there is no ratio": "单元 %s 没有成功的请求，因此没有比值",
	"Look at its errors.":                               "查看该单元的错误。",
	"a quick run has one short trial and no statistics": "快速模式只有一次短试验，结果没有统计意义",

	"This run has no data for a verdict": "没有测到足以支撑判定的数据",
	"%s of %s requests succeeded in %s: %s requests/s, p50 %s ms, p99 %s ms": "%[3]s 内 %[2]s 个请求中有 %[1]s 个成功：" +
		"每秒 %[4]s 个请求，p50 %[5]s ms，p99 %[6]s ms",
	" (quick run, no statistics)":                             "（快速模式，没有统计意义）",
	"The stampede did not appear: %s":                         "没有出现连接风暴：%s",
	"The run can't show whether there is a stampede (%s): %s": "无法确定有没有连接风暴（%s）：%s",
	"HTTP/2 through %s %s%s":                                  "经由 %s 时，HTTP/2 %s%s",
	"HTTP/2 through %s %sopened %s":                           "经由 %s 时，HTTP/2 %s新建 %s",
	"opened %s in %s where %s expected":                       "在 %[2]s 内新建 %[1]s，预期只需 %[3]s",
	"delivered %s of HTTP/1.1's goodput and ":                 "的有效吞吐为 HTTP/1.1 的 %s 倍，",
	"delivered %s and ":                                       "的有效吞吐为 %s 倍，",
	" in %s":                                                  "（%s 内）",
	" where %s opened %s":                                     "，而经由 %s 时新建 %s 条",
	"%s is %s: %s":                                            "%s 的判定为“%s”：%s",
	"This run proves nothing about the cures, since %s is %s: %s": "本次运行不能证明对策有效，因为 %s 的判定为“" +
		"%s”：%s",
	"%s there":                       "这时%s",
	"The stampede remains on %s: %s": "%s 上仍有连接风暴：%s",
	"a client whose body can't be replayed lost no request": "请求体不可重放的客户端没有丢失请求",
	"a client whose body can't be replayed lost %s":         "请求体不可重放的客户端丢失了 %s",

	"%s lost in %d × %s":     "%[2]d × %[3]s 内丢失 %[1]s",
	" with %s":               "，其间%s",
	", %.1f each":            "，平均每次 %.1f 个",
	"; %q":                   "；%q",
	"; %s for other reasons": "；另有 %s由其他原因引起",
	"; %s had %s":            "；对照 %s：%s",

	"%s accepted in %s where %s expected, %s of them used": "%[2]s 内接受 %[1]s，预期 %[3]s，实际使用 %[4]s 条",
	" (%s expected":   "（%s 预期数",
	", %.0f %% waste": "，浪费 %.0f %%",
	"a pool with one request in flight can't stampede": "连接池里只有一个在途请求，形不成连接风暴",
	"no connection reached the limit in the window, so none was renewed": "测量窗口内没有连接用满，也就没有更换" +
		"连接",
	"Raise DURATION or lower LIMIT (make repro LIMIT=100).": "提高 DURATION 或降低 LIMIT（make repro LIMIT=100）。",
	"the connections that were opened were " +
		"used: churn, not a stampede": "新建的连接都用上了：只是更换频繁，不是连接风暴",
	"Look at the failures and at the timeline.": "查看失败请求和时间线。",
	"with %d requests in flight on a pool a renewal dials at most %d connections": "连接池里有 %d 个在途请求时，" +
		"更换一次至多新建 %d 条连接",
	"this client seems to dial once a renewal": "这个客户端似乎每次更换只建一条连接",
	"Compare its version with the recorded run's: a client that " +
		"shares one dial has no stampede.": "对比它与存档运行中的版本：等待中的请求共用一次建连，就没有连接风暴" +
		"。",

	"the original demonstration had 0.41 at 1000 and 0.98 at 100000": "原始演示在 1000 时为 0.41，在 100000 时为 0.98",
	"h2 delivered %s of h1's goodput with %s (%s against %s requests/s)": "%[2]s：h2 的有效吞吐为 h1 的 %[1]s " +
		"倍（%[3]s 对 %[4]s 请求/秒）",
	"no stampede (%s)": "没有连接风暴（%s）",
	"no CPU limit, so the proxy has processor time to spare for the handshakes": "没有限制 CPU，代理有余力完成这" +
		"些握手",
	"ECDSA keys, whose handshakes are cheaper than RSA's": "使用 ECDSA 密钥，握手开销低于 " +
		"RSA",
	"resumed TLS sessions, which skip the expensive part of the handshake": "复用了 TLS 会话，省去了开销大" +
		"的步骤",
	"few cores, where the client is the bottleneck for both protocols": "核数太少，两种协议的瓶颈都在客户端",
	"this run doesn't show the cause":                                  "本次运行看不出原因",
	"likely cause: %s":                                                 "可能的原因：%s",
}
