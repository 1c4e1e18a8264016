package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/field/output"
	"h2lab/internal/report/translations"
)

// Results and guidance are in the user's language. Error messages, --help and JSON stay English: an error message is
// what a user searches for and what an issue quotes, and JSON is for programs.

// languageFlag is the flag of every verb for the language of its output.
type languageFlag struct {
	Lang string `placeholder:"en|zh" help:"Language of the output: en or zh. Default: that of the locale."`
}

// language returns the output's language, and whether the user has named it.
func (f languageFlag) language() (l translations.Language, named bool, err error) {
	switch {
	case f.Lang == "":
		l = translations.English
		if chineseLocale() {
			l = translations.Chinese
		}
		return l, false, nil
	case isLanguage(f.Lang, "zh"):
		return translations.Chinese, true, nil
	case isLanguage(f.Lang, "en"):
		return translations.English, true, nil
	}
	return "", true, exitstatus.WrongUsage(fmt.Errorf("--lang %s is unknown: choose en or zh", f.Lang))
}

// chineseLocale reports whether the environment asks for Chinese messages: POSIX reads LC_ALL before LC_MESSAGES, and
// that before LANG (XBD, 8.2 Internationalization Variables).
func chineseLocale() bool {
	return isLanguage(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")), "zh")
}

// isLanguage reports whether a locale, as zh_CN.UTF-8, or a language tag, as zh-CN, is of a language.
func isLanguage(locale, language string) bool {
	name, _, _ := strings.Cut(locale, ".")
	name, _, _ = strings.Cut(strings.ReplaceAll(name, "-", "_"), "_")
	return strings.EqualFold(name, language)
}

// setLanguage chooses the language of the verb's output. It says that a verb has no Chinese output only where the user
// named the language, since a locale is set for all programs.
func (a *app) setLanguage(f languageFlag, verb *kong.Node) error {
	l, named, err := f.language()
	if err != nil {
		return err
	}
	if l == translations.Chinese && verb.Tag.Has("english") {
		if named {
			a.message("h2lab: %s", l.Say("command.no-chinese-output-yet", verb.Name))
		}
		l = translations.English
	}
	a.language, a.named = l, named
	return nil
}

// page is the name of a run's page in the user's language, from that of the English one.
func (a *app) page(english string) string {
	if a.language == translations.Chinese {
		return strings.TrimSuffix(english, ".md") + ".zh.md"
	}
	return english
}

// say formats a phrase in the user's language.
func (a *app) say(p translations.Phrase, args ...any) string { return a.language.Say(p, args...) }

// print writes a phrase to stdout.
func (a *app) print(p translations.Phrase, args ...any) error {
	_, err := fmt.Fprint(a.stdout, a.say(p, args...))
	return err
}

// tell writes a phrase as a line to stderr.
func (a *app) tell(p translations.Phrase, args ...any) { a.message("h2lab: %s", a.say(p, args...)) }

// translate is how a field tool prints in the user's language; nil is English.
func (a *app) translate() output.Translate {
	if a.language == translations.Chinese {
		return a.language.Field
	}
	return nil
}

// notice writes lines of a field tool to stderr, in the user's language.
func (a *app) notice(format string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		a.message("%s", a.translate().Say(line))
	}
}
