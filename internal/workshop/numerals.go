package workshop

import (
	"regexp"
	"strconv"
	"strings"
)

// Learners write numbers in words and as arithmetic: "ninety-seven", "九十七", "(193+1)/2", "2^31-1".

var (
	spelled = map[string]int64{"zero": 0, "none": 0, "nothing": 0, "no": 0, "nil": 0, "nobody": 0, "one": 1, "single": 1, "once": 1,
		"two": 2, "twice": 2, "both": 2, "pair": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
		"ten": 10, "eleven": 11, "twelve": 12, "dozen": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
		"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
		"seventy": 70, "eighty": 80, "ninety": 90}
	scales     = map[string]int64{"hundred": 100, "thousand": 1000, "million": 1_000_000}
	spelledRun = func() *regexp.Regexp {
		var words []string
		for w := range spelled {
			words = append(words, w)
		}
		for w := range scales {
			words = append(words, w)
		}
		one := `(?:` + strings.Join(words, "|") + `)`
		return regexp.MustCompile(`\b` + one + `(?:(?:[ -]| and )` + one + `)*\b`)
	}()
)

// inDigits writes the numbers that are spelled in words with digits. A text that has digits keeps its words: "97, measured
// twice".
func inDigits(s string) string {
	if anyNumber.MatchString(s) {
		return s
	}
	s = strings.ReplaceAll(s, "half a dozen", "six")
	return spelledRun.ReplaceAllStringFunc(s, func(run string) string {
		total, part := int64(0), int64(0)
		for _, w := range regexp.MustCompile(`[a-z]+`).FindAllString(run, -1) {
			n, unit := spelled[w]
			switch scale := scales[w]; {
			case w == "and":
			case scale == 100:
				part = max(part, 1) * scale
			case scale > 0:
				total, part = total+max(part, 1)*scale, 0
			case unit && part > 0 && part%100 != 0 && !(part%10 == 0 && n < 10 && n > 0):
				return run // two numbers side by side
			default:
				part += n
			}
		}
		return strconv.FormatInt(total+part, 10)
	})
}

var (
	chineseNumeral = regexp.MustCompile(`[零〇一二两三四五六七八九十百千万]+`)
	digitsTenKilo  = regexp.MustCompile(`(\d+) ?([万千])`)
	chineseDigits  = map[rune]int64{'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8,
		'九': 9}
	chineseScales = map[rune]int64{'十': 10, '百': 100, '千': 1000, '万': 10_000}
)

// chineseInDigits writes Chinese numerals with digits.
func chineseInDigits(s string) string {
	s = digitsTenKilo.ReplaceAllStringFunc(s, func(m string) string {
		parts := digitsTenKilo.FindStringSubmatch(m)
		n, ok := bounded(parts[1])
		if n *= chineseScales[[]rune(parts[2])[0]]; !ok || n > mostNumber {
			return m
		}
		return strconv.FormatInt(n, 10)
	})
	return chineseNumeral.ReplaceAllStringFunc(s, func(run string) string {
		total, part, digit, before := int64(0), int64(0), int64(-1), ""
		for _, r := range run {
			if n, ok := chineseDigits[r]; ok {
				if digit > 0 {
					before, total, part = before+strconv.FormatInt(total+part+digit, 10)+" or ", 0, 0
				}
				digit = n
				continue
			}
			scale := chineseScales[r]
			if digit < 0 {
				digit = 1
				if scale == 10_000 && part > 0 {
					digit = 0
				}
			}
			if part, digit = part+digit*scale, -1; scale == 10_000 {
				total, part = (total+part/scale)*scale+part%scale*scale, 0
			}
		}
		return before + strconv.FormatInt(total+part+max(digit, 0), 10)
	})
}

var (
	power      = regexp.MustCompile(`\*\*|<<`)
	superPower = regexp.MustCompile(`(\d)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)`)
	supers     = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")
	hexNumber  = regexp.MustCompile(`\b0x([0-9a-f]{1,8})\b`)
	spaced     = regexp.MustCompile(`([\d)]) ?([-+*/^]) ?([\d(])`)
	chineseMul = regexp.MustCompile(`(\d+) ?的 ?(\d+) ?次[方幂]`)
)

// arithmetic writes powers, superscripts and hexadecimal numbers in one way.
func arithmetic(s string) string {
	s = superPower.ReplaceAllStringFunc(s, func(m string) string {
		parts := superPower.FindStringSubmatch(m)
		return parts[1] + "^" + supers.Replace(parts[2])
	})
	s = strings.NewReplacer("1<<", "2^", "1 << ", "2^", "÷", "/", "×", "*", "减", "-", " minus ", "-", " plus 1", "+1").Replace(s)
	s = hexNumber.ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.ParseInt(m[2:], 16, 64)
		return strconv.FormatInt(n, 10)
	})
	s = power.ReplaceAllString(s, "^")
	return spaced.ReplaceAllString(spaced.ReplaceAllString(s, "$1$2$3"), "$1$2$3")
}

var (
	sum      = regexp.MustCompile(`^[\d.+*/^() -]+$`)
	operator = regexp.MustCompile(`\d ?[+*/^-] ?[\d(]|\) ?[+*/^-]|=`)
)

// calculated returns the value of a text that is arithmetic, as (193+1)/2 = 97. All sides of its equations must be equal
// but for rounding.
func calculated(s string) (float64, bool) {
	if !operator.MatchString(s) {
		return 0, false
	}
	var value float64
	for i, side := range strings.Split(s, "=") {
		if !sum.MatchString(side) {
			return 0, false
		}
		e := &expression{text: strings.ReplaceAll(side, " ", "")}
		v := e.sum()
		if e.bad || e.at != len(e.text) || i > 0 && !near(v, value, 1.02) {
			return 0, false
		}
		value = v // the last side is the most rounded one, as the learner means it
	}
	return value, true
}

var aSum = regexp.MustCompile(`[\d(][\d.()+*/^= -]*[\d)]`)

// sums replaces arithmetic in a text by its value, if that is a whole number. A range and a part of a whole, 6/9, stay.
func sums(s string) string {
	return aSum.ReplaceAllStringFunc(s, func(part string) string {
		if strings.Count(part, ")") > strings.Count(part, "(") {
			part, after, _ := strings.Cut(part, ")")
			return sums(part) + ")" + sums(after)
		}
		if n, ok := whole(part); ok && strings.ContainsAny(part, "^*(=") && !strings.HasPrefix(part, "=") {
			return strconv.FormatInt(n, 10)
		}
		return part
	})
}

// expression is arithmetic that is being read.
type expression struct {
	text string
	at   int
	bad  bool
	deep int
}

func (e *expression) next(of string) byte {
	if e.at < len(e.text) && strings.IndexByte(of, e.text[e.at]) >= 0 {
		e.at++
		return e.text[e.at-1]
	}
	return 0
}

func (e *expression) sum() float64 {
	v := e.product()
	for op := e.next("+-"); op != 0; op = e.next("+-") {
		if w := e.product(); op == '+' {
			v += w
		} else {
			v -= w
		}
	}
	return v
}

func (e *expression) product() float64 {
	v := e.power()
	for op := e.next("*/"); op != 0; op = e.next("*/") {
		switch w := e.power(); {
		case op == '*':
			v *= w
		case w == 0:
			e.bad = true
		default:
			v /= w
		}
	}
	return v
}

// power reads a number or a text in parentheses, and its exponent.
func (e *expression) power() float64 {
	if e.deep++; e.deep > 20 {
		e.bad = true
		return 0
	}
	defer func() { e.deep-- }()
	var v float64
	if e.next("(") != 0 {
		v = e.sum()
		e.bad = e.bad || e.next(")") == 0
	} else {
		from := e.at
		for e.next("0123456789.") != 0 {
		}
		var err error
		v, err = strconv.ParseFloat(e.text[from:e.at], 64)
		e.bad = e.bad || err != nil
	}
	if e.next("^") == 0 {
		return v
	}
	out := 1.0
	n := e.power()
	if e.bad = e.bad || n < 0 || n > 64; e.bad {
		return 0
	}
	for range int(n) {
		out *= v
	}
	return out
}
