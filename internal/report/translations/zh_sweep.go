package translations

// chineseSweep are the sentences about a sweep's callers and its published figures.
var chineseSweep = map[Phrase]string{
	"Callers by number of users":                     "不同用户数下的调用方",
	"Servers with all requests at once":              "所有请求同时到达时的服务端",
	"Blocking and reactive callers by backend delay": "不同后端延迟下的阻塞式与响应式调用方",
	"Servers by the way a request waits":             "不同等待方式的服务端",

	"at %s users":          "%s 个用户时",
	"with a wait of %s ms": "等待 %s ms 时",
	"with %s threads at a backend delay of %s ms": "%s 个线程、后端延迟 %s ms 时",
	"at %s users with a wait of %s ms":            "%s 个用户、等待 %s ms 时",
	"%s threads":                                  "%s 个线程",
	"%s threads × %s ms":                          "%s 个线程 × %s ms",
	"%s users × %s ms":                            "%s 个用户 × %s ms",
	" (%s)":                                       "（%s）",

	"%s %s answered %s requests/s (p95 %s ms, %s), %s %s (p95 %s ms, %s), %s": "%s，%s 每秒完成 %s 个请求（p95 %s ms，%s），%s " +
		"每秒完成 %s 个（p95 %s ms，%s），前者为后者的 %s",
	"%s of %s requests failed": "%[2]s 个请求中失败 %[1]s 个",
	"%s %s answered all %s requests in %s s, %s in %s s, %s": "%s，%s 完成全部 %s 个请求用时 %s s，%s 用时 %s s，后者" +
		"为前者的 %s",
	"%s %s had a p99 of %s ms, %s of %s ms, %s":           "%s，%s 的 p99 为 %s ms，%s 为 %s ms，后者为前者的 %s",
	"%s a request took %s ms on %s and %s ms on %s, %s":   "%[1]s，%[3]s 每个请求平均 %[2]s ms，%[5]s 平均 %[4]s ms，后者为前者的 %[6]s",
	"; all cores were busy, so the machine was the limit": "；全部核都已占满，瓶颈是机器",
	"%s failed first %s: %s of %s requests there%s.":      "%[1]s 首次失败（%[2]s）：%[4]s 个请求中失败 %[3]s 个%[5]s。",
	"%s was not measured with %s users or more: %s.":      "%s 在 %s 个用户及以上没有测量：%s。",
	"Without a proxy, none of %s requests failed.":        "没有代理时，%s 个请求无一失败。",
	"%s had the higher throughput than %s in %s of %s pairs (median %s): too few to locate where the order " +
		"changes.": "%[1]s 的吞吐高于 %[2]s 的有 %[3]s 对，共 %[4]s 对（中位数 %[5]s）：配对太少，无法确定从哪里开始反转。",
	"%s had the higher throughput than %s up to the largest delay, in %s of %s pairs (median %s).": "直到最大的延迟，%s " +
		"的吞吐都高于 %s：%[4]s 对中有 %[3]s 对（中位数 %[5]s）。",
	"%s had the higher throughput than %s in %s of %s pairs (median %s), and in no %s neighbouring ones together.": "%s " +
		"的吞吐高于 %s 的：%[4]s 对中有 %[3]s 对（中位数 %[5]s），没有连续 %[6]s 对都如此。",
	"Below %s ms %s had the higher throughput than %s in %s of %s pairs (median %s), from there on in %s of %s (median " +
		"%s).": "%[1]s ms 以下，%[2]s 的吞吐高于 %[3]s 的：%[5]s 对中有 %[4]s 对（中位数 %[6]s）；从该延迟起，%[8]s 对中有 " +
		"%[7]s 对（中位数 %[9]s）。",

	"errors":                    "出错",
	"latency":                   "变慢",
	"errors and latency":        "出错且变慢",
	"hides it":                  "用户无感",
	"hides it, with duplicates": "用户无感，但有重复执行",
	"can't be told":             "无法判断",
	"not measured":              "未测量",

	"%s was measured at no place behind both limits.": "%s 没有在两种上限下都测量过的位置。",
	"No connection of %s reached the limit of %s: its %s requests were spread over too many connections for the length of " +
		"the windows. So the run shows nothing about its renewals.": "%s 的连接都没有用满 %s 的上限：%s 个请求分散在太多连接" +
		"上，窗口又不够长。因此本次运行说明不了更换连接的影响。",
	"%s: %s of the %s is too little for a statement over %s; %s of %s requests failed.": "%[1]s：与经由高上限时的%[3]s之比" +
		"为 %[2]s，只有 %[4]s，不足以下结论；%[6]s 个请求中失败 %[5]s 个。",
	"the %s is %s as high behind %s as behind %s (%s)": "经由 %[3]s 时的%[1]s是经由 %[4]s 时的 %[2]s（%[5]s）",
	"%s of %s requests failed behind %s%s, %s of %s behind %s": "经由 %[3]s 时 %[2]s 个请求中失败 %[1]s 个%[4]s，经由 " +
		"%[7]s 时 %[6]s 个中失败 %[5]s 个",
	"%s: whether a connection reached the limit is unknown; the %s is %s as high behind %s as behind %s.": "%[1]s：不知道有没" +
		"有连接用满上限；经由 %[4]s 时的%[2]s是经由 %[5]s 时的 %[3]s。",
	"p95":               " p95 ",
	"p99":               " p99 ",
	"no request failed": "没有请求失败",
	"in %s of %s trials behind %s the service or its load generator failed": "经由 %[3]s 的 %[2]s 次试验中，有 %[1]s 次服务或" +
		"负载生成器本身失败",
	"the backend executed %s requests more than once":             "后端把 %s 个请求执行了不止一次",
	"%s accepted %s connections where %s were expected":           "%s 接受了 %s 条连接，预期只需 %s 条",
	"%s turns the limit into errors":                              "%s 因上限而出错",
	"%s turns the limit into latency":                             "%s 因上限而变慢",
	"%s turns the limit into errors and latency":                  "%s 因上限而出错且变慢",
	"%s hides the limit from its users, and sends requests twice": "%s 的用户察觉不到上限，但有请求发了两次",
	"%s hides the limit from its users":                           "%s 的用户察觉不到上限",
	"time until all are answered":                                 "总用时",
	"mean time":                                                   "平均时间",
	"There are too few pairs to tell from which delay on the limit stops mattering.": "配对太少，无法判断从多大的延迟起" +
		"上限不再有影响。",
	"It matters up to the largest measured delay: the %s was higher in %s of %s pairs.": "直到测量的最大延迟都有影响：" +
		"%[3]s 对中有 %[2]s 对的%[1]s更高。",
	"No delay stands out: the %s was higher in %s of %s pairs, and in no %s neighbouring ones together.": "没有哪个延迟可以" +
		"作为分界：%[3]s 对中有 %[2]s 对的%[1]s更高，但没有连续 %[4]s 对都如此。",
	"From a delay of %s ms on the limit stops mattering: below, the %s was higher in %s of %s pairs (median %s), from " +
		"there on in %s of %s (median %s).": "从 %[1]s ms 的延迟起，上限不再有影响：在此以下，%[4]s 对中有 %[3]s 对的" +
		"%[2]s更高（中位数 %[5]s）；从该延迟起，%[7]s 对中有 %[6]s 对（中位数 %[8]s）。",
	"%s: %s (%s)":                 "%s：%s（%s）",
	"%s of %s":                    "%[2]s 个中有 %[1]s 个",
	"%s pair":                     "%s 对",
	"%s pairs":                    "%s 对",
	"not up to the largest delay": "到最大延迟仍有影响",
	"no delay stands out":         "没有明显的分界",

	"A published load test of RestTemplate on a thread pool, AsyncRestTemplate and WebClient in a Spring service, whose " +
		"backend answers after 100 ms.": "公开发表的压测：一个 Spring 服务分别使用线程池上的 RestTemplate、AsyncRestTemplate " +
		"和 WebClient，后端在 100 ms 后响应。",
	"A published comparison of Spring MVC and WebFlux that sends 10,000 requests at once.": "公开发表的 Spring MVC 与 " +
		"WebFlux 对比，同时发出 10,000 个请求。",
	"低延时场景不要用 Webflux (2020-04-12): JMeter, a JSON body of 800 bytes, Apache HttpClient with 300 connections against " +
		"WebFlux, both with a heap of 4 GB.": "《低延时场景不要用 Webflux》（2020-04-12）：JMeter，800 字节的 JSON 请求体，" +
		"300 条连接的 Apache HttpClient 对比 WebFlux，堆均为 4 GB。",
	"A published comparison of asynchronous Spring controllers with `ab -k`.": "公开发表的 Spring 异步控制器对比，用 " +
		"`ab -k` 压测。",
	"req/s at 800 users, WebClient ÷ RestTemplate":         "800 个用户时的 req/s，WebClient ÷ RestTemplate",
	"req/s at 800 users, AsyncRestTemplate ÷ RestTemplate": "800 个用户时的 req/s，AsyncRestTemplate ÷ RestTemplate",
	"p95 at 800 users, RestTemplate ÷ AsyncRestTemplate":   "800 个用户时的 p95，RestTemplate ÷ AsyncRestTemplate",
	"threads at 800 users, RestTemplate ÷ WebClient":       "800 个用户时的线程数，RestTemplate ÷ WebClient",
	"req/s of WebClient, 5,000 users ÷ 800 users":          "WebClient 的 req/s，5,000 个用户 ÷ 800 个用户",
	"time of WebFlux, wait of 1,000 ms ÷ wait of 50 ms":    "WebFlux 的用时，等待 1,000 ms ÷ 等待 50 ms",
	"time at a wait of 50 ms, Spring MVC with 200 threads ÷ WebFlux": "等待 50 ms 时的用时，200 个线程的 Spring MVC ÷ " +
		"WebFlux",
	"mean time at 100 users and 10 ms, CompletableFuture on the default pool ÷ synchronous": "100 个用户、10 ms 时的平均时间，" +
		"默认线程池上的 CompletableFuture ÷ 同步",
	"mean time at 100 users and 10 ms, CompletableFuture on 500 threads ÷ synchronous": "100 个用户、10 ms 时的平均时间，500 " +
		"个线程上的 CompletableFuture ÷ 同步",
	"mean time at 800 users, CompletableFuture on 500 threads ÷ the wait of 500 ms": "800 个用户时的平均时间，500 个线程上的 " +
		"CompletableFuture ÷ 500 ms 的等待",
	"mean time at 1,000 users, Flux ÷ the wait of 500 ms": "1,000 个用户时的平均时间，Flux ÷ 500 ms 的等待",
	"mean time of Flux at a wait of 500 ms, 2,000 users ÷ 1,000 users": "等待 500 ms 时 Flux 的平均时间，2,000 个用户 ÷ " +
		"1,000 个用户",
	" (trials: %s to %s)":    "（各次试验：%s 至 %s）",
	", with failed requests": "，其中有失败的请求",
	"WebClient with 200 connections and 1,000 pending requests fails with `%s` from %s users on": "有 200 条连接、1,000 个排" +
		"队请求的 WebClient 从 %[2]s 个用户起报 `%[1]s`",
	"from %s users on: %s of %s requests failed there": "从 %s 个用户起：此时 %[3]s 个请求中失败 %[2]s 个",
	"not up to %s users": "直到 %s 个用户都没有",
	"with a wait of 1,000 ms Spring MVC fails and WebFlux doesn't": "等待 1,000 ms 时 Spring MVC 失败，WebFlux 不失败",
	"Spring MVC failed %s of %s requests, WebFlux %s of %s": "Spring MVC 在 %[2]s 个请求中失败 %[1]s 个，WebFlux 在 %[4]s " +
		"个中失败 %[3]s 个",
	"blocking is ahead below 10 ms, WebFlux above": "10 ms 以下阻塞式领先，以上 WebFlux 领先",

	"%s, as published: %s": "%s，公开发表的比值为 %s",
	"Compare the ratio, not the rates: the published numbers belong to another machine.": "只比较比值，不比较绝对值：公开" +
		"发表的数字来自另一台机器。",
	"all cores were busy in one of the cells":       "其中一个单元的全部核都已占满",
	"Read the sweep's table.":                       "查看该项扫描的表格。",
	"%s behind %s, %s":                              "%[3]s：经由 %[2]s 的 %[1]s",
	"more failures, or a higher %s, than behind %s": "失败多于经由 %[2]s 时，或者%[1]s更高",
	"Raise keepalive_requests on the server.":       "调高服务端的 keepalive_requests。",
	"too few for an interval: %s":                   "不足以给出置信区间：%s",
}
