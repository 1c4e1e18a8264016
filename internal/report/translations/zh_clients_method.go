package translations

// chineseClientsMethod is the end of that page: how it was measured, its limitations and its terms.
var chineseClientsMethod = map[Phrase]string{
	"- **All programs take the same flags** and keep one client object, as an ordinary application does. %s " +
		"requests are in " +
		"flight in a closed loop; after a warm-up of %s from an empty pool the window lasts %s.\n": "- **所有程序接受同样的参数**，" +
		"像普通应用那样只用一个客户端对象。采用闭环方式，保持 %s 个请求在途；从空的连接池开始预热 %s，之后的测量窗口" +
		"为%s。\n",
	"- **All programs take the same flags** and keep one client object, as an ordinary application does. %s " +
		"requests arrive in a second, whether or not earlier ones are answered, and latency counts from when a " +
		"request was due; after a warm-up of %s from an empty pool the window lasts %s.\n": "- **所有程序接受同样的参数**，" +
		"像普通应用那样只用一个客户端对象。采用开环方式，不论先前的请求是否已收到响应，每秒到来 %s 个请求，延迟从请求到期" +
		"的时刻起算；从空的连接池开始预热 %s，之后的测量窗口为%s。\n",
	"- **The servers**: nginx with `keepalive_requests %d` (%s), nginx with 100,000 (%s), which no window reaches, " +
		"and, for " +
		"clients with a fault at the first, Envoy with `max_requests_per_connection: %d` (%s). nginx sends one " +
		"GOAWAY and drops " +
		"streams above its last-stream-id; Envoy announces the GOAWAY first.\n": "- **服务器**：设置 `keepalive_requests %d` 的 " +
		"nginx（%s）；设为 100,000 的 nginx（%s），没有一个窗口达到这个上限；对于在第一台上有故障的客户端，还有设置 " +
		"`max_requests_per_connection: %d` 的 Envoy（%s）。nginx 只发一个 GOAWAY，丢弃编号大于 last-stream-id 的流；" +
		"Envoy 则先" +
		"发 GOAWAY 通知。\n",
	"- **A client that used up too few connections** in such a window is measured again at a limit of %d, with " +
		"proportionally " +
		"fewer requests in flight; its row names that limit. Variants that rely on the run's limit are not.\n": "- **用满的连接太少" +
		"的客户端**，会在上限 %d 下重新测量，在途请求数按比例减少；它的行里写明这个上限。依赖本次运行上限的变体不重" +
		"新测量。\n",
	"- **The server counts the connections that it accepts**, while the client is paused. Every request has an id, " +
		"and the " +
		"backend counts what it executed and how often.\n": "- **连接数由接受连接的服务端统计**，统计时客户端暂停。每个请求都有 " +
		"id，后端统计执行了哪些请求、各执行几次。\n",
	"- **A verdict needs a difference**: what a client also does at %s is not caused by the limit. " +
		"`internal/judge/clientverdicts/rule_*.go` has the thresholds and their reasons.\n": "- **有差别才下判定**：客户端在 %s 上" +
		"也有的表现，不是上限造成的。阈值及其理由见 `internal/judge/clientverdicts/rule_*.go`。\n",
	"- **A call is hung** if it did not settle within the harness's patience; the libraries' own timeouts have their " +
		"defaults.\n": "- **挂起的调用**，指在测试程序等待的时间内没有结果；各个库自己的超时都取默认值。\n",
	"- **A snippet is the code that its variant runs**: the run copies it from the program's source.\n": "- **代码片段就是该变体" +
		"实际运行的代码**：由本次运行从程序的源文件中复制。\n",
	"- **Trials**: %s of every cell, in an order drawn from seed %d. TLS %s, %s keys, certificates verified.\n\n": "- **试验**：每个" +
		"单元 %s，顺序由种子 %d 随机决定。TLS %s，使用 %s 密钥，校验证书。\n\n",
	"of an unknown version": "版本未知",
	"until at least %d connections were renewed, at least %s and at most 15 s": "更换至少 %d 条连接为止，不少于 %s，不超过 15 " +
		"s",

	"Limitations": "局限",
	"Each row is from one short window of one trial": "每一行都来自一次试验的一个短窗口",
	"Each row is from %d short windows":              "每一行来自 %d 个短窗口",
	"- %s. **Counts** (connections, failures, duplicates, hung calls) vary between runs, but the verdicts repeat; " +
		"**times and " +
		"goodput are only indicative**.\n": "- %s。各次运行的**计数**（连接、失败、重复执行、挂起）不尽相同，但判定可以重现；**耗时" +
		"和有效吞吐仅供参考**。\n",
	"- Client, proxy and backend shared %s. A client that is slow here reaches the limit less often than on a larger " +
		"machine.\n": "- 客户端、代理和后端共用 %s。在这里运行得慢的客户端，达到上限的次数少于在更大的机器上。\n",
	"- **Another version may differ.** A row is about one version; its section names the version that the library " +
		"reported.\n": "- **换一个版本，结果可能不同**：每一行只针对一个版本，库自己报告的版本见它的小节。\n",
	"- *Sound* means that this load, one byte posted to one host, showed no fault. Neither *sound* nor a fault says " +
		"anything " +
		"about the rest of the library.\n": "- *正常*只表示在这种负载下（向一台主机 POST 一个字节）没有发现故障。不论*正常*还是有故" +
		"障，都不说明这个库的其余部分如何。\n",
	"- A request that failed without having been executed can always be sent again (RFC 9113 §8.7). One that may " +
		"have been " +
		"executed can be sent again only if it is idempotent.\n": "- 失败而没有执行的请求，总是可以重发（RFC 9113 §8.7）。可能已经" +
		"执行的请求，只有幂等时才能重发。\n",
	"Terms":                       "术语",
	"| Verdict | |\n|:--|:--|\n":  "| 判定 | |\n|:--|:--|\n",
	"\n| Column | |\n|:--|:--|\n": "\n| 列 | |\n|:--|:--|\n",
	"\n*Renewal*: the replacement of a connection that has reached its limit. *Accepted*: counted by the server.\n": "\n*更换连接*" +
		"：一条连接达到上限之后，改用新的连接。*接受*：由服务端统计。\n",
}
