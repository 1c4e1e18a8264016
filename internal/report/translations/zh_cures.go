package translations

// chineseCures are the texts of the rules about losses, cures and the machine.
var chineseCures = map[Phrase]string{
	"Requests whose body can't be sent again fail at every renewal": "每次更换连接，请求体无法重发的请求都会失败",
	"The server neither processed these requests nor read their bodies, and yet their caller gets an " +
		"error.": "服务端既没有处理这些请求，也没有读取请求体，调用方却得到了错误。",
	"at least one goaway-not-replayable failure at (almost) every renewal": "（几乎）每次更换连接，都至少有一个 " +
		"goaway-not-replayable 失败",
	"Give the request a body that can be sent again (Go: Request.GetBody, which NewRequest sets for bytes and " +
		"strings).": "让请求体可以重发（Go：设置 Request.GetBody；请求体由字节或字符串构造时，NewRequest 会自动" +
		"设置）。",
	"how many renewals there were is not known":                   "更换连接的次数未知",
	"fewer requests were lost (%d) than connections renewed (%d)": "丢失的请求（%d 个）少于更换连接的次数（%d 次）",
	"with one request in flight on a pool, none follows the request that reaches the " +
		"limit": "连接池里只有一个在途请求，达到上限的请求之后没有其他已发出的请求",
	"Raise CONCURRENCY or lower POOLS.":                "提高 CONCURRENCY 或降低 POOLS。",
	"requests without a body can always be sent again": "没有请求体的请求总是可以重发",
	"Send one: METHOD=POST BODY=1.":                    "带上请求体：METHOD=POST BODY=1。",
	"this client seems to send bodies again":           "这个客户端似乎会重发请求体",
	"Compare its version with the recorded run's.":     "对比它与存档运行中的版本。",

	"Requests whose body can't be sent again, with the load on %s": "在 %s 上压测：请求体无法重发导致的请求丢失",
	"A higher limit makes the loss rarer; only a body that can be sent again ends it.": "调高上限只能减少丢失，" +
		"不能根除；要根除，请求体必须可以重发。",
	"no goaway-not-replayable failure without a renewal, and at most one batch of them at each " +
		"renewal": "不更换连接就没有 goaway-not-replayable 失败；在高上限下，每更换一次连接至多丢失一批请求",
	"; %s had %s lost": "；对照 %s：丢失 %s",
	"Look at the errors of this cell and at the limit in effect.": "查看该单元的错误，以及实际生效的上限。",
	"nothing to compare with: %s":                                 "没有可对照的数据：%s",
	", so this run has no loss to cure: %s":                       "；低上限下没有丢失请求，无从检验对策：%s",
	"connections reached the high limit: %s at %s, one batch each; only a body that can be sent again ends " +
		"this": "达到过上限：%[2]s，%[1]s，每次一批；要根除，请求体必须可以重发",
	"%s had other reasons: look at the errors of cell %s": "另有 %s由其他原因引起：查看单元 %s 的错误",

	"A client whose bodies can be sent again loses no request at the low limit": "请求体可以重发的客户端，在低上" +
		"限下不丢请求",
	"It cures the loss at every server and every limit, but not the stampede.": "不论哪种服务器、上限多高，都不" +
		"再丢失请求；但连接风暴不会因此减轻。",
	"no failure with go-replayable, where go-once loses " +
		"requests under the same limit": "go-replayable 没有失败，而 go-once 在同一上限下丢失请求",
	"go-replayable: %s; go-once: %s":                                        "go-replayable：%s；go-once：%s",
	"Look at the message: the client could not get the body a second time.": "查看错误信息：没能重新取得请求体。",
	"Look at the other failures of cell %s.":                                "查看单元 %s 的其他失败。",

	"A client that dials once at a time has no stampede at the low limit": "同一时刻只建一条连接的客户端，" +
		"在低上限下没有连接风暴",
	"It cures the client at every limit, and costs nothing while one connection has enough " +
		"streams.": "不论服务端的上限是多少，客户端都不会出现连接风暴；只要一条连接的流够用，就没有额外代价。",
	"accepted within %.0f %% (or %d a pool) of expected, where the same client without " +
		"it stampedes": "接受数与预期数相差不超过 %.0f %%（或每个连接池 %d 条），而同一客户端不用此设置时出现连接风暴",
	"with one dial at a time: %s":     "同一时刻只建一条连接：%s",
	"; %s: %s":                        "；%s：%s",
	"; there was nothing to cure: %s": "；不用该对策也没有问题，无从检验：%s",
	"Look at the failures of this cell: lost connections are dialled again.": "查看该单元的失败请求：断开的连接" +
		"会重新建立。",
	"; fewer than the limit requires": "；少于按上限计算所需的连接数",
	"Look at limit-in-effect.":        "查看 limit-in-effect。",
	"nothing to compare with: this run did not measure a client without it at this limit": "没有可对照的数据：" +
		"这一上限下没有测量不用此设置的客户端",

	"HTTP/2 delivers less than HTTP/1.1 at the same limit": "同一上限下，HTTP/2 的有效吞吐低于 HTTP/1.1",
	"The faster protocol becomes the slower one, because the proxy spends its processor time on handshakes of " +
		"unused connections.": "本应更快的协议反而更慢，因为代理的 CPU 耗在了无用的握手上。",
	"h2/h1 goodput significantly below %.2f (%s)": "h2/h1 有效吞吐比显著低于 %.2f（%s）",
	"Compare the proxy's CPU per request (handshake-cost) and the connections " +
		"accepted (dial-stampede).": "对比每个请求的代理 CPU（handshake-cost）和接受的连接数（dial-stampede）。",
	"; %s":                                "；%s",
	"; the difference is not significant": "；差异不显著",
	"Set CPUS=0.5 and KEY=rsa, as the original demonstration had.": "设置 CPUS=0.5 和 KEY=rsa，与原始演示一致。",
	"Raise TRIALS or DURATION, on an idle machine.":                "提高 TRIALS 或 DURATION，并在空闲的机器上运行。",
	"HTTP/2 against HTTP/1.1, with the load on %s": "在 %s 上压测：HTTP/2 相对 HTTP/1.1 的吞吐下" +
		"降",
	"This is the throughput that one changed number restores.": "这就是只改一个数字的效果。",
	"h2/h1 goodput ≥ %.2f, with a drop at the low limit (%s)": "h2/h1 有效吞吐比 ≥ %.2f，而低上限下明显下" +
		"降（%s）",
	"Look at dial-stampede-%s: the stampede is still there.": "查看 dial-stampede-%s：连接风暴仍然存在。",
	"; slower, but without a stampede: this fault is not the cause": "；吞吐下降，但没有连接风暴：另有原因，不是" +
		"本故障",
	"Compare both cells' CPU: the client or the proxy may " +
		"spend more on h2 for other reasons.": "对比两个单元的 CPU：客户端或代理在 h2 上耗费更多 CPU，可能另有原" +
		"因。",
	", which is no significant drop, so there was none to cure": "，下降不显著，无从检验对策",

	"The load generator or the machine was at its limit, so the numbers don't show the servers' " +
		"capacity": "压测端或机器已到瓶颈，数据反映的是它们而不是服务器",
	"Connections and failures stay exact on a busy machine; " +
		"requests per second and latencies don't.": "机器繁忙时，连接数和失败数仍然准确，每秒请求数和延迟则不准" +
		"。",
	"k6 at ≥ %.2f of a core for each of its VUs' threads, all cores ≥ %.0f %% busy, or other programs, " +
		"or other machines of the same host, at > %.1f of a core": "k6 的每个 VU 线程占用 ≥ %.2f 个核，或全部核" +
		"的占用率 ≥ %.0f %%，或其他程序、同一宿主机上的其他虚拟机占用 > %.1f 个核",
	"Nothing to do.": "无需处理。",
	"cell %s: %s":    "单元 %s：%s",
	"%d of %d cells were strained: their requests per second are a lower bound": "%[2]d 个单元中有 %[1]d 个 CPU " +
		"资源紧张：其每秒请求数只能视为下限",
	"Run on an idle machine with more cores, or lower CONCURRENCY.": "换一台核数更多、没有其他任务的机器，或者降低 " +
		"CONCURRENCY。",
	"no trial has CPU times":          "所有试验都没有记录 CPU 时间",
	"Run where h2lab may read /proc.": "换到 h2lab 能读取 /proc 的环境中运行。",
	"%d of %d trials have CPU times, and none was strained": "%[2]d 次试验中有 %[1]d 次记录了 CPU 时间，CPU 资源" +
		"均充足",
	"k6 used a core or more and may be saturated":     "k6 占用一个核以上（可能已饱和）",
	"all %d cores were busy":                          "全部 %d 个核都已占满",
	"other programs took more than a fifth of a core": "其他程序占用超过五分之一个核",
	"the hypervisor took more than a fifth of a core": "宿主机抢占超过五分之一个核（steal）",
	"trials far from the others, marked and kept: %s": "离群的试验（已标记，未剔除）：%s",
	"%s (%d)": "%s（%d 次）",
}
