package labtest

import "testing"

func TestMissetChineseIsFound(t *testing.T) {
	for text, want := range map[string]int{
		"HTTP/2 的有效吞吐为 0.49 倍（5 s 内）；见 `a,b`。":   0,
		"| 上限（limit） | 说明 |\n":                   0,
		"错误信息：\"a,b 中\" 与 [报告](中,文.md)。":         0,
		"浪费 99 %，因为 GOAWAY(last_stream_id=1999)": 0,
		"- **! 否** – 机器":                         0,
		"用HTTP/2":                                1,
		"5s内":                                    1,
		"连接, 请求":                                 1,
		"连接(请求)":                                 2,
		"上限（h1） 1,000":                           1,
		"日志会记录 “skipping”":                       1,
	} {
		if got := Misset(text); len(got) != want {
			t.Errorf("%q: %d places %q, want %d", text, len(got), got, want)
		}
	}
}

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
