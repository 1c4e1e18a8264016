package translations

import "cmp"

// Head returns a head of a table for a terminal. Units stay as they are.
func (l Language) Head(english string) string {
	if l == Chinese {
		return cmp.Or(chineseHeads[english], english)
	}
	return english
}

// chineseHeads are the heads of the tables of reports for a terminal.
var chineseHeads = map[string]string{
	"client": "客户端", "topology": "拓扑",
	"accepted": "接受", "expected": "预期", "failed": "失败", "ran again": "重复执行",
}

// chineseTitles are the titles of topologies.
var chineseTitles = map[Phrase]string{
	"the backend itself, no proxy":                                   "后端本身，没有代理",
	"nginx, %s requests a connection":                                "nginx，每条连接 %s 个请求",
	"Envoy, no limit":                                                "Envoy，没有上限",
	"Envoy, about %s requests a connection, then a two-stage GOAWAY": "Envoy，每条连接约 %s 个请求，然后发送两阶段 GOAWAY",
	"nginx (%s requests a connection), then Envoy as API gateway":    "nginx（每条连接 %s 个请求），然后是作为 API 网关的 Envoy",
	"nginx, %s requests a connection, HTTP/2 to the backend too":     "nginx，每条连接 %s 个请求，到后端也用 HTTP/2",
	"Envoy, no limit, then Envoy as API gateway":                     "Envoy，没有上限，然后是作为 API 网关的 Envoy",
	"Spring Cloud Gateway, no limit":                                 "Spring Cloud Gateway，没有上限",
	"nginx (%s requests a connection), then Spring Cloud Gateway as API gateway": "nginx（每条连接 %s 个请求），然后是作为 API " +
		"网关的 Spring Cloud Gateway",
	"Envoy, no limit, then Spring Cloud Gateway as API gateway": "Envoy，没有上限，然后是作为 API 网关的 Spring Cloud Gateway",
}
