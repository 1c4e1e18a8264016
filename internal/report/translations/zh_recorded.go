package translations

// chineseRecorded are the forms of the sentences in results.json: warnings of the measurement, and
// notes of a traced renewal.
var chineseRecorded = map[Phrase]string{
	// internal/report/clientreport
	"in %d of %d trials the load generator fell behind its schedule, p99 up to %s ms late: these had another load than the " +
		"one asked for": "%[2]d 次试验中有 %[1]d 次负载生成器没有跟上时间表，晚发时间的 p99 最高 %[3]s ms：这些试验的负载与要求" +
		"的不同",

	// internal/lab/runs and internal/lab/plan: why a sweep left a cell out
	"needs %.1f s for one renewal (%d requests, at most %.0f a second), so a window of %d s has no time for %d": "更换一次连" +
		"接需要 %.1f s（%d 个请求，每秒最多 %.0f 个），因此 %d s 的窗口容不下 %d 次",
	"with %d users all %d cores of this machine were busy (%s); more users would measure the machine and not the " +
		"service": "%d 个用户时，这台机器的全部 %d 个核都已占满（%s）；用户再多，测的就是机器，而不是服务",
	"service %s, load generator %s, proxy %s, backend %s": "服务 %s，负载生成器 %s，代理 %s，后端 %s",
	"service %s, load generator %s, backend %s":           "服务 %s，负载生成器 %s，后端 %s",
	"with %d users no request succeeded":                  "%d 个用户时，没有一个请求成功",
	"with %d users half of the requests took %.1f s or longer; more users would only wait longer": "%d 个用户时，一半的" +
		"请求耗时 %.1f s 或更长；用户再多，只会等得更久",
	"the trial with %d users failed: %s": "%d 个用户的那次试验失败：%s",
	"%d threads need %.0f s for one request of each of %d users at %d ms": "%[3]d 个用户每人一个请求、每个等待 %[4]d ms，" +
		"%[1]d 个线程需要 %.0[2]f s",

	// internal/lab/runs: what a delay line reports
	"the delay line held %s of %s packets more than %s too long: the processors were busy, so latencies are longer " +
		"than the distance makes them": "延迟线路让 %[2]s 个包中的 %[1]s 个多停留了 %[3]s 以上：CPU 繁忙，延迟比这段" +
		"网络距离本身造成的更长",
	"the delay line dropped %s of %s packets because its queue was full": "延迟线路的队列已满，%[2]s 个包中丢弃了 " +
		"%[1]s 个",

	// internal/lab/load, internal/lab/conduct, internal/lab/native
	"%d requests never settled within the time they had": "%d 个请求在限定时间内没有结果",
	"%d of %d requests failed because the client's own machine had no file, port, thread " +
		"or memory for them: nothing follows from this trial": "%[2]d 个请求中有 %[1]d 个因客户端所在机器的文件" +
		"描述符、端口、线程或内存不足而失败：这次试验不能得出任何结论",
	"the last answers came %.1f s after the window of %.1f s": "%.1[2]f s 的窗口结束 %.1[1]f s 之后，最后的响应" +
		"才到达",
	"TLS %s was negotiated though the client offered %s":             "客户端提供了 TLS %[2]s，协商到的却是 %[1]s",
	"%d readings of the timeline failed: %v":                         "时间线有 %d 次读数失败：%v",
	"counters still moved after the window":                          "测量窗口结束后计数器仍在变化",
	"counters still moved before the client":                         "客户端启动前计数器仍在变化",
	"counters still moved before the window":                         "测量窗口开始前计数器仍在变化",
	"CPUS=%v could not be set, the servers run unlimited: %v":        "CPUS=%v 无法设置，服务器不受限制地运行：%v",
	"%s can't be asked for its own account of its configuration: %v": "无法让 %s 导出自身的配置：%v",

	"%s needs nginx %s or newer, none was found":      "%s 需要 nginx %s 或更高版本，但没有找到 nginx",
	"%s needs nginx %s or newer, found %s":            "%s 需要 nginx %s 或更高版本，找到的是 %s",
	"%s needs nginx %s or newer, the image %s has %s": "%s 需要 nginx %s 或更高版本，镜像 %s 里是 %s",

	// The notes of renewals recorded before notes were codes (zh_notes.go). They can be removed
	// once the runs of testdata/recorded are recorded again.
	"request %d of this connection, the one that reaches the limit": "这条连接的第 %d 个请求，正好达到上限",
	"already on its way when the limit is reached: never answered":  "达到上限时它已经发出：不会得到响应",
	"%d = 2 × %d − 1: request %d was the last one taken. Streams above it were not and will not be processed; " +
		"they may be sent again, whatever their method (RFC 9113 §6.8)": "%d = 2 × %d − 1：请求 %d 是最后一个受" +
		"理的请求。编号更大的流没有处理，以后也不会处理；不论什么方法，都可以重发（RFC 9113 §6.8）",
	"the request that reached the limit is answered all the same": "达到上限的请求仍然得到响应",
	"beyond the limit, and answered all the same":                 "超出上限，仍然得到响应",
	"the server closes, right after its last answer":              "服务器在最后一个响应之后立即关闭",
	"the server closes, %.1f ms after its last answer":            "服务器在最后一个响应之后 %.1f ms 关闭",
	"another TCP and TLS handshake":                               "再做一次 TCP 和 TLS 握手",
	"what stream %d asked, again: it was not processed (RFC 9113 §8.7)": "重发流 %d 的请求：它没有处理过（RFC " +
		"9113 §8.7）",
	"and this time it is answered": "这一次得到了响应",
	"second stage: now the id is the last stream that was taken (RFC 9113 §6.8)": "第二阶段：此时的编号才是最后" +
		"一个受理的流（RFC 9113 §6.8）",
	"first stage: open no more streams here; those on their " +
		"way are still served (RFC 9113 §6.8)": "第一阶段：不要在这条连接上再开新流；已发出的请求仍会处理（RFC " +
		"9113 §6.8）",
	"every request on its way was answered":                              "在途请求全部得到响应",
	"the server closed right after its last answer":                      "服务器在最后一个响应之后立即关闭",
	"the server closed %.1f ms after its last answer":                    "服务器在最后一个响应之后 %.1f ms 关闭",
	"on a new connection stream %d's request got its answer":             "在新连接上，流 %d 的请求得到了响应",
	"the %d requests behind it (streams %s) were dropped without a word": "其后的 %d 个请求（流 %s）被静默丢弃",
	"Request %d brought GOAWAY(last_stream_id=%d, %v), " +
		"which lies ahead of every stream": "请求 %d 触发 GOAWAY(last_stream_id=%d, %v)，该编号大于所有已打开的" +
		"流",
	"Request %d brought GOAWAY(last_stream_id=%d, %v) and was answered": "请求 %d 触发 GOAWAY(last_stream_id=%d," +
		" %v)，该请求得到响应",
}
