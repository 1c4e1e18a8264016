package workshop

import (
	"regexp"
	"strings"
)

// price is a cost of a high limit, and how a clause names it.
type price struct {
	name  string
	words *regexp.Regexp
	// denied matches a clause that says the opposite; kept matches one that denied would misread.
	denied, kept *regexp.Regexp
	// gain matches a clause that says that this becomes better.
	gain *regexp.Regexp
}

// gap matches up to three words between two others.
const gap = `(?:[\w'-]+ ){0,3}`

// prices are those that nginx's documentation of keepalive_requests and docs/advise.md name.
var prices = []price{
	{"memory",
		regexp.MustCompile(`\bmemory\b|\bram\b|\brss\b|\ballocat|\bheap\b|\bbuffers?\b|\bpool of (?:a|the|each|every) connection|` +
			`\bconnection's pool\b|\bfootprint\b|内存|缓冲区|\bram\b|ram 会`),
		regexp.MustCompile(`\b(?:no|not any|zero|without(?: any)?|less|lower|little|saves?|saving|reduces?|hardly any|negligible) ` + gap +
			`(?:memory|ram|rss|allocat)|\b(?:memory|ram|rss)\b(?: [\w'-]+){0,4} (?:not|\w*n't|never|no|unaffected|unchanged|same|` +
			`constant|negligible|free|cheap|fine|lower|less|smaller)\b|(?:不|没有|无|减少|降低|节省|更少)[^，。]{0,6}内存|内存[^，。]{0,4}(?:不|没有|无|减少|更少|免费)`),
		regexp.MustCompile(`\b(?:freed?|frees|releas\w+|returned|given back|reclaim\w*|recycl\w+|shrinks?|until)\b|释放|归还`),
		regexp.MustCompile(`\b(?:freed?|frees|releas\w+|returned|given back|reclaim\w*|recycl\w+)\b[^.]*\b(?:sooner|earlier|faster|quicker|more often|at once)\b|` +
			`\bsaved\b|内存[^，。]*(?:省|下降|降低|更早|更快|变少|没有变化|没有问题|不是问题|够用)|(?:不费|不耗|省)[^，。]*内存|\b(?:memory|ram|rss)\b[^.]*\b(?:goes|go|going) down\b`)},
	{"rebalancing",
		regexp.MustCompile(`balanc|\buneven|\bhot ?spots?\b|\bscal(?:e|es|ing)\b|` +
			`\bdeploy|\brollout|\bsticky\b|\bsticks?\b|\bpinned\b|\bsame (?:server|backend|pod|instance|replica|node|worker)\b|\bskew|\bimbalanc|\bcanary\b|\bspreads?\b|\bdistribut|\bidle (?:pods|servers)|\bsit idle\b|\bnewly\b|\bstay with\b|` +
			`均衡|不均|平衡|倾斜|粘|分不到|扩容|灰度|\bevens? out\b|均匀`),
		regexp.MustCompile(`\b(?:better|improves?|improved|perfect(?:ly)?|still|easier|faster|good|works?|well) ` + gap +
			`(?:balanc|scal|deploy)|balanc\w*(?: [\w'-]+){0,3} (?:better|improves?|fine|good|unaffected|unchanged|works|well)\b|` +
			`\b(?:easier|faster|better) ` + gap + `(?:scaling|deploy|rollout)|\b(?:not|\w*n't|never) (?:affect|hurt|harm|disturb|influence)|更均衡|均衡[^，。]{0,4}(?:更好|改善|正常|不受)`),
		regexp.MustCompile(`\b(?:isn|doesn|aren|not|no|never)\b|n't`),
		regexp.MustCompile(`\b(?:faster|sooner|quicker|more evenly|evenly|as before|better)\b|更快|更平衡|更均|更早|不影响|(?:没有?|不)受?影响`)},
	{"flood guard",
		regexp.MustCompile(`\bflood|\babus|\battack|\bdos\b|\bddos\b|\brapid reset|\bmalicious\b|\bmisbehav|\btolera|洪泛|洪水|攻击|恶意|滥用|抗 ?d?dos`),
		regexp.MustCompile(`\b(?:no|zero|without|less|lower|fewer|reduces?|prevents?|stops?) ` + gap +
			`(?:risk|danger|flood|attack|abus|dos|ddos)|\b(?:better|stronger|more|safer|improves?|improved) ` + gap +
			`(?:protect|guard|defen[cs]e|against|secur)|\b(?:not|\w*n't|never) (?:affect|help|possible)|(?:没有|无|不|减少|降低|防止)[^，。]{0,6}(?:攻击|洪泛)`),
		regexp.MustCompile(`\b(?:no|less|weaker|worse|without|lower|fewer) ` + gap + `(?:protection|guard|defen[cs]e|limit|bound|barrier)|(?:没有|无|减少|降低)[^，。]{0,8}防护|(?:抗|防)[^，。]*(?:下降|减弱|变弱|降低)`),
		regexp.MustCompile(`\bharder\b|\b(?:stopped|cut off|ended|noticed) (?:earlier|sooner|faster)\b|更难|更早|更不容易|更安全`)},
	{"age",
		regexp.MustCompile(`\blong[- ]lived\b|\blives? (?:longer|for)\b|\bage\b|\bstale\b|\bolder?\b|\blinger|\bget rid of\b|\bold (?:version|process)|` +
			`旧(?:的)?(?:工作|连接)?(?:进程|连接)|旧的? ?worker|存活|寿命|长连接|不断开`),
		regexp.MustCompile(`\b(?:no|zero|without|fewer|less) ` + gap + `(?:stale|long[- ]lived|old|older|reload|certificate|workers?|drain|` +
			`upgrade|restart)|\b(?:faster|shorter|quicker|easier) ` + gap + `(?:reload|drain|shut|upgrade|restart)|` +
			`\b(?:reload|drain|shutdown|upgrade|restart)\w*(?: [\w'-]+){0,2} (?:faster|shorter|quicker|better|unaffected|fine)\b`),
		nil,
		regexp.MustCompile(`\b(?:faster|sooner|quicker|earlier|shorter)\b|更快|更早|更短|变快`)},
}

var (
	noPrice = regexp.MustCompile(`\b(?:no|not an?|\w*n't an?|without(?: any)?|zero) (?:real |big |serious )?(?:cost|price|problem|issue|` +
		`drawback|downside|disadvantage|effect|impact|influence|concern)s?\b|\bfor free\b|\bcosts? nothing\b|^ ?(?:nothing|none)\b|` +
		`\b(?:not|\w*n't) (?:cost|matter|affect|change|need|involve|about)\b|\bunrelated\b|\birrelevant\b|\bnot a problem\b|(?:没有|无|不需要|没什么)(?:任何)?(?:代价|缺点|坏处|影响|问题)|免费|^ ?(?:没有|无) ?$`)
	// otherPlace matches a price of another cure or of the fault: the request's body, the client's dials.
	otherPlace = regexp.MustCompile(`\bbod(?:y|ies)\b|请求体|\bdials?\b|建连|\bneither\b|\bnor\b|既不|\bdon't think\b|\bhandshakes? (?:cost|need)`)
	// notFree matches a denial of a denial.
	notFree   = regexp.MustCompile(`\b(?:not|isn't|aren't|wasn't) (?:for free|free|without(?: a| any)?(?: cost| price)?)\b|(?:不是|并非|并不是)(?:没有|无|免费)(?:任何)?(?:代价|成本)?的?`)
	onlyPrice = regexp.MustCompile(`\b(?:nothing|no \w+) (?:but|except|besides|apart from|other than)\b`)
	clauses   = regexp.MustCompile(`[.;!?。；\n]+|,? but (?:not )?|, (?:and|although|while|whereas) `)
)

// namedPrice returns the price that a text names, or "". It ignores comments, and clauses that deny a price.
func namedPrice(text string) string {
	var own strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		own.WriteString(strings.TrimSpace(line) + "\n")
	}
	said := strings.NewReplacer("’", "'").Replace(strings.ToLower(own.String()))
	said = notFree.ReplaceAllString(onlyPrice.ReplaceAllString(said, "only "), "costly")
	for _, clause := range clauses.Split(said, -1) {
		if noPrice.MatchString(clause) || otherPlace.MatchString(clause) {
			continue
		}
		for _, p := range prices {
			if p.named(clause) {
				return p.name
			}
		}
	}
	return ""
}

// slower are things that a high limit delays: naming one is a price only with a word about the delay.
var (
	slower = map[string]*regexp.Regexp{
		"rebalancing": regexp.MustCompile(`\bnew (?:server|backend|pod|instance|replica|node)s?\b|新[^，。]{0,4}(?:后端|服务器|实例|节点|机器)`),
		"age": regexp.MustCompile(`\bcertificate|\breload|\bworkers?\b|\bshut(?:s|ting)? ?down\b|\bdrain|\bupgrade|\brestart|\bdns\b|\bgraceful|` +
			`重载|reload|重启|升级|证书|worker`),
	}
	late = regexp.MustCompile(`\b(?:long|longer|late|later|slow\w*|old|stays?|keeps?|waits?|until|hours?|days?|forever|delay\w*|survives?|never|no|less|` +
		`little|unused|idle|hardly|remain\w*|again|alive|still|for ages|blocks?|stuck)\b|\w+n't\b|\bnot\b|` +
		`慢|久|迟|旧|等|不|没|一直|延迟|很长|仍|还|难|老|少|晚`)
)

// named reports whether a clause names a price and doesn't deny it.
func (p price) named(clause string) bool {
	weak := slower[p.name]
	names := p.words.MatchString(clause) || weak != nil && weak.MatchString(clause) && late.MatchString(clause)
	return names && !p.gain.MatchString(clause) &&
		(!p.denied.MatchString(clause) || p.kept != nil && p.kept.MatchString(clause))
}
