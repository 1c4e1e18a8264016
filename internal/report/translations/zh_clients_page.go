package translations

// chineseClientsPage are the headings, tables and sentences of the page of the client matrix.
var chineseClientsPage = map[Phrase]string{
	"# How HTTP clients behave at a limit on requests per connection\n\n": "# HTTP 客户端遇到单连接请求数上限时的表现\n\n",
	"Repeat with: %s · run %s · %s\n\n":                                   "重新测量：%s · 运行 %s · %s\n\n",
	"> **Note:** %s\n\n":                                                  "> **说明**：%s\n\n",
	"\n[Find your error message](#find-your-error-message) · [the matrix](#the-matrix) · [library by " +
		"library](#library-by-library) · [how it was measured](#how-it-was-measured) · " +
		"[limitations](#limitations)\n": "\n[按错误信息查找](#find-your-error-message) · [总表](#the-matrix) · [逐个库" +
		"](#library-by-library) · [如何测量](#how-it-was-measured) · [局限](#limitations)\n",
	"Chart of every client: accepted connections per renewal, failed, duplicate and hung requests, and the verdict. " +
		"%s The " +
		"numbers are in the table below.": "各客户端程序的图：每次更换连接接受的连接数，失败、重复执行和挂起的请求数，以及判定。" +
		"%s数值见下表。",
	"%s client program": "%s 个客户端程序", "%s client programs": "%s 个客户端程序",
	"%s library": "%s 个库", "%s libraries": "%s 个库",
	"%s variant and cure": "%s 个变体和对策", "%s variants and cures": "%s 个变体和对策",
	"%s client": "%s 个客户端", "%s clients": "%s 个客户端",
	"%s message": "%s 条错误信息", "%s messages": "%s 条错误信息",
	"%s core": "%s 个核", "%s cores": "%s 个核",
	"No client program was measured.":          "没有测量任何客户端程序。",
	"%s requests in flight":                    "%s 个在途请求",
	"%s requests a second (%s, a body of %s)":  "每秒 %s 个请求（%s，请求体 %s）",
	"%s requests in flight (%s, a body of %s)": "%s 个在途请求（%s，请求体 %s）",
	"%s kept %s on one ordinary client object %s, against nginx with `keepalive_requests %d`, which ends every " +
		"HTTP/2 " +
		"connection with a GOAWAY after %s requests; what they opened, executed and lost was counted at the servers " +
		"and " +
		"compared with the same client at a limit of 100,000.": "%s各用一个普通的客户端对象保持 %s，%s；访问的 nginx 设置了 " +
		"`keepalive_requests %d`，每条 HTTP/2 连接承载 %s 个请求之后都以 GOAWAY 结束。新建的连接、执行和丢失的请求都" +
		"在服务端" +
		"统计，并与上限为 100,000 时的同一客户端对照。",
	"%s of a processor for each server": "每台服务器 %s 个处理器",
	"seed %d":                           "种子 %d",
	"date unknown":                      "日期未知",
	"until at least %d connections were renewed": "直到至少更换 %d 条连接",
	"for %s": "持续 %s",
	"| Verdict | %s as they come | %s | |\n|:--|--:|--:|:--|\n": "| 判定 | %s（默认设置） | %s | |\n|:--|--:|--:|:--|\n",
	"%d: %s":                "%[2]s %[1]d 个",
	"Nothing was measured.": "没有测量任何数据。",

	"at least five connections were renewed and no request failed or ran twice": "至少更换了五条连接，没有请求失败或执行两遍",
	"opens many more connections than it renews":                                "新建的连接远多于更换的次数",
	"requests fail that would not fail without the limit":                       "有请求失败，而没有上限时不会失败",
	"the backend executes a request more than once":                             "后端把同一个请求执行了不止一次",
	"calls never settle":                                "调用一直没有结果",
	"the program exits during the trial":                "程序在试验中途退出",
	"reports successes that the backend never executed": "报告成功的请求，后端并没有执行过",
	"too few renewals, or it fails without the limit too: the row names the missing fact": "更换连接的次数太少，或者没有上限" +
		"时也失败：该行写明缺少什么",
	"could not run where this was measured": "无法在测量的机器上运行",

	"Find your error message":              "按错误信息查找",
	"No client reported an error at %s.\n": "在 %s 上，没有客户端报告错误。\n",
	"Every error message that a caller got at %s. Numbers and ids in a message vary; the client's section has the " +
		"whole " +
		"messages. *Executed* is what the backend counted.\n\n": "调用方在 %s 上得到的每一条错误信息。信息里的数字和编号每次不同；" +
		"完整的信息见各客户端一节。*是否执行*以后端的统计为准。\n\n",
	"| Message | Client | Executed? | Cure |\n|:--|:--|:--|:--|\n": "| 错误信息 | 客户端 | 是否执行 | 对策 |\n|:--|:--|:--|:--" +
		"|\n",
	"| *no message: %s* | %s | %s | %s |\n": "| *没有错误信息：%s* | %s | %s | %s |\n",
	"the program never ends":                "程序一直不结束",
	"the call never returns":                "调用一直不返回",
	"the program exited":                    "程序退出",
	"in part: %s":                           "部分有效：%s",
	"[the server's limit](#on-the-server)":  "[服务端的上限](#on-the-server)",
	"not executed: safe to send again":      "没有执行：可以重发",
	"may have been executed":                "可能已经执行",
	"the server answered, with an error":    "服务器响应了一个错误",
	"not sent: the client's own machine had no file, port, thread or memory for it": "没有发出：客户端所在机器的文件描述符、" +
		"端口、线程或内存不足",
	"unknown: the text doesn't show it":                   "未知：从错误信息看不出来",
	"not executed (none of the %s)":                       "没有执行（%s 个都没有）",
	"executed, without an answer (all %s)":                "已执行，但没有响应（%s 个全部如此）",
	"some were executed (%s of the client's %s failures)": "有的已执行（该客户端 %[2]s 个失败中的 %[1]s 个）",

	"The matrix": "总表",
	"Measured at %s unless a column says otherwise. %s is an unknown number. The columns are explained " +
		"[below](#terms).\n": "除非列名另有说明，都在 %s 上测量。%s 表示数值未知。每一列的含义见[下文](#terms)。\n",
	"Client": "客户端",
	"A library in one variant, linked to its section. ↳ marks a variant that is meant to cure another.": "某个库的一个变体，" +
		"链接到它的小节。↳ 表示这个变体用来消除另一个变体的故障。",
	"What it is": "说明", "A short description.": "简短的描述。",
	"Verdict": "判定",
	"The worst verdict that applies, and below it the others that apply.": "成立的判定中最严重的一个，其余成立的列在它下面。",
	"Limit": "上限",
	"The limit at which the row was measured: the run's, or a lower one with proportionally fewer requests in " +
		"flight, for a " +
		"client that reached the run's limit too seldom.": "本行测量时的上限：本次运行的上限；如果客户端达到它的次数太少，则是更低的" +
		"上限，在途请求数按比例减少。",
	"Accepted / renewals": "接受/更换",
	"Connections that the server accepted in the window, and how many were renewed: after reaching the limit, or " +
		"before.": "测量窗口内服务端接受的连接数，以及更换了多少条：达到上限之后更换，或者提前更换。",
	"Failed per 1,000":                     "失败/1,000 请求",
	"Failed requests per 1,000 attempted.": "每发起 1,000 个请求中失败的个数。",
	"Executed − distinct: requests that the backend executed a second time.": "执行数 − 不重复的请求数：后端又执行了一遍的" +
		"请求。",
	"Unanswered": "无响应",
	"Executed − succeeded: executions without a good answer to the caller, duplicates included.": "执行数 − 成功数：执行了，" +
		"但调用方没有得到成功的响应，含重复执行的。",
	"Hung": "挂起",
	"Calls that did not settle within the patience; they also count as failed.": "在限定时间内没有结果的调用；也计入失败。",
	"Goodput": "有效吞吐",
	"Successful requests per second, divided by those of the same client at a limit of 100,000. Only indicative: " +
		"one window " +
		"on a shared machine.": "每秒成功的请求数，与上限为 100,000 时的同一客户端之比。仅供参考：在共用的机器上只测" +
		"了一个窗口。",
	"At Envoy": "经由 Envoy",
	"The verdict at Envoy with the same limit. Envoy announces the end of a connection before it enforces it. " +
		"Measured for " +
		"clients that are not sound at nginx.": "经由上限相同的 Envoy 时的判定。Envoy 先通知，再结束连接。只测量经由 nginx 时不" +
		"正常的客户端。",
	"Cure": "对策",
	"The variant that was sound in this run, linked to its code.": "本次运行中判定为正常的变体，链接到它的代码。",

	"Library by library":        "逐个库",
	"\n### %s: the libraries\n": "\n### %s：各个库\n",
	"<a id=\"on-the-server\"></a>\n**On the server**, a higher limit helps every client below. It makes renewals " +
		"rarer; what " +
		"happens at a renewal stays the same:\n\n%s\n": "<a id=\"on-the-server\"></a>\n**在服务端**调高上限，对下面的每个客户端都" +
		"有效。更换连接的次数变少，每次更换时的情况不变：\n\n%s\n",
	"keepalive_requests 100000; # at http or server level: HTTP/2 doesn't read it in a location": "keepalive_requests " +
		"100000; # 写在 http 或 server 一级：HTTP/2 不读取 location 里的值",
	"Measured at %s, where no window had a renewal: of %s with a fault at %s, %s had no lost, duplicate or hung " +
		"request.\n": "在 %[1]s 上测量，测量窗口内都没有更换连接：在 %[3]s 上有故障的 %[2]s，其中 %[4]s 个没有丢失、" +
		"重复执行或挂起的请求。\n",
	"%s on %s":                 "%s，%s",
	"*%s.*\n\n":                "*%s。*\n\n",
	"- **%s**: %s\n":           "- **%s**：%s\n",
	"Also %s":                  "另外，%s",
	"- Near a threshold: %s\n": "- 接近阈值：%s\n",
	"- At %s, with the same limit: **%s**. %s\n":          "- 经由上限相同的 %s：**%s**。%s\n",
	"Requests attempted":                                  "发起的请求",
	"Connections accepted":                                "接受的连接",
	"of them used":                                        "其中用上的",
	"Renewals":                                            "更换连接",
	"Executed by the backend":                             "后端执行的请求",
	"Unanswered executions":                               "执行了但没有响应",
	"Goodput, requests/s":                                 "有效吞吐，请求/秒",
	"The program's error (%s), verbatim:\n\n%s\n":         "程序的错误（%s），原文如下：\n\n%s\n",
	"(no message)":                                        "（没有错误信息）",
	"The errors that its caller gets, verbatim (%s):\n\n": "调用方得到的错误，原文如下（%s）：\n\n",
	"<details><summary>%s more</summary>\n\n":             "<details><summary>另有 %s</summary>\n\n",
	"%s × %s, %s:\n\n%s\n":                                "%s × %s，%s：\n\n%s\n",

	"No cure on the client's side was tried; [raise the server's limit](#on-the-server).\n": "没有尝试客户端一侧的对策；请[调高" +
		"服务端的上限](#on-the-server)。\n",
	"No variant cured it in this run; [raise the server's limit](#on-the-server).\n": "本次运行中没有变体能消除它的故障；请[调高" +
		"服务端的上限](#on-the-server)。\n",
	"%s\nFrom %s, as this variant runs it.\n\n": "%s\n摘自 %s，即这个变体实际运行的代码。\n\n",
	"- Before → after: %s.\n":                   "- 之前 → 之后：%s。\n",
	"Variant":                                   "变体",
	"Partial cure":                              "部分有效的对策",
	"Did not cure":                              "无效的对策",
	"the client that it cures was not part of this run": "本次运行没有测量它所针对的客户端",
	"failed per 1,000 %s → %s, connections accepted for renewals %s for %s → %s for %s, duplicates %s → %s, hung %s " +
		"→ %s, " +
		"goodput %s → %s requests/s": "每 1,000 个请求失败 %s → %s，接受的连接（更换次数）%s（%s）→ %s（%s），重复执" +
		"行 %s → %s，" +
		"挂起 %s → %s，有效吞吐每秒 %s → %s 个请求",

	"Lies": "虚报成功",
	"These report more successes than the backend executed. Ignore the numbers that they report; the servers' " +
		"counts are " +
		"right.\n\n": "这些客户端报告的成功数多于后端执行的请求数。请忽略它们自己报告的数字，以服务端的计数为准。\n\n",
	"- %s: %s\n":                 "- %s：%s\n",
	"- %s, for %s: %s":           "- %s（针对 %s）：%s",
	"Variants that did not cure": "无效的变体",
	"These variants are meant as cures, but this run did not confirm it.\n\n%s\n": "这些变体本来用作对策，但本次运行没有证实其" +
		"效果。\n\n%s\n",
	"Faults without the limit": "没有上限时也有的故障",
	"These show some of their faults at %s too, where no connection is renewed; their sections have the details: " +
		"%s.\n": "这些客户端在 %s 上也有一部分故障，而那里没有更换连接；详见各自的小节：%s。\n",
	"Near a threshold": "接近阈值",
	"Each of these has a number near a threshold, so another run may give another verdict.\n\n": "这些客户端各有一个数接近阈值，" +
		"再测一次可能得出另一种判定。\n\n",
	"These could not run on the measured machine and have no verdict.\n\n": "这些程序无法在测量的机器上运行，因此没有判定。\n\n",
}
