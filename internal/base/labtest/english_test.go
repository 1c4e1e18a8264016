package labtest

import "testing"

func TestEnglishProseIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		"连接在达到请求数上限时结束（RFC 9113 §6.8）":                              false,
		"nginx 的 http{} 或 server{} 里：Go net/http":                   false,
		"日志写着 \"the server said no\"，见 `a of b`":                    false,
		"修改：grpc.WithKeepaliveParams(keepalive.Parameters{a of b})": false,
		"服务器关闭了 the connection":                                     true,
		"连接 under way twice 结束":                                     true,
		"it ends":                                                   true,
		"上限是 of 的值":                                                 true,
	} {
		if got := English(text); (got != "") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
