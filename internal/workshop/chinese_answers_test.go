package workshop

import (
	"testing"

	"h2lab/internal/facts"
)

// chineseAnswers are right and wrong answers to one question.
type chineseAnswers struct {
	what         string
	judge        func(string) State
	right, wrong []string
}

func (c chineseAnswers) try(t *testing.T) {
	t.Helper()
	for _, s := range c.right {
		if got := c.judge(s); got != Done {
			t.Errorf("%s: %q is right, and the check finds %s", c.what, s, got)
		}
	}
	for _, s := range c.wrong {
		if got := c.judge(s); got == Done {
			t.Errorf("%s: %q is wrong, and the check takes it", c.what, s)
		}
	}
}

// A learner of the Chinese pages answers in Chinese: the same classes of right and wrong answers as in English.
func TestAnswersInChinese(t *testing.T) {
	again := func(value string) State {
		if againFits(lower(t, value), 193, []uint32{195, 197, 199}) {
			return Done
		}
		return goawayAgain
	}
	post := func(value string) State {
		if yes, ok := parseYes(lower(t, value)); yes && ok {
			return Done
		}
		return goawayPost
	}
	count := func(want int64, some bool) func(string) State {
		return func(value string) State {
			if a, ok := parseAmount(lower(t, value), ofDropped); ok && a.means(want, some) {
				return Done
			}
			return stagesCount
		}
	}
	factor := func(value string) State {
		r, ok := parseFactor(lower(t, value))
		if !ok {
			return tlsWords
		}
		return judgeHandshakes([2]factorRange{r, {6.2, 6.2}}, [2]float64{5.7, 6.2}, [2]float64{5.5, 6}).State
	}
	for _, c := range []chineseAnswers{
		{"send_again", again,
			[]string{"大于 193", "大于 193 的流", "编号大于 193 的流", "195、197、199", "195，197，199", "195、197 和 199",
				"195 及以上", "从 195 开始", "所有大于 last-stream-id 的流", "193 之后的流", "195 到 199", "流 195、197、199", "高于 193 的流"},
			[]string{"小于 193", "不大于 193", "193 及以上", "193 以上的流", "全部", "没有", "195、197", "大于 195", "193、195、197、199", "大于 193 的幂等请求",
				"不是大于 193 的流", "193 及以下", "195", "大于 97"}},
		{"post_too", post,
			[]string{"可以", "是", "能", "可以，因为服务器没有处理", "可以重发，没有被处理", "能，任何方法都可以", "是的，服务器没有执行过", "可以，不会重复执行"},
			[]string{"不可以", "否", "不能", "不行", "只有幂等时可以", "如果幂等就可以", "也许", "看情况", "不一定", "可能会重复执行", "没有处理", "除非幂等，否则不能"}},
		{"two stages", count(2, false), []string{"两次", "2 次", "两个", "2 个阶段", "两个 GOAWAY", "恰好 2 个", "二"},
			[]string{"一次", "三次", "至少 2 次", "很多", "两次以上", "20"}},
		{"one stage", count(1, false), []string{"一次", "一个", "1 个", "只有一个", "单个"}, []string{"两次", "没有", "一个以上", "十一", "第一"}},
		{"none dropped", count(0, false), []string{"没有", "零", "0 个", "零个", "无"}, []string{"一个", "至少 0 个", "有", "10 个"}},
		{"some dropped", count(6, true), []string{"六个", "6 个流", "全部 6 个", "至少 1 个", "1 个以上", "一个以上"}, []string{"没有", "五个", "7 个以上", "最多 6 个", "至少 0 个"}},
		{"factor", factor, []string{"5.7 倍", "约 6 倍", "5.5 到 6 倍", "大约 5.7 倍", "5.7", "便宜 5.7 倍"},
			[]string{"50 倍", "0.175 倍", "很多倍", "3 倍", "1 倍", "10 到 20 倍", "便宜"}},
	} {
		c.try(t)
	}
}

func TestNamesAndPricesInChinese(t *testing.T) {
	n := 437
	nginx := facts.Limit{Effective: &n, Closing: oneStage}
	unknownWith := func(key, value string) State {
		a := answers{"limit": "437", "family": "nginx", "change": "keepalive_requests"}
		a[key] = lower(t, value)
		return judgeUnknown(a, nginx).State
	}
	price := func(value string) State {
		if namedPrice(value) == "" {
			return curesPrice
		}
		return Done
	}
	for _, c := range []chineseAnswers{
		{"limit", func(v string) State { return unknownWith("limit", v) }, []string{"437 个请求", "恰好 437", "437 个", "每条连接 437 个请求", "437 次"},
			[]string{"438 个", "至少 437 个", "437 以上", "很多", "不是 437", "最多 437 个", "437 到 440"}},
		{"family", func(v string) State { return unknownWith("family", v) }, []string{"是 nginx", "nginx 类", "像nginx", "不是 envoy，是 nginx", "openresty（基于 nginx）"},
			[]string{"envoy", "不是 nginx", "nginx 或 envoy", "并非nginx", "未知"}},
		{"change", func(v string) State { return unknownWith("change", v) }, []string{"调高 keepalive_requests", "修改keepalive_requests", "keepalive_requests 设为 100000"},
			[]string{"不是 keepalive_requests", "调高 max_requests_per_connection", "调高上限", "超时"}},
		{"price", price, []string{"内存", "连接的内存直到结束才释放", "负载不均衡", "新的后端得不到流量", "扩容后负载不均", "更容易受到攻击", "洪泛防护变弱",
			"重载变慢，旧进程一直在", "连接存活很久", "证书更新不及时"},
			[]string{"没有代价", "不占内存", "没有内存代价", "内存不变", "不影响内存", "很慢", "免费", "无", "内存没有增加", "减少内存占用", "没有攻击风险", "负载更均衡"}},
	} {
		c.try(t)
	}
}
