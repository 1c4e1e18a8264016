package translations

import "h2lab/internal/base/notes"

// chineseNotes are the texts of notes.English in Chinese.
var chineseNotes = map[string]string{
	notes.RequestAtLimit:   "这条连接的第 {request} 个请求，正好达到上限",
	notes.LimitAnswered:    "达到上限的那个请求得到响应",
	notes.BeyondAnswered:   "超出上限，照样得到响应",
	notes.CloseAtOnce:      "服务器在最后一个响应之后立即关闭自己这一侧",
	notes.Close:            "服务器在最后一个响应之后 {ms} ms 关闭自己这一侧",
	notes.ResetAtOnce:      "服务器在最后一个响应之后立即重置连接：正在发往客户端的数据可能丢失",
	notes.Reset:            "服务器在最后一个响应之后 {ms} ms 重置连接：正在发往客户端的数据可能丢失",
	notes.Handshake:        "再做一次 TCP 和 TLS 握手",
	notes.AgainUnprocessed: "重发流 {stream} 的请求：它没有处理过（RFC 9113 §8.7）",
	notes.AgainRepeatable:  "重发流 {stream} 的请求：{method} 可以重复执行（RFC 9110 §9.2.2）",
	notes.AgainAnswered:    "这一次得到了响应",
	notes.DroppedAbove:     "读到 GOAWAY 之前发出：始终没有响应；不论什么方法，都可以安全重发（RFC 9113 §6.8）",
	notes.DroppedCovered:   "没有响应，编号又不高于 last-stream-id：它可能已被执行（RFC 9113 §6.8）",
	notes.DroppedPartly:    "响应已开始但始终没有结束：服务器至少处理了其中一部分",
	notes.DroppedUnknown: "没有响应，也没有 GOAWAY 排除它已被执行：" +
		"只有可重复执行的方法才能安全重发（RFC 9110 §9.2.2）",
	notes.StreamRefused: "请求被拒绝，没有处理；不论什么方法，都可以安全重发（RFC 9113 §8.7）",
	notes.StreamReset:   "这个流没有响应就结束了；请求可能已经处理",
	notes.StreamResetAbove: "这个流没有响应就结束了；它的编号高于 last-stream-id，所以没有处理过；" +
		"不论什么方法，都可以安全重发（RFC 9113 §6.8）",
	notes.StreamResetPartly: "响应已开始，在这里中断：服务器至少处理了其中一部分",
	notes.GoawayError: "{error} 是错误，不是请求数上限；编号大于 {stream} 的流没有处理，" +
		"可以重发（RFC 9113 §6.8）",
	notes.GoawayRepeated:    "同样的内容再来一次",
	notes.GoawaySecondStage: "第二阶段：这时的编号才是服务器处理的最后一个流（RFC 9113 §6.8）",
	notes.GoawayFirstStage:  "第一阶段：不要再在这里开新流；在途的请求仍会得到响应（RFC 9113 §6.8）",
	notes.GoawayAhead:       "不要再在这里开新流；编号高于所有流，在途的请求仍会得到响应（RFC 9113 §6.8）",
	notes.GoawayContradicts: "对端给出的最后一个流是 {stream}，但它已经响应了 {answers} 个请求：这是服务器的错误；" +
		"这个编号证明不了什么，所以只有幂等的请求可以重发（RFC 9110 §9.2.2）",
	notes.GoawayAnnounced: "不要再在这里开新流；服务器仍可能响应在途的请求，但没有全部响应（RFC 9113 §6.8）",
	notes.GoawayRaised:    "编号比前一个 GOAWAY 的更高：这是服务器的错误（RFC 9113 §6.8）；直到较高编号的流都可能已经处理",
	notes.GoawayDisproved: "对端给出的最后一个流是 {stream}，但它也响应了流 {later}：这是服务器的错误；" +
		"这个编号证明不了什么，所以只有幂等的请求可以重发（RFC 9110 §9.2.2）",
	notes.GoawayErrorDisproved: "{error} 是错误，不是请求数上限；对端给出的最后一个流是 {stream}，但它已经响应了更后面的流：" +
		"这个编号证明不了什么，所以只有幂等的请求可以重发（RFC 9110 §9.2.2）",
	notes.GoawayNone: "没有处理任何流：全部可以重发（RFC 9113 §6.8）",
	notes.GoawayLimit: "上限：{requests} 个请求；对端报告流 {stream}（= 2 × {requests} − 1）是最后一个。" +
		"编号在它之上的流没有、也不会被处理；不论什么方法，都可以重发（RFC 9113 §6.8）",
	notes.GoawayNewest: "服务器处理到流 {stream} 为止，这是它读到的最新的流。编号在它之上的流没有、也不会被处理；" +
		"不论什么方法，都可以重发（RFC 9113 §6.8）",
	notes.H1Unanswered: "没有响应：连接在它得到响应之前被关闭，不能排除它已被执行；" +
		"只有可重复执行的方法才能安全重发（RFC 9110 §9.2.2）",
	notes.H1Limit: "上限：{requests} 个请求；这是这条连接的最后一个响应（RFC 9112 §9.6）。其后没有在途请求，" +
		"因此没有丢失",

	notes.NotEnded:               "服务器在一条连接上响应了 {requests} 个请求，没有结束它",
	notes.LimitElsewhere:         "请求 {request} 得到响应之后连接没有结束，因此这条连接的上限不是 {limit}",
	notes.LimitNotMet:            "{requests} 个请求之后连接没有结束，因此这条连接的上限不是 {limit}",
	notes.AllAnswered:            "在途请求全部得到响应",
	notes.SecondGoaway:           "随后第二个 GOAWAY 的 last-stream-id 为 {stream}",
	notes.SecondError:            "后来的 GOAWAY 给出 {error}",
	notes.ServerResetAtOnce:      "服务器在最后一个响应之后立即重置连接",
	notes.ServerReset:            "服务器在最后一个响应之后 {ms} ms 重置连接",
	notes.ServerClosedAtOnce:     "服务器在最后一个响应之后立即关闭",
	notes.ServerClosed:           "服务器在最后一个响应之后 {ms} ms 关闭",
	notes.ServerClosedUnanswered: "服务器没有给出任何响应就关闭了连接",
	notes.StillOpen:              "记录结束时连接仍未关闭",
	notes.SentAgain:              "在新连接上，流 {stream} 的请求得到了响应",
	notes.TakenUnanswered:        "流 {streams} 没有响应，编号又不高于 last-stream-id，可能已被执行",
	notes.PartlyAnswered:         "流 {streams} 只收到一部分响应，所以服务器至少处理了其中一部分",
	notes.UnknownUnanswered:      "流 {streams} 没有响应，不能排除已被执行",
	notes.DroppedOne:             "它后面的那个请求（流 {streams}）始终没有响应",
	notes.DroppedMany:            "它后面的 {requests} 个请求（流 {streams}）始终没有响应",
	notes.ClosedSilently:         "服务器在请求 {request} 前后没有发 GOAWAY 就关闭了连接",
	notes.GoawayAtStart: "GOAWAY(last_stream_id={stream}, {error}) 在第一个响应之前到来，所以不是由请求引来的：" +
		"服务器可能正在停止",
	notes.GoawayAheadOfAll: "请求 {request} 引来 GOAWAY(last_stream_id={stream}, {error})，编号高于所有流",
	notes.EndedEarly: "连接没到上限 {limit} 就结束了：" +
		"{answers} 个响应之后收到 GOAWAY(last_stream_id={stream}, {error})",
	notes.EndedByError:     "服务器在 {answers} 个响应之后以 GOAWAY(last_stream_id={stream}, {error}) 结束连接",
	notes.EndedAtLimit:     "请求 {request} 引来 GOAWAY(last_stream_id={stream}, {error})，它自己得到了响应",
	notes.EndedUnanswered:  "请求 {request} 引来 GOAWAY(last_stream_id={stream}, {error})，它自己没有得到响应，可能已被执行",
	notes.EndedPartly:      "请求 {request} 引来 GOAWAY(last_stream_id={stream}, {error})，它自己的响应中断了：服务器至少处理了其中一部分",
	notes.AllReset:         "{requests} 个请求被重置（RST_STREAM {error}）",
	notes.Refused:          "{requests} 个请求被拒绝（RST_STREAM REFUSED_STREAM），可以安全重发",
	notes.SomeReset:        "{requests} 个请求被重置（RST_STREAM），其中 {refused} 个属于被拒绝",
	notes.H1LastAnswer:     "请求 {request} 的响应带有 Connection: close",
	notes.H1BrokenOff:      "服务器在请求 {request} 的响应中途关闭了连接：它至少处理了其中一部分",
	notes.H1ClosedUnder:    "服务器在请求 {request} 得到响应之前关闭了连接，它可能已被执行",
	notes.H1Closed:         "服务器在 {answers} 个响应之后关闭了连接，响应中没有 Connection: close",
	notes.H1NextAnswered:   "下一个请求在新连接上得到了响应",
	notes.H1NextUnanswered: "新连接上的请求没有得到响应",

	notes.Error:           "{text}",
	notes.Redirect:        "服务器以 {status} 重定向到 {location}：不跟随，因为这个响应同样计入上限",
	notes.SecondHandshake: "第二次握手失败：{text}",
	notes.Restarted:       "服务器有 {time} 拒绝连接，随后又响应了：它可能重新启动过，也可能限制每个客户端的连接数",
	notes.OutOfTime:       "{time} 内在一条连接上发了 {requests} 个请求，没有达到上限；要继续，请加大 --max-time",
	notes.FewerAnswers:    "服务器报告流 {stream} 是最后一个，即 {requests} 个请求，却只响应了 {answered} 个",
	notes.TwoEndings:      "两条连接以两种方式结束：{first} 和 {then}",
	notes.LostFrames:      "另有 {frames} 个帧没有保留：响应体和窗口更新；请换一个更轻的路径，或用 --method HEAD",
	notes.FewerStreams:    "服务器同时只允许 {allowed} 个流，所以越过上限的是 {allowed} 个，而不是 {asked} 个",
	notes.CaptureLacks:    "抓包缺少 {packets} 个数据包，它们被内核丢弃",
}
