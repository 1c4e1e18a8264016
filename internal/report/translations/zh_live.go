package translations

import "maps"

// chineseLive are the texts of the page of live and replay, by their English text. %s are values that the page fills in.
var chineseLive = map[string]string{
	"live – h2-keepalive-lab":        "实时页面 – h2-keepalive-lab",
	"Waiting for a run":              "等待运行开始",
	"Start one in another terminal:": "在另一个终端里开始一次运行：",
	", or your own servers:":         "，或启动你自己的服务器：",
	"trials measured":                "已完成的试验",
	"Report":                         "报告",
	"Pause":                          "暂停",
	"Continue":                       "继续",
	"Dark":                           "深色",
	"Light":                          "浅色",
	"Side":                           "画面",
	"side":                           "画面",
	"keep":                           "固定",
	"nothing measured yet":           "还没有测量",
	"New connections, per second":    "每秒新建连接",
	"Requests, per second":           "每秒请求",
	"Goodput, per second":            "每秒有效吞吐",
	"Failed":                         "失败",
	"requests used of the connection's limit":            "连接的上限中已用的请求数",
	"This page needs its script; the report needs none.": "本页面需要启用脚本；报告不需要。",
	"%s failed (%s)": "失败 %s 个（%s）",
	"none failed":    "没有失败",
	"%s: %s connections accepted where %s were expected; %s requests, %s.":         "%s：接受了 %s 条连接，预期 %s 条；%s 个请求，%s。",
	"Last minute: %s new connections for %s requests.":                             "最近一分钟：%[2]s 个请求，新建了 %[1]s 条连接。",
	"about %s × GOAWAY in the last minute":                                         "最近一分钟约 %s 次 GOAWAY",
	"no low limit here":                                                            "这里没有低上限",
	"HTTP/1.1 has no streams":                                                      "HTTP/1.1 没有流",
	"no limit on a connection’s requests":                                          "一条连接的请求数没有上限",
	"about %s × GOAWAY":                                                            "约 %s 次 GOAWAY",
	"%s, one each %s requests":                                                     "%s，每 %s 个请求一次",
	"stream %s of %s · %s":                                                         "流 %s / %s · %s",
	"The client reports failures when its window closes.":                          "测量窗口结束时，客户端才报告失败数。",
	"per second: connections opened, and requests":                                 "每秒：新建的连接，以及请求",
	"window opens":                                                                 "测量窗口开始",
	"%s: new connections and requests per second over %s seconds, %s GOAWAY marks": "%s：%s 秒内每秒的新建连接与请求，%s 个 GOAWAY 标记",
	"Your servers":                                                                 "你的服务器",
	"Played back: %s":                                                              "回放：%s",
	"They were stopped.":                                                           "服务器已停止。",
	"Load one of them from another terminal.":                                      "请在另一个终端里向其中一个施加负载。",
	"The run was interrupted.":                                                     "运行被中断了。",
	"The run has ended.":                                                           "运行已结束。",
	"trial %s of %s: %s":                                                           "第 %s 次试验，共 %s 次：%s",
	"starting servers and probing their limits":                                    "正在启动服务器并探测它们的上限",
}

// LivePage returns the Chinese texts of the page of live and replay, by their English text.
func LivePage() map[string]string { return maps.Clone(chineseLive) }
