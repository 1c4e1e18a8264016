package translations

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// Messages returns a writer for the lab's messages to the user, whole lines of English. It writes them in the language;
// a line without a translation stays English.
func (l Language) Messages(to io.Writer) io.Writer {
	if l != Chinese {
		return to
	}
	return translated{to, messageForms()}
}

// translated translates whole lines whose forms it has.
type translated struct {
	to    io.Writer
	forms []form
}

func (t translated) Write(b []byte) (int, error) {
	var out strings.Builder
	for line := range bytes.Lines(b) {
		bare := strings.TrimSuffix(string(line), "\n")
		if zh, ok := matched(bare, t.forms); ok {
			bare = zh
		}
		out.WriteString(bare + strings.Repeat("\n", bytes.Count(line, []byte("\n"))))
	}
	if _, err := io.WriteString(t.to, out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

var messageForms = sync.OnceValue(func() []form {
	return compiled(merged([]map[Phrase]string{chineseMessages, chineseMessageParts}))
})

// chineseMessages are the messages of internal/lab/runs.
var chineseMessages = map[Phrase]string{
	"h2lab: %s in the %s runtime (%s); %s, seed %d":    "h2lab: 以 %[2]s 方式运行 %[1]s（%[3]s）；%[4]s，种子 %[5]d",
	"h2lab: %s in the native runtime; %s, %s, seed %d": "h2lab: 以 native 方式运行 %s；%s，%s，种子 %d",
	"h2lab: clients in the %s runtime (%s); %d ecosystems, %d rows, seed %d": "h2lab: 以 %s 方式运行 clients（%s）；%d 个生" +
		"态，%d 行，种子 %d",
	"h2lab: SWEEP=%s: %s, seed %d; about %s once the services are built": "h2lab: SWEEP=%s：%s，种子 %d；服务构建完成后大约需" +
		"要 %s",
	"h2lab: up in the %s runtime (%s)":                                   "h2lab: 已开始以 %s 方式启动（%s）",
	"h2lab: %s is unsupported here: %s":                                  "h2lab: 这里不支持 %s：%s",
	"h2lab: clients/%s is unsupported here: %s":                          "h2lab: 这里不支持 clients/%s：%s",
	"h2lab: clients/%s is unsupported here: %v":                          "h2lab: 这里不支持 clients/%s：%v",
	"h2lab: building clients/%s (once)":                                  "h2lab: 正在构建 clients/%s（只需一次）",
	"h2lab: building %s (once; some minutes)":                            "h2lab: 正在构建 %s（只需一次，要几分钟）",
	"h2lab: %s %s: getting it (once; some minutes)":                      "h2lab: 正在获取 %s %s（只需一次，要几分钟）",
	"h2lab: starting %d services":                                        "h2lab: 正在启动 %d 个服务",
	"h2lab: starting the services again":                                 "h2lab: 正在重新启动服务",
	"h2lab: SWEEP=%s: %s at %s, seed %d; about %s":                       "h2lab: SWEEP=%s：%s，%s，种子 %d；大约需要 %s",
	"h2lab: starting the servers again with a certificate of the key %s": "h2lab: 正在用 %s 密钥的证书重新启动服务器",
	"h2lab: warning: a place is not measured: %v":                        "h2lab: 警告：有一个位置没有测量：%v",
	"h2lab: warning: only places without a distance are measured: %v":    "h2lab: 警告：只测量没有距离的位置：%v",
	"h2lab: warning: %v; starting the servers again":                     "h2lab: 警告：%v；正在重新启动服务器",
	"h2lab: RATE=%s: measuring the closed loop of each cell first, %s":   "h2lab: RATE=%s：先测量每个单元的闭环，%s",
	"h2lab: RATE=%s is %s requests/s: %s had the least goodput in its closed loop, %s requests/s": "" +
		"h2lab: RATE=%s 即每秒 %s 个请求：%s 在闭环下的有效吞吐量最低，每秒 %s 个请求",
	"h2lab: RATE=%s leaves out %s, which can't send requests on a schedule": "h2lab: RATE=%s 不包括 %s：它不能按时间表发送请求",
	"h2lab: RATE=%s leaves out %s, whose users wait for their answers":      "h2lab: RATE=%s 不包括 %s：它的用户要等待响应",
	"h2lab: warming %s up": "h2lab: 正在预热 %s",
	"h2lab: warning: %s":   "h2lab: 警告：%s",
	"h2lab: warning: %v":   "h2lab: 警告：%v",
	"h2lab: warning: %s can't be read and is removed; servers are looked for without it": "h2lab: 警告：%s 无法读取，已删除；" +
		"将直接查找正在运行的服务器",
	"h2lab: not stopped: %v": "h2lab: 没有停止：%v",
	"h2lab: not stopped: the servers in %s run in the lab container; stop them there (make down), or leave the container": "" +
		"h2lab: 没有停止：%s 中的服务器运行在实验容器里；请在容器中停止（make down），或退出容器",
	"h2lab: no server is running":       "h2lab: 没有正在运行的服务器",
	"h2lab: stopped the native servers": "h2lab: 已停止本机的服务器",
	"h2lab: stopped the containers":     "h2lab: 已停止容器",
}

// chineseMessageParts are clauses of these messages.
var chineseMessageParts = map[Phrase]string{
	"as asked":       "按指定",
	"auto, since %s": "自动选择：%s",
	"auto: the native runtime requires Linux":            "自动选择：native 方式需要 Linux",
	"auto: its engine answers and the images can be had": "自动选择：Docker 引擎可用，镜像也能取得",
	"%s cells × %s trials":                               "%s 个单元 × %s 次试验",
	"%s cell × %s trials":                                "%s 个单元 × %s 次试验",
	"%s cells × %s trial":                                "%s 个单元 × %s 次试验",
	"%s cell × %s trial":                                 "%s 个单元 × %s 次试验",
}
