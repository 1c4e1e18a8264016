package translations

// chineseCures are the texts of the rules about losses, cures and the machine.
var chineseCures = map[Phrase]string{
	"Requests whose body can't be sent again fail at every renewal": "请求体无法重发的请求，每次更换连接都会失败",
	"The server did nothing wrong with these requests and nothing with their bodies: they " +
		"were never begun, and their caller sees an error.": "服务端对这些请求没有做错什么，也没有动过请求体：" +
		"它们根本没有开始处理，而调用方看到的是错误。",
	"at least one goaway-not-replayable failure at (almost) every renewal": "（几乎）每次更换连接都至少有一个 " +
		"goaway-not-replayable 失败",
	"Give the request a body that can be sent again (Go: Request.GetBody, which NewRequest sets for bytes and " +
		"strings).": "给请求一个可以重发的请求体（Go：Request.GetBody，用字节或字符串构造时 NewRequest 会自动设置）。",
	"how many renewals there were is not known":                   "更换了多少次连接是未知的",
	"fewer requests were lost (%d) than connections renewed (%d)": "丢失的请求（%d 个）少于更换连接的次数（%d 次）",
	"one request in flight on a pool is never on the wire behind " +
		"the one that trips the limit": "连接池里只有一个在途请求时，触发上限的那个请求后面不会再有别的请求在路上",
	"Raise CONCURRENCY or lower POOLS.":                "提高 CONCURRENCY 或降低 POOLS。",
	"requests without a body can always be sent again": "没有请求体的请求总是可以重发",
	"Send one: METHOD=POST BODY=1.":                    "带上请求体：METHOD=POST BODY=1。",
	"this client seems to send bodies again":           "这个客户端似乎会重发请求体",
	"Compare its version with the recorded run's.":     "把它的版本与存档运行中的版本比一比。",

	"Requests whose body can't be sent again, with the load on %s": "请求体无法重发的请求：负载放在 %s 上",
	"A higher limit makes the loss rarer and doesn't end it: only " +
		"a body that can be sent again does.": "调高上限只是让丢失更少见，并不能根除；只有可以重发的请求体才能根除。",
	"no goaway-not-replayable failure without a renewal, and at most one batch at each that the high " +
		"limit still brings": "没有更换连接时不出现 goaway-not-replayable 失败；高上限下仍会发生的每次更换，至多丢一批",
	"; %s had %s lost": "；对照 %s：丢失 %s",
	"Look at the errors of this cell and at the limit in effect.": "查看该单元的错误，以及实际生效的上限。",
	"nothing to compare with: %s":                                 "没有可对照的数据：%s",
	", so there was no loss to cure: %s":                          "，因此没有丢失可治：%s",
	"the limit was passed: %s at %s, one batch each; only a " +
		"body that can be sent again ends this": "越过了上限：%[2]s中有 %[1]s，每次一批；只有可以重发的请求体才能根除",
	"%s had other reasons: look at the errors of cell %s": "%s另有原因：查看单元 %s 的错误",

	"A client whose bodies can be sent again loses nothing at the low limit": "请求体可以重发的客户端，" +
		"在低上限下什么也不会丢",
	"It cures the loss at every server and every limit, " +
		"and leaves the stampede as it is.": "无论哪种服务器、多高的上限，它都能治好请求丢失；连接风暴则原样还在。",
	"no failure with go-replayable, where go-once loses " +
		"requests under the same limit": "go-replayable 没有失败，而 go-once 在同一上限下丢失请求",
	"go-replayable: %s; go-once: %s":                        "go-replayable：%s；go-once：%s",
	"Look at the message: the body could not be had again.": "查看错误信息：请求体没能再次取得。",
	"Look at the other failures of cell %s.":                "查看单元 %s 的其他失败。",

	"A client that dials once at a time has no stampede at the low limit": "同一时刻只建一条连接的客户端，" +
		"在低上限下没有连接风暴",
	"It cures the client whatever the server's limit is, and costs nothing while one connection " +
		"has streams enough.": "不管服务端上限是多少，它都治得了客户端；只要一条连接的流够用，就没有额外代价。",
	"accepted within %.0f %% (or %d a pool) of expected, where the same client without " +
		"it stampedes": "接受数与预期数相差不超过 %.0f %%（或每个连接池 %d 条），而同一客户端不用此设置时出现连接风暴",
	"with one dial at a time: %s":     "每次只建一条连接：%s",
	"; %s: %s":                        "；%s：%s",
	"; nothing was there to cure: %s": "；没有问题可治：%s",
	"Look at the failures of this cell: lost connections are dialled again.": "查看该单元的失败：" +
		"断掉的连接会重新建立。",
	"; fewer than the limit makes necessary": "；比上限所要求的还少",
	"Look at limit-in-effect.":               "请看 limit-in-effect。",
	"nothing to compare with: no client without it was measured at this limit": "没有可对照的数据：" +
		"这一上限下没有测量不用此设置的客户端",

	"HTTP/2 delivers less than HTTP/1.1 at the same limit": "同一上限下，HTTP/2 的有效吞吐低于 HTTP/1.1",
	"The faster protocol becomes the slower one, because the proxy's processor " +
		"goes into handshakes that serve nobody.": "更快的协议反而变慢，因为代理的处理器都花在了没人用的握手上。",
	"h2/h1 goodput significantly below %.2f (%s)": "h2/h1 有效吞吐比显著低于 %.2f（%s）",
	"Compare the proxy's CPU per request (handshake-cost) and the connections " +
		"accepted (dial-stampede).": "对比每个请求的代理 CPU（handshake-cost）和接受的连接数（dial-stampede）。",
	"; %s":                            "；%s",
	"; that can't be told from noise": "；与噪声无法区分",
	"Set CPUS=0.5 and KEY=rsa, as the original demonstration had.": "设置 CPUS=0.5 和 KEY=rsa，与原始演示一致。",
	"Raise TRIALS or DURATION, on a machine with nothing else to do.": "提高 TRIALS 或 DURATION，" +
		"并在空闲的机器上跑。",
	"HTTP/2 against HTTP/1.1, with the load on %s":            "HTTP/2 对比 HTTP/1.1：负载放在 %s 上",
	"This is what the change of one number gives back.":       "只改一个数字，就能换回这么多。",
	"h2/h1 goodput ≥ %.2f, with a drop at the low limit (%s)": "h2/h1 有效吞吐比 ≥ %.2f，而低上限下有下降（%s）",
	"Look at dial-stampede-%s: the stampede is still there.":  "请看 dial-stampede-%s：连接风暴还在。",
	"; slower, but without a stampede: it has " +
		"another cause than this fault": "；变慢了，但没有连接风暴：原因不是这个故障",
	"Compare both cells' CPU: the client or the proxy may " +
		"spend more on h2 for other reasons.": "对比两个单元的 CPU：客户端或代理在 h2 上多花的时间可能另有原因。",
	", which is no certain drop, so there was none to cure": "，算不上确定的下降，因此没有什么可治",

	"The load generator or the machine was at its limit, and the " +
		"numbers show that instead of the servers": "压测端或机器已到极限，数字反映的是它们而不是服务器",
	"Connections and failures stay exact on a busy machine; " +
		"requests per second and latencies don't.": "机器繁忙时，连接数和失败数仍然准确；每秒请求数和延迟则不然。",
	"k6 at ≥ %.2f of a core for each of its VUs' threads, all cores ≥ %.0f %% busy, or other programs, " +
		"or other machines of the same host, at > %.1f of a core": "k6 的每个 VU 线程占用 ≥ %.2f 个核，" +
		"或所有核的繁忙度 ≥ %.0f %%，或其他程序、同一宿主机上的其他虚拟机占用 > %.1f 个核",
	"Nothing to do.": "无需处理。",
	"cell %s: %s":    "单元 %s：%s",
	"%d of %d cells were strained: read their requests " +
		"per second as a lower bound": "%[2]d 个单元中有 %[1]d 个吃紧：其每秒请求数只能当作下限来看",
	"Run on a machine with more cores and nothing else " +
		"to do, or lower CONCURRENCY.": "换一台核数更多、没有其他任务的机器，或者降低 CONCURRENCY。",
	"no trial knows its CPU times":    "没有一次试验记录了 CPU 时间",
	"Run where h2lab may read /proc.": "换到 h2lab 能读取 /proc 的环境里跑。",
	"%d of %d trials know their CPU times, and none was strained": "%[2]d 次试验中有 %[1]d 次记录了 CPU 时间，" +
		"没有一次吃紧",
	"k6 used a core or more and may be saturated":          "k6 用满了一个核以上，可能已经饱和",
	"all %d cores were busy":                               "全部 %d 个核都忙",
	"other programs took more than a fifth of a core":      "其他程序占用了超过五分之一个核",
	"the hypervisor took more than a fifth of a core away": "虚拟机管理器抢走了超过五分之一个核",
	"trials far from the others, marked and kept: %s":      "偏离其余较远的试验（已标记，未剔除）：%s",
}
