package translations

// chineseLintOthers are the reasons of lint's findings in other servers' files.
var chineseLintOthers = map[Phrase]string{
	"Clients speak HTTP/1.1.":   "客户端使用 HTTP/1.1。",
	"keep-alive-requests is 0.": "keep-alive-requests 为 0。",
	"After %d requests nginx ends the connection. Of a client's %d in flight those above the id in" +
		" the GOAWAY are dropped, and a client like Go's net/http dials up to %d times.": "" +
		"%d 个请求之后 nginx 结束连接。客户端的 %d 个在途请求中，编号大于 GOAWAY 所带编号的会被丢弃；Go 的" +
		" net/http 这样的客户端最多会建连 %d 次。",
	"keep-alive is 0.": "keep-alive 为 0。",
	"After %d s without a request the connection ends.": "" +
		"空闲 %d s，连接就会结束。",
	"%d connections a worker, clients' and pods' together; one client's renewal may bring %d at once.": "" +
		"每个 worker 共 %d 条连接，客户端和 pod 的合计；一个客户端更换连接可能一次带来 %d 条。",
	"upstream-keepalive-connections is 0.": "" +
		"upstream-keepalive-connections 为 0。",
	"http2-max-requests %s has no effect.": "" +
		"http2-max-requests %s 不起作用。",
	"%s is no text.": "%s 不是文本。",
	"%s: %s is no string to YAML, and a ConfigMap takes nothing else.": "" +
		"%s：%s 在 YAML 里不是字符串，而 ConfigMap 只接受字符串。",
	"Earlier controllers read %s; this one doesn't.": "" +
		"更早的控制器读取 %s；这个版本不读取。",
	"The controller has no key %s.": "控制器没有 %s 这个键。",
	"Its name is %s, which is set as well, and counts.": "" +
		"正确的名称是 %s，它也有设置，并且有效。",
	"%s is nearest to it.":      "最接近的是 %s。",
	"%s in line %d isn't read.": "第 %[2]d 行的 %[1]s 不会被读取。",
	"nginx 1.19.7 and newer take keep-alive-requests for it: update the controller.": "" +
		"nginx 1.19.7 及更新版本对此采用 keep-alive-requests：请升级控制器。",
	"%s is %q, which is no whole number.": "" +
		"%s 是 %q，不是整数。",
	"%s sets %s: it stands in http{} already, and nginx refuses to have it twice.": "" +
		"%s 设置了 %s：http{} 里已经有它，重复设置会被 nginx 拒绝。",
	"%s sets %s: nginx takes it from the server for HTTP/2, so here it has no effect.": "" +
		"%s 设置了 %s：对 HTTP/2，nginx 从 server 读取它，所以写在这里不起作用。",
	"%s sets %s: it wins over the ConfigMap's value, which is the one that is listed here.": "" +
		"%s 设置了 %s：它优先于 ConfigMap 的值，而这里列出的是 ConfigMap 的值。",
}
