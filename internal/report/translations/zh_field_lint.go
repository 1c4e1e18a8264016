package translations

// chineseLint are what lint prints beside its findings, and where values come from.
var chineseLint = map[Phrase]string{

	// the headline, the table and the places
	"no limit": "没有上限",
	"never":    "永不",
	"?: %s":    "?：%s",
	"and more": "等等",

	// where a value comes from
	"set at %s:%d":                  "由 %s:%d 设置",
	"default before %s":             "%s 之前的默认值",
	"default since %s":              "自 %s 起的默认值",
	"default since controller 1.6":  "自控制器 1.6 起的默认值",
	"default before controller 1.6": "控制器 1.6 之前的默认值",
	"Envoy's default":               "Envoy 的默认值",
	"HAProxy's default":             "HAProxy 的默认值",
	"Traefik's default":             "Traefik 的默认值",
	"nginx's default":               "nginx 的默认值",
	"the controller's default":      "控制器的默认值",
	"%s, as Go's default":           "%s，即 Go 的默认值",
	"HTTP/1.1 has one at a time":    "HTTP/1.1 同一时刻只有一个请求",
	"only HTTP/2 has such a limit":  "只有 HTTP/2 才有这样的上限",
	"HAProxy has no such limit":     "HAProxy 没有这样的上限",
	"a variable at %s:%d":           "%s:%d 是变量",
	"no number at %s:%d":            "%s:%d 不是数字",
	"no duration at %s:%d":          "%s:%d 不是时长",
	"no timeout client, http-request or http-keep-alive": "" +
		"没有设置 timeout client、http-request 或 http-keep-alive",
	"timeout %s %s at %s:%d":   "%[3]s:%[4]d 的 timeout %[1]s %[2]s",
	"timeout %s, set at %s:%d": "timeout %s，由 %s:%d 设置",

	// what a listener leads to
	"%s: %s, no limit":                 "%s：%s，没有上限",
	"%s: %s, %d requests a connection": "%s：%s，每条连接 %d 个请求",
	"pods: HTTP/1.1, %d idle connections a worker, %d requests a connection, %ds idle": "" +
		"pod：HTTP/1.1，每个 worker %d 条空闲连接，每条连接 %d 个请求，空闲 %ds",

	// what was assumed
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
	"After %s without a request the connection ends.": "" +
		"空闲 %s，连接就会结束。",
	"%d streams at once, for clients with %d requests in flight.": "" +
		"同时只允许 %d 个流，而客户端有 %d 个在途请求。",
}
