package translations

// chineseClients are the verdicts on client programs, with their reasons and the outcomes of cures.
var chineseClients = map[Phrase]string{
	"lies": "虚报成功", "crashes": "崩溃", "hangs": "挂起", "duplicates requests": "重复执行请求",
	"loses requests": "丢失请求", "stampedes": "出现连接风暴", "sound": "正常",

	"%s call": "%s 次调用", "%s calls": "%s 次调用",
	"%s hung call": "%s 次挂起的调用", "%s hung calls": "%s 次挂起的调用",
	"%s failed request": "%s 个失败的请求", "%s failed requests": "%s 个失败的请求",
	"%s duplicate": "%s 个重复执行的请求", "%s duplicates": "%s 个重复执行的请求",
	"%s answered request": "%s 个得到响应的请求", "%s answered requests": "%s 个得到响应的请求",
	"%s success": "%s 个成功", "%s successes": "%s 个成功",
	"none of 0": "0 个中没有",

	"its program ended in the middle of the trial":              "程序在试验中途结束",
	"its program never ended":                                   "程序一直没有结束",
	" (%s of %s trials)":                                        "（%[2]s 次试验中的 %[1]s 次）",
	"; it does so at %s as well, so the limit is not the cause": "；在 %s 上也是如此，因此与上限无关",

	"%s ran twice; as many do at %s, so the limit is not the cause": "%s执行了两遍；在 %s 上同样这么多，因此与上限无关",
	"the backend executed %s a second time (%s in 1,000)":           "后端把 %s又执行了一遍（每 1,000 个中 %s 个）",
	"only %s: another run may have none":                            "只有 %s：再测一次可能没有",
	"%s never settled (%s in 1,000)":                                "%s一直没有结果（每 1,000 次中 %s 次）",
	"%s never settled; as many never settle at %s, so the limit is not the cause": "%s一直没有结果；在 %s 上同样这么多，" +
		"因此与上限无关",
	"%s: a longer run would show whether the limit is the cause": "%s：运行更久，才能判断原因是不是上限",

	"%s of %s fail at %s already: its own failures hide the limit's effect": "在 %[3]s 上，%[2]s中已有 %[1]s 个失败：" +
		"客户端自身的失败掩盖了上限的影响",
	"the limit of its front isn't known": "不知道入口代理的上限",
	"neither renewals nor connections were counted: measure it behind a server with counters": "更换连接的次数和连接数都" +
		"没有统计：请经由带计数器的服务器测量",
	"only %s: another run may have too few":                            "%s，次数偏少：再测一次可能不够",
	"%s in the window, and %d must be seen: %s":                        "测量窗口内%s，而至少要有 %d 次：%s",
	" are too few to use up %d connections of %s":                      "不足以用满 %d 条上限为 %s 的连接",
	" are spread over so many connections that hardly any was used up": "分散在太多连接上，几乎没有一条用满",
	"; measure again with DURATION=30s":                                "；请用 DURATION=30s 重新测量",
	"; measure again with LIMIT=%d":                                    "；请用 LIMIT=%d 重新测量",
	"no trial has figures":                                             "没有一次试验有数据",
	"its program did not start in time, so nothing was measured; try a less busy machine: %s": "程序没有及时启动，因此没有" +
		"测量；请换一台不太繁忙的机器：%s",

	"it reports %s, but the backend executed %s: %s too many": "它报告 %s，而后端执行了 %s：多报 %s 个",

	"%s failed (%s in 1,000)":                               "%s失败（每 1,000 个中 %s 个）",
	"%s failed, and from %.0f on it counts as losing":       "%s失败，达到 %.0f 个即判定为丢失请求",
	"%s; as many fail at %s, so the limit is not the cause": "%s；在 %s 上同样这么多，因此与上限无关",
	"%s, fewer than one in ten renewals or one in 1,000 requests: a longer run would show whether the limit is the " +
		"cause": "%s，平均十次更换连接不到一个，每 1,000 个请求也不到一个：运行更久，才能判断原因是不是上限",
	", %.1f at each of %s":                   "，%[2]s，平均每次 %.1[1]f 个",
	"; the backend executed none of them":    "；后端一个也没有执行",
	"; the backend had executed all of them": "；后端已全部执行",
	"; the backend had executed %s of them, but the client received no answer": "；其中 %s 个后端已经执行，但客户端没有得到" +
		"响应",

	"%s opened, and from %s on it counts as a stampede": "新建 %s，达到 %s 条即判定为连接风暴",
	"%s opened for %s": "%[2]s，新建 %[1]s",
	"%s opened for %s: either a pool that spread its requests once, or a stampede": "%[2]s，新建 %[1]s：可能只是连接池" +
		"把请求分散了一次，也可能是连接风暴",
	"%s opened for %s, and %s opened at %s already: its own dials hide the limit's effect": "%[2]s新建 %[1]s，而在 %[4]s " +
		"上已新建 %[3]s 条：客户端自身的建连掩盖了上限的影响",
	"%s opened for %s; it opens as many at %s, so the limit is not the cause": "%[2]s，新建 %[1]s；在 %[3]s 上同样新建这么" +
		"多，因此与上限无关",
	", %s of them used": "，其中用上 %s 条",

	"%s failed because the client's own machine had no file, port, thread or memory for them: raise its limits " +
		"(ulimit -n) " +
		"or lower CONCURRENCY, and run again": "%s失败，原因是客户端所在机器的文件描述符、端口、线程或内存不足：请提高该机器" +
		"的资源上限（ulimit -n）或降低 CONCURRENCY，然后重新运行",
	"its machine had no file, port, thread or memory for the program: %s": "程序所在机器的文件描述符、端口、线程或内存" +
		"不足：%s",
	"it was not measured at %s, so the limit's effect can't be separated from the client's own behaviour": "没有在 %s 上" +
		"测量，因此无法区分上限的影响与客户端自身的行为",
	"the client sends no request ids, so duplicates can't be counted": "客户端不发送请求 id，因此无法统计重复执行",
	"%s answered":          "%s得到响应",
	", %s accepted for %s": "，%[2]s，接受 %[1]s",
	", none failed":        "，没有失败",
	", %s failed":          "，失败 %s 个",
	", none ran twice":     "，没有重复执行",
	"at %s: %s":            "在 %s 上：%s",
	"it was not measured at %s: the run ended before it, or was not asked for it": "没有在 %s 上测量：运行在此之前结束，或者" +
		"没有要求测量",

	"nothing to cure in this run: %s is %s":           "本次运行没有需要消除的故障：%s 的判定为“%s”",
	", and this one %s":                               "，而这个变体%s",
	"cured: it is sound":                              "已消除，判定为正常",
	"it could not run here, so its effect is unknown": "无法在此运行，因此效果未知",
	"cured: %s opened in place of %s; it reached the limit too seldom to say more": "已消除：新建 %s，原来是 %s 条；达到上限" +
		"的次数太少，其余无从判断",
	"its effect is unknown: %s":                      "效果未知：%s",
	"partial cure: it no longer %s, but it still %s": "部分消除，不再%s，但仍然%s",
	"did not cure: it %s":                            "没有消除，%s",
	"still %s":                                       "仍然%s",
	"%s instead":                                     "改为%s",
	"still %s and now %s as well":                    "仍然%s，还%s",
}
