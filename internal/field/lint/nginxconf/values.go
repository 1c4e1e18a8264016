package nginxconf

import (
	"math"
	"strings"
)

// number reads a number as ngx_conf_set_num_slot does: only digits; no sign, unit or variable.
func number(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	var n int64
	for i := range len(s) {
		digit := int64(s[i]) - '0'
		if digit < 0 || digit > 9 || n > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, true
}

// The steps of ngx_parse_time: a unit may only follow larger ones.
const (
	stepStart = iota
	stepYear
	stepMonth
	stepWeek
	stepDay
	stepHour
	stepMinute
	stepSecond
	stepMilli
	stepLast
)

// unit is a unit's step and its length in milliseconds.
type unit struct {
	step int
	ms   int64
}

var units = map[string]unit{
	"y":  {stepYear, 365 * 24 * 3600e3},
	"M":  {stepMonth, 30 * 24 * 3600e3},
	"w":  {stepWeek, 7 * 24 * 3600e3},
	"d":  {stepDay, 24 * 3600e3},
	"h":  {stepHour, 3600e3},
	"m":  {stepMinute, 60e3},
	"s":  {stepSecond, 1e3},
	"ms": {stepMilli, 1},
	" ":  {stepLast, 1e3},
}

// seconds reads a time as ngx_parse_time does: "75", "1h30m", "1h 30m", "500ms". A time that nginx
// stores in milliseconds has no months or years; one that it stores in seconds (whole) has no
// milliseconds.
func seconds(s string, whole bool) (float64, bool) {
	var value, total int64
	step, valid, second := stepMonth, false, int64(1000) // second is the number of counted units in a second
	if whole {
		step, second = stepStart, 1
	}
	for i := 0; i < len(s); {
		if c := s[i]; c >= '0' && c <= '9' {
			digit := int64(c - '0')
			if value > (math.MaxInt64-digit)/10 {
				return 0, false
			}
			value, valid = value*10+digit, true
			i++
			continue
		}
		name := s[i : i+1]
		if strings.HasPrefix(s[i:], "ms") {
			name = "ms"
		}
		u, known := units[name]
		if !known || !follows(u.step, step) || u.step == stepMilli && whole {
			return 0, false
		}
		step = u.step
		scale := max(u.ms*second/1000, 1)
		if value > (math.MaxInt64-total)/scale {
			return 0, false
		}
		total, value = total+value*scale, 0
		for i += len(name); i < len(s) && s[i] == ' '; i++ {
		}
	}
	if !valid || value > (math.MaxInt64-total)/second {
		return 0, false
	}
	return float64(total+value*second) / float64(second), true
}

// follows reports whether a unit may follow a step. A number followed by a space instead of a unit is
// in seconds and is the last step.
func follows(unit, step int) bool {
	if unit == stepLast {
		return step < stepSecond
	}
	return step < unit
}
