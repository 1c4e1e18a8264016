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
}

// gap matches up to three words between two others.
const gap = `(?:[\w'-]+ ){0,3}`

// prices are those that nginx's documentation of keepalive_requests and docs/advise.md name.
var prices = []price{
	{"memory",
		regexp.MustCompile(`\bmemory\b|\bram\b|\brss\b|\ballocat|内存`),
		regexp.MustCompile(`\b(?:no|not any|zero|without(?: any)?|less|lower|little|saves?|saving|reduces?|hardly any|negligible) ` + gap +
			`(?:memory|ram|rss|allocat)|\b(?:memory|ram|rss)\b(?: [\w'-]+){0,4} (?:not|\w*n't|never|no|unaffected|unchanged|same|` +
			`constant|negligible|free|cheap|fine|lower|less|smaller)\b|(?:不|没有|无|减少|降低|节省|更少)[^，。]{0,6}内存|内存[^，。]{0,4}(?:不|没有|无|减少|更少|免费)`),
		regexp.MustCompile(`\b(?:freed?|frees|releas\w+|returned|given back|reclaim\w*|recycl\w+|shrinks?|until)\b|释放`)},
	{"rebalancing",
		regexp.MustCompile(`balanc|\buneven|\bhot ?spots?\b|\bnew (?:server|backend|pod|instance|replica|node)s?\b|\bscal(?:e|es|ing)\b|` +
			`\bdeploy|\brollout|\bsticky\b|\bsticks?\b|\bpinned\b|\bsame (?:server|backend|pod|instance|replica|node|worker)\b|均衡|不均|扩容|新(?:的)?(?:后端|服务器|实例|节点)`),
		regexp.MustCompile(`\b(?:better|improves?|improved|perfect(?:ly)?|still|easier|faster|good|works?|well) ` + gap +
			`(?:balanc|scal|deploy)|balanc\w*(?: [\w'-]+){0,3} (?:better|improves?|fine|good|unaffected|unchanged|works|well)\b|` +
			`\b(?:easier|faster|better) ` + gap + `(?:scaling|deploy|rollout)|\b(?:not|\w*n't|never) (?:affect|hurt|harm|disturb|influence)|更均衡|均衡[^，。]{0,4}(?:更好|改善|正常|不受)`),
		nil},
	{"flood guard",
		regexp.MustCompile(`\bflood|\babus|\battack|\bdos\b|\bddos\b|\brapid reset|洪泛|攻击`),
		regexp.MustCompile(`\b(?:no|zero|without|less|lower|fewer|reduces?|prevents?|stops?) ` + gap +
			`(?:risk|danger|flood|attack|abus|dos|ddos)|\b(?:better|stronger|more|safer|improves?|improved) ` + gap +
			`(?:protect|guard|defen[cs]e|against|secur)|\b(?:not|\w*n't|never) (?:affect|help|possible)|(?:没有|无|不|减少|降低|防止)[^，。]{0,6}(?:攻击|洪泛)`),
		regexp.MustCompile(`\b(?:no|less|weaker|worse|without|lower|fewer) ` + gap + `(?:protection|guard|defen[cs]e|limit|bound|barrier)|(?:没有|无|减少|降低)[^，。]{0,8}防护`)},
	{"age",
		regexp.MustCompile(`\blong[- ]lived\b|\blives? (?:longer|for)\b|\bage\b|\bstale\b|\bolder?\b|\bcertificate|\breload|\bworkers?\b|` +
			`\bshut(?:s|ting)? ?down\b|\bdrain|\bupgrade|\brestart|\bdns\b|重载|旧(?:的)?(?:工作)?进程|证书|存活|寿命|长连接`),
		regexp.MustCompile(`\b(?:no|zero|without|fewer|less) ` + gap + `(?:stale|long[- ]lived|old|older|reload|certificate|workers?|drain|` +
			`upgrade|restart)|\b(?:faster|shorter|quicker|easier) ` + gap + `(?:reload|drain|shut|upgrade|restart)|` +
			`\b(?:reload|drain|shutdown|upgrade|restart)\w*(?: [\w'-]+){0,2} (?:faster|shorter|quicker|better|unaffected|fine)\b`),
		nil},
}

var (
	noPrice = regexp.MustCompile(`\b(?:no|not an?|\w*n't an?|without(?: any)?|zero) (?:real |big |serious )?(?:cost|price|problem|issue|` +
		`drawback|downside|disadvantage|effect|impact|influence|concern)s?\b|\bfor free\b|\bcosts? nothing\b|^ ?(?:nothing|none)\b|` +
		`\b(?:not|\w*n't) (?:cost|matter|affect|change|need|involve|about)\b|\bunrelated\b|\birrelevant\b|(?:没有|无|不需要|没什么)(?:任何)?(?:代价|缺点|坏处|影响|问题)|免费|^ ?(?:没有|无) ?$`)
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
	said = onlyPrice.ReplaceAllString(said, "only ")
	for _, clause := range clauses.Split(said, -1) {
		if noPrice.MatchString(clause) {
			continue
		}
		for _, p := range prices {
			if p.words.MatchString(clause) && (!p.denied.MatchString(clause) || p.kept != nil && p.kept.MatchString(clause)) {
				return p.name
			}
		}
	}
	return ""
}
