package translations

// chineseCommand are the results and the guidance of the command h2lab.
var chineseCommand = map[Phrase]string{
	"%s has no Chinese output yet; its output is English": "%s 还没有中文输出，以下为英文",

	"kept %s": "保留了 %s",
	"your limit comes from SEED=%s; servers that are up keep theirs until %s": "你的上限由 SEED=%s 决定；正在运行的服务" +
		"器沿用原来的上限，直到执行 %s",
	"%s/ has %d files to begin with, of which %d were there and were left as they are.\nnext: %s, then %s\n": "%s/ 中有 %d " +
		"个起始文件，其中 %d 个已经存在，保持原样。\n下一步：%s，然后 %s\n",
	"exercise %d is done: %s.\n":                           "练习 %d 已完成：%s。\n",
	"exercise %d isn't done yet: %s.\n":                    "练习 %d 还没有完成：%s。\n",
	"hint: %s\n":                                           "提示：%s\n",
	"stopped the mystery server":                           "已停止未知服务器",
	"no mystery server is running":                         "没有正在运行的未知服务器",
	"%s runs until %s\nnext: h2lab probe %s --cacert %s\n": "%s 运行到 %s\n下一步：h2lab probe %s --cacert %s\n",

	"LIMIT=%s isn't used: FOR=learner has a limit of its own": "没有使用 LIMIT=%s：FOR=learner 有自己的上限",
	"taken from this shell's environment: %s; to leave it out: unset %s": "取自当前 shell 的环境变量：%s；不想使用时执行：" +
		"unset %s",
	"%s\thttps://%s\tcounters http://%s\t%s\n": "%s\thttps://%s\t计数器 http://%s\t%s\n",
	"\nTry:\n  curl --cacert %[1]s --http2 -d 1 https://%[2]s/echo\n" +
		"  curl --cacert %[1]s --http1.1 -sv -d 1 https://%[2]s/echo 2>&1 | grep -i connection\n" +
		"  curl -s http://%[3]s\nStop everything with: %[4]s\n": "\n试一试：\n" +
		"  curl --cacert %[1]s --http2 -d 1 https://%[2]s/echo\n" +
		"  curl --cacert %[1]s --http1.1 -sv -d 1 https://%[2]s/echo 2>&1 | grep -i connection\n" +
		"  curl -s http://%[3]s\n全部停止：%[4]s\n",
	"stopped the server of exercise 10": "已停止练习 10 的服务器",

	"open it in a browser; Ctrl-C ends it":                      "请在浏览器中打开；按 Ctrl-C 结束",
	"this run has no timelines to play back; its page is drawn": "这次运行没有可以回放的时间线；已生成它的页面",

	"missing: %s":                   "缺少：%s",
	"Note: %s":                      "注意：%s",
	"The page: %s":                  "页面：%s",
	"%d library as it comes: %s":    "%d 个库（默认设置）：%s",
	"%d libraries as they come: %s": "%d 个库（默认设置）：%s",
	"%d variant or cure: %s":        "%d 个变体和对策：%s",
	"%d variants and cures: %s":     "%d 个变体和对策：%s",
	"%d %s":                         "%d 个%s",
	" (limit %d)":                   "（上限 %d）",
	"%s%s: %s":                      "%s%s：%s",

	"report: %s":                     "报告：%s",
	"and %s row more in the report":  "另有 %s 行见报告",
	"and %s rows more in the report": "另有 %s 行见报告",
	"nothing was measured":           "没有测量任何内容",

	"verify  %s: probing the limit on the wire": "验证  %s：在实际通信中探测上限",
	"rate    %s: its closed loop":               "速率    %s：它的闭环",
	"%3d/%d  %s, trial %d, %s left":             "%3d/%d  %s，试验 %d，还需 %s",
	"%s, trial %d, %s left":                     "%s，试验 %d，还需 %s",
}

// chineseDoctor are the rows of doctor. Reasons that programs give stay English.
var chineseDoctor = map[Phrase]string{
	"%s\tmissing\t%v\n":                          "%s\t缺少\t%v\n",
	"%s\tmissing\t%s (%s)\n":                     "%s\t缺少\t%s（%s）\n",
	"%s\tunknown\t%v\n":                          "%s\t未知\t%v\n",
	"ports\tfree\t\n":                            "端口\t空闲\t\n",
	"port\ttaken\t%s\n":                          "端口\t被占用\t%s\n",
	"certificates\tgood\t\n":                     "证书\t正常\t\n",
	"certificates\tnot good yet\t%v\n":           "证书\t还不可用\t%v\n",
	"machine\t%d cores, %d MB\t%s, %s\n":         "机器\t%d 核，%d MB\t%s，%s\n",
	"CPU budget\t%s\t\n":                         "CPU 配额\t%s\t\n",
	"Docker\tnot usable\t%v\n":                   "Docker\t不可用\t%v\n",
	"Docker\tusable\t%s\n":                       "Docker\t可用\t%s\n",
	"; it can't limit processor time: CPUS=none": "；无法限制 CPU 时间：CPUS=none",
	"to be built":                                "待构建",
	"built":                                      "已构建",
	"%s\t%d rows\t%s\n":                          "%s\t%d 行\t%s\n",
	"native runtime\tnot here\t%v\n":             "本机运行\t不支持\t%v\n",
	"commands\trun here\t%s\n":                   "命令\t可直接运行\t%s\n",
	"commands\twith Docker\t%s\n":                "命令\t需要 Docker\t%s\n",
	"commands\tin the lab container\t%s\n":       "命令\t在实验容器中\t%s\n",

	"apt install curl":           "apt install curl",
	"apt install openssl":        "apt install openssl",
	"apt install make":           "apt install make",
	"apt install nghttp2-client": "apt install nghttp2-client",
	"install Go 1.26 or newer: https://go.dev/doc/install": "安装 Go 1.26 或更新的版本：https://go.dev/doc/install",
	"all chapters":                       "所有章节",
	"the certificates; chapters 2 and 9": "证书；第 2 章和第 9 章",
	"all chapters; without it: bin/h2lab up, down, workshop, step": "所有章节；没有它时用：bin/h2lab up、down、workshop、" +
		"step",
	"chapters 5 and 8":       "第 5 章和第 8 章",
	"chapter 1, one command": "第 1 章的一条命令",
}
