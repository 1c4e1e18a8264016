package translations

import "h2lab/internal/base/notes"

// chineseNotes are the texts of notes.English in Chinese.
var chineseNotes = map[string]string{
	notes.RequestAtLimit:   "这条连接的第 {request} 个请求，正好达到上限",
	notes.LimitAnswered:    "达到上限的请求仍然得到响应",
	notes.BeyondAnswered:   "超出上限，仍然得到响应",
	notes.CloseAtOnce:      "服务器在最后一个响应之后立即关闭自己这一侧",
	notes.Close:            "服务器在最后一个响应之后 {ms} ms 关闭自己这一侧",
	notes.ResetAtOnce:      "服务器在最后一个响应之后立即重置连接：正在发往客户端的数据可能丢失",
	notes.Reset:            "服务器在最后一个响应之后 {ms} ms 重置连接：正在发往客户端的数据可能丢失",
	notes.Handshake:        "再做一次 TCP 和 TLS 握手",
	notes.AgainUnprocessed: "重发流 {stream} 的请求：它没有处理过（RFC 9113 §8.7）",
	notes.AgainRepeatable:  "重发流 {stream} 的请求：{method} 可以重复执行（RFC 9110 §9.2.2）",
	notes.AgainAnswered:    "这一次得到了响应",
	notes.DroppedAbove:     "读到 GOAWAY 之前发出：没有响应，被静默丢弃；不论什么方法，都可以安全重发（RFC 9113 §6.8）",
	notes.DroppedCovered:   "没有响应，但它的编号不大于 GOAWAY 的 last-stream-id：可能已经处理（RFC 9113 §6.8）",
	notes.DroppedUnknown: "没有响应，也没有 GOAWAY 说明它是否已经处理：" +
		"只有可重复执行的方法才能安全重发（RFC 9110 §9.2.2）",
	notes.StreamRefused: "请求被拒绝，没有处理；不论什么方法，都可以安全重发（RFC 9113 §8.7）",
	notes.StreamReset:   "这个流没有响应就结束了；请求可能已经处理",
	notes.GoawayError: "{error} 是错误，不是请求数上限；编号大于 {stream} 的流没有处理，" +
		"可以重发（RFC 9113 §6.8）",
	notes.GoawayRepeated:    "重复同样的内容",
	notes.GoawaySecondStage: "第二阶段：此时的编号才是最后一个受理的流（RFC 9113 §6.8）",
	notes.GoawayFirstStage:  "第一阶段：不要在这条连接上再开新流；已发出的请求仍会处理（RFC 9113 §6.8）",
	notes.GoawayAhead:       "不要在这条连接上再开新流；编号留有余量，已发出的请求仍会处理（RFC 9113 §6.8）",
	notes.GoawayNone:        "没有受理任何流：全部请求都可以重发（RFC 9113 §6.8）",
	notes.GoawayLimit: "上限：{requests} 个请求；对端的 last-stream-id 为 {stream}（= 2 × {requests} − 1）。" +
		"编号更大的流没有处理，以后也不会处理；不论什么方法，都可以重发（RFC 9113 §6.8）",
	notes.H1Unanswered: "没有响应：处理期间连接关闭，无法得知请求是否已经处理；" +
		"只有可重复执行的方法才能安全重发（RFC 9110 §9.2.2）",
	notes.H1Limit: "上限：{requests} 个请求；这是这条连接的最后一个响应（RFC 9112 §9.6）。其后没有在途请求，" +
		"因此没有丢失",

	notes.NotEnded:           "服务器在一条连接上响应了 {requests} 个请求，没有结束它",
	notes.LimitElsewhere:     "请求 {request} 得到响应之后连接没有结束，因此这条连接的上限不是 {limit}",
	notes.AllAnswered:        "在途请求全部得到响应",
	notes.SecondGoaway:       "随后第二个 GOAWAY 的 last-stream-id 为 {stream}",
	notes.ServerResetAtOnce:  "服务器在最后一个响应之后立即重置连接",
	notes.ServerReset:        "服务器在最后一个响应之后 {ms} ms 重置连接",
	notes.ServerClosedAtOnce: "服务器在最后一个响应之后立即关闭",
	notes.ServerClosed:       "服务器在最后一个响应之后 {ms} ms 关闭",
	notes.StillOpen:          "记录结束时连接仍未关闭",
	notes.SentAgain:          "在新连接上，流 {stream} 的请求得到了响应",
	notes.TakenUnanswered:    "流 {streams} 的编号不大于 last-stream-id，却没有得到响应",
	notes.DroppedOne:         "其后的一个请求（流 {streams}）被静默丢弃",
	notes.DroppedMany:        "其后的 {requests} 个请求（流 {streams}）被静默丢弃",
	notes.ClosedSilently:     "服务器在请求 {request} 前后没有发 GOAWAY 就关闭了连接",
	notes.GoawayAheadOfAll:   "请求 {request} 触发 GOAWAY(last_stream_id={stream}, {error})，该编号大于所有已打开的流",
	notes.EndedEarly: "连接没到上限 {limit} 就结束了：" +
		"{answers} 个响应之后收到 GOAWAY(last_stream_id={stream}, {error})",
	notes.EndedByError:     "服务器在 {answers} 个响应之后以 GOAWAY(last_stream_id={stream}, {error}) 结束连接",
	notes.EndedAtLimit:     "请求 {request} 触发 GOAWAY(last_stream_id={stream}, {error})，该请求得到响应",
	notes.Refused:          "{requests} 个请求被拒绝（RST_STREAM REFUSED_STREAM），可以安全重发",
	notes.SomeReset:        "{requests} 个请求被重置（RST_STREAM），其中 {refused} 个属于被拒绝",
	notes.H1LastAnswer:     "请求 {request} 的响应带有 Connection: close",
	notes.H1ClosedUnder:    "服务器在请求 {request} 得到响应之前关闭了连接",
	notes.H1Closed:         "服务器在 {answers} 个响应之后直接关闭了连接",
	notes.H1NextAnswered:   "下一个请求在新连接上得到了响应",
	notes.H1NextUnanswered: "新连接上的请求没有得到响应",

	notes.Error:           "{text}",
	notes.Redirect:        "服务器以 {status} 重定向到 {location}：不跟随，因为这个响应同样计入上限",
	notes.SecondHandshake: "第二次握手失败：{text}",
	notes.OutOfTime:       "{time} 内在一条连接上发了 {requests} 个请求，没有达到上限；要继续，请加大 --max-time",
	notes.NoFixedLimit:    "一条连接在 {ended} 个请求之后结束，另一条承载 {more} 个请求仍未结束：没有固定的上限",
	notes.FewerAnswers:    "服务器的 last-stream-id 为 {stream}，即 {requests} 个请求，实际响应了 {answered} 个",
	notes.TwoEndings:      "两条连接以两种方式结束：{first} 和 {then}",
	notes.LostFrames:      "另有 {frames} 个帧没有保留：响应体和窗口更新；请换一个更轻的路径，或用 --method HEAD",
	notes.FewerStreams:    "服务器同时只允许 {allowed} 个流，所以跨越上限时只发了 {allowed} 个请求，而不是 {asked} 个",
	notes.RangeOfLimits:   "探测时各连接承载了 {least} 到 {most} 个请求；这条连接预期承载 {least} 个",
	notes.CaptureLacks:    "抓包文件缺少 {packets} 个数据包，内核丢弃了它们",
}
