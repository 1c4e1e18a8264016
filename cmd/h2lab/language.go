package main

import (
	"cmp"
	"os"
	"strings"
)

// chineseLocale reports whether the environment asks for Chinese messages: POSIX reads LC_ALL before LC_MESSAGES, and
// that before LANG (XBD, 8.2 Internationalization Variables).
func chineseLocale() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
	return locale == "zh" || strings.HasPrefix(locale, "zh_") || strings.HasPrefix(locale, "zh-")
}
