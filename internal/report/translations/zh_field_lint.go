package translations

// chineseLint are what lint prints beside its findings, and where values come from.
var chineseLint = map[Phrase]string{

	// the headline, the table and the places
	"1 listener":   "1 个监听地址",
	"%s listeners": "%s 个监听地址",
	"1 error":      "1 个错误",
	"%s errors":    "%s 个错误",
	"1 warning":    "1 个警告",
	"%s warnings":  "%s 个警告",
	"1 note":       "1 个提示",
	"%s notes":     "%s 个提示",
	"error":        "错误",
	"warning":      "警告",
	"note":         "提示",
	"LISTENER\tNAME\tSPEAKS\tREQUESTS\tIDLE\tAGE\tIN FLIGHT": "" +
		"监听地址\t名称\t协议\t请求数\t空闲\t存续\t在途",
	"* takes clients that name no server": "" +
		"* 处理没有指明服务器名的客户端",
	"no limit":                    "没有上限",
	"never":                       "永不",
	"no limit: %s":                "没有上限：%s",
	"?: %s":                       "?：%s",
	"1 request: %s":               "1 个请求：%s",
	"%d requests: %s":             "%d 个请求：%s",
	"%s (%s) leads to %s":         "%s（%s）转发到 %s",
	"also at %s":                  "另见：%s",
	"%d more":                     "另有 %d 处",
	"and more":                    "等等",
	"and %d more":                 "另有 %d 个",
	"after the change to %s:%d":   "修改 %s:%d 之后",
	"after the change to line %d": "修改第 %d 行之后",
	"measures what the running server does": "" +
		"运行中的服务器在实际通信中的行为",
	"on the machine itself: these files lack some that nginx includes": "" +
		"在那台机器上执行：这里缺少 nginx 会 include 的一些文件",
	"changed %s, backup %s": "已修改 %s，备份在 %s",
	"%s findings fixed":     "已修复 %s 个问题",
	"1 finding fixed":       "已修复 1 个问题",

	// where a value comes from
	"set at %s:%d":                             "由 %s:%d 设置",
	"default":                                  "默认值",
	"default before %s":                        "%s 之前的默认值",
	"default since %s":                         "自 %s 起的默认值",
	"default since controller 1.6":             "自控制器 1.6 起的默认值",
	"default before controller 1.6":            "控制器 1.6 之前的默认值",
	"nginx's http2_max_requests before 1.19.7": "1.19.7 之前 nginx 的 http2_max_requests",
	"nginx's http2_idle_timeout before 1.19.7": "1.19.7 之前 nginx 的 http2_idle_timeout",
	"Envoy's default":                          "Envoy 的默认值",
	"HAProxy's default":                        "HAProxy 的默认值",
	"Traefik's default":                        "Traefik 的默认值",
	"nginx's default":                          "nginx 的默认值",
	"the controller's default":                 "控制器的默认值",
	"%s, as Go's default":                      "%s，即 Go 的默认值",
	"%s at %s:%d is no number":                 "%[2]s:%[3]d 的 %[1]s 不是数字",
	"%s at %s:%d is no time":                   "%[2]s:%[3]d 的 %[1]s 不是时间",
	"it is no number":                          "不是数字",
	"it is no time":                            "不是时间",
	"no such limit before %s":                  "%s 之前没有这样的上限",
	"before 1.11.6 nginx has none for HTTP/2": "" +
		"1.11.6 之前，nginx 对 HTTP/2 没有上限",
	"no keepalive_time before 1.19.10": "1.19.10 之前没有 keepalive_time",
	"HTTP/1.1 answers one request after the other": "" +
		"HTTP/1.1 逐个响应请求",
	"HTTP/1.1 has one at a time": "HTTP/1.1 同一时刻只有一个请求",
	"http3_max_concurrent_streams is no number": "" +
		"http3_max_concurrent_streams 不是数字",
	"only HTTP/2 has such a limit": "只有 HTTP/2 才有这样的上限",
	"HAProxy has no such limit":    "HAProxy 没有这样的上限",
	"a variable at %s:%d":          "%s:%d 是变量",
	"no number at %s:%d":           "%s:%d 不是数字",
	"no duration at %s:%d":         "%s:%d 不是时长",
	"no timeout client, http-request or http-keep-alive": "" +
		"没有设置 timeout client、http-request 或 http-keep-alive",
	"timeout %s %s at %s:%d":   "%[3]s:%[4]d 的 timeout %[1]s %[2]s",
	"timeout %s, set at %s:%d": "timeout %s，由 %s:%d 设置",

	// what a listener leads to
	"%s: a connection for each request": "%s：每个请求一条连接",
	"%s: keeps %d, %d requests each, %s idle": "" +
		"%s：保持 %d 条连接，每条 %d 个请求，空闲 %s",
	"%s: keeps %d, %d requests each":   "%s：保持 %d 条连接，每条 %d 个请求",
	"%s: keeps %d, %s idle":            "%s：保持 %d 条连接，空闲 %s",
	"%s: keeps %d":                     "%s：保持 %d 条连接",
	"%s: %s, no limit":                 "%s：%s，没有上限",
	"%s: %s, %d requests a connection": "%s：%s，每条连接 %d 个请求",
	"pods: HTTP/1.1, %d idle connections a worker, %d requests a connection, %ds idle": "" +
		"pod：HTTP/1.1，每个 worker %d 条空闲连接，每条连接 %d 个请求，空闲 %ds",

	// what was assumed
	"Nothing was judged: these files have no server block of http, so there is no listener.": "" +
		"没有作出判断：这些文件的 http 里没有 server 块，也就没有监听地址。",
	"No listener speaks HTTP/2, so no limit here ends HTTP/2 connections.": "" +
		"没有监听地址使用 HTTP/2，这里的上限不会结束 HTTP/2 连接。",
	"%s has no http block: it is read as if it were included in one that sets nothing.": "" +
		"%s 里没有 http 块：按被 include 到一个没有任何设置的 http 块来读取。",
	"%s is above it: lint that to see what its http block sets.": "" +
		"它的上层是 %s：对那个文件执行 lint，才能看到 http 块的设置。",
	"Includes of %s were read from %s.": "%s 下的 include 改从 %s 读取。",
	"Before 1.29.7 nginx closes each connection to %s after one answer: give --version for the" +
		" change.": "" +
		"1.29.7 之前，到 %s 的每条连接在一个响应之后就被 nginx 关闭：要得到修改建议，请用 --version 给出版本。",
	"%s writes %s: changes belong in %s.": "" +
		"%[2]s 由 %[1]s 生成：修改应写在 %[3]s。",
	"%s writes this file: make the change in %s.": "" +
		"这个文件由 %s 生成：请在 %s 修改。",
	"Another program":               "另一个程序",
	"another program":               "另一个程序",
	"F5's NGINX Ingress Controller": "F5 的 NGINX Ingress Controller",
	"kong.conf, or KONG_ and the name in capitals in the environment": "" +
		"kong.conf，或环境变量 KONG_ 加大写的名称",
	"/data/nginx/custom/server_proxy.conf, or the host's tab Advanced": "" +
		"/data/nginx/custom/server_proxy.conf，或该主机的 Advanced 标签页",
	"/etc/nginx/vhost.d/default or /etc/nginx/proxy.conf of the container": "" +
		"容器里的 /etc/nginx/vhost.d/default 或 /etc/nginx/proxy.conf",
	"/etc/gitlab/gitlab.rb, then gitlab-ctl reconfigure": "" +
		"/etc/gitlab/gitlab.rb，然后执行 gitlab-ctl reconfigure",
	"the template that it is made from": "生成它的模板",
	"%s was found %d times; the first %d are listed.": "" +
		"%s 出现了 %d 次；只列出前 %d 次。",
	"%s is no release of nginx's own: nginx %s is assumed; say what it is built from with --version.": "" +
		"%s 不是 nginx 官方的版本：按 nginx %s 处理；请用 --version 说明它基于哪个版本。",
	"nginx %s is assumed: give --version, or lint the output of `nginx -vT 2>&1`, which names it.": "" +
		"按 nginx %s 处理：请给出 --version，或者对 `nginx -vT 2>&1` 的输出执行 lint，其中写明了版本。",
	"nginx %s is assumed, since 1.25.1 and later refuse `%s` at %s:%d: give --version.": "" +
		"按 nginx %s 处理，因为 1.25.1 及更高版本拒绝 %[3]s:%[4]d 的 `%[2]s`：请给出 --version。",
	"Envoy %s is assumed: give --version": "" +
		"按 Envoy %s 处理：请给出 --version",
	"HAProxy %s is assumed: give --version": "" +
		"按 HAProxy %s 处理：请给出 --version",
	"HAProxy %s is assumed, since %s and later refuse `%s` at %s:%d: give --version": "" +
		"按 HAProxy %[1]s 处理，因为 %[2]s 及更高版本拒绝 %[4]s:%[5]d 的 `%[3]s`：请给出 --version",
	"Traefik %s or newer is assumed: give --version": "" +
		"按 Traefik %s 或更高版本处理：请给出 --version",
	"Traefik %s is the image's version (%s:%d)": "" +
		"Traefik %s 是镜像的版本（%s:%d）",
	"%s makes it: change %s":     "由 %s 生成：请修改 %s",
	"%s: %s makes it: change %s": "%s：由 %s 生成：请修改 %s",
	"a proxy-defaults or service-defaults config entry": "" +
		"配置项 proxy-defaults 或 service-defaults",
	"a MeshHTTPRoute, MeshTimeout or MeshProxyPatch": "" +
		"MeshHTTPRoute、MeshTimeout 或 MeshProxyPatch",
	"ingress-nginx was retired in March 2026 and gets no more fixes (https://kubernetes.io/blog/2025/" +
		"11/11/ingress-nginx-retirement/)": "" +
		"ingress-nginx 已于 2026 年 3 月停止维护，不再有修复（https://kubernetes.io/blog/2025/11/11/ingress-ngi" +
		"nx-retirement/）",
	"%s has no key that only the chart of ingress-nginx has: it is taken for that chart's; F5's NGINX " +
		"Ingress Controller has other keys": "" +
		"%s 里没有 ingress-nginx chart 独有的键：按该 chart 处理；F5 的 NGINX Ingress Controller 使用其他的键",
	"%s is a patch: keys that the ConfigMap below it sets are not known here": "" +
		"%s 是补丁：它下面的 ConfigMap 设置了哪些键，这里不知道",
	"controller %s is assumed, for chart %s at %s:%d: give --version with the controller's": "" +
		"按控制器 %[1]s 处理，依据是 %[3]s:%[4]d 的 chart %[2]s：请用 --version 给出控制器的版本",
	"controller %s is the version that %s:%d names": "" +
		"控制器版本 %s 来自 %s:%d",
	"controller %s or newer is assumed, as of January 2023: give --version with the controller's," +
		" older ones have a limit of 100": "" +
		"按控制器 %s 或更高版本（2023 年 1 月起）处理：请用 --version 给出控制器的版本，更早版本的上限是 100",
}
