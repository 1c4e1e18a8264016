package workshop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
)

// decks are the slides of each language, with the words that begin a leg's first note.
var decks = []struct{ name, minute string }{{"slides.md", `Minute (\d+)\.`}, {"zh/slides.md", `第 (\d+) 分钟`}}

var (
	slideComment = regexp.MustCompile(`(?s)<!-- (.*?) -->`)
	slideTime    = regexp.MustCompile(`<!-- (minutes|exercise): (\d+) -->`)
	slideTitle   = regexp.MustCompile(`(?m)^##? (?:(\d\d) · )?(.+)$`)
	number       = regexp.MustCompile(`\d+(?:[,.]\d+)*`)
)

// slidesOf returns a deck's slides, without the comment at the top of the file.
func slidesOf(t *testing.T, name string) []string {
	t.Helper()
	whole := labtest.Read(t, name)
	return strings.Split(whole[max(0, strings.Index(whole, "\n# ")):], "\n---\n")
}

// noteOf returns what the speaker reads on a slide.
func noteOf(slide string) string {
	var notes []string
	for _, m := range slideComment.FindAllStringSubmatch(slide, -1) {
		if !strings.HasPrefix(m[1], "recorded: ") && !slideTime.MatchString(m[0]) {
			notes = append(notes, m[1])
		}
	}
	return strings.Join(notes, "\n")
}

func minutesOf(t *testing.T, slide string) int {
	t.Helper()
	all := slideTime.FindAllStringSubmatch(slide, -1)
	if len(all) != 1 {
		t.Fatalf("a slide with %d times, not one:\n%s", len(all), slide)
	}
	n, _ := strconv.Atoi(all[0][2])
	return n
}

func TestSlidesHaveNotesAndFewWords(t *testing.T) {
	for _, deck := range decks {
		all := slidesOf(t, deck.name)
		if n := len(all); n < 25 || n > 34 {
			t.Errorf("%s has %d slides, want about 30", deck.name, n)
		}
		for i, s := range all {
			where := fmt.Sprintf("%s, slide %d", deck.name, i+1)
			if noteOf(s) == "" {
				t.Errorf("%s has no note for its speaker:\n%s", where, s)
			}
			if shown := len(strings.Fields(slideComment.ReplaceAllString(s, ""))); shown > 70 {
				t.Errorf("%s shows %d words", where, shown)
			}
			if len(slideTitle.FindAllString(s, -1)) != 1 {
				t.Errorf("%s hasn't one title", where)
			}
		}
	}
}

// legs are the minutes of each leg of the 90-minute route.
func legs(t *testing.T) (out []int) {
	t.Helper()
	for _, row := range rows(below(t, "README.md", "### 90 minutes", "\n### ")) {
		n, err := strconv.Atoi(row[len(row)-1])
		labtest.Check(t, err)
		out = append(out, n)
	}
	return out
}

func TestSlidesTakeTheTimeOfTheRoute(t *testing.T) {
	for _, deck := range decks {
		begins, begin := regexp.MustCompile(deck.minute), 0
		var taken []int
		for i, s := range slidesOf(t, deck.name) {
			if m := begins.FindStringSubmatch(noteOf(s)); m != nil {
				if m[1] != strconv.Itoa(begin) {
					t.Errorf("%s, slide %d begins at minute %d, its note says %s", deck.name, i+1, begin, m[1])
				}
				taken = append(taken, 0)
			}
			n := minutesOf(t, s)
			begin += n
			taken[len(taken)-1] += n
		}
		if want := legs(t); !slices.Equal(taken, want) {
			t.Errorf("%s: the slides of the legs take %d minutes, the route gives %d", deck.name, taken, want)
		}
	}
}

func TestExercisesOnSlidesTakeTheirChaptersTime(t *testing.T) {
	for _, deck := range decks {
		exercises := 0
		for _, s := range slidesOf(t, deck.name) {
			if slideTime.FindStringSubmatch(s)[1] != "exercise" {
				continue
			}
			exercises++
			chapter := chapterOf(t, s)
			want := regexp.MustCompile(`exercise (\d+)`).FindStringSubmatch(part(t, chapter, "Minutes").text)
			if want == nil || want[1] != strconv.Itoa(minutesOf(t, s)) {
				t.Errorf("%s gives the exercise of %s %d minutes, its page %q", deck.name, chapter, minutesOf(t, s), want)
			}
			if n := strings.TrimPrefix(chapter[:2], "0"); !strings.Contains(s, "make step N="+n+"\n") {
				t.Errorf("%s: the exercise of %s has no make step N=%s", deck.name, chapter, n)
			}
		}
		if exercises != 3 {
			t.Errorf("%s has %d exercises, the route 3", deck.name, exercises)
		}
	}
}

// chapterOf returns the chapter that a slide's title begins with, or "".
func chapterOf(t *testing.T, slide string) string {
	t.Helper()
	n := slideTitle.FindStringSubmatch(slide)[1]
	for _, name := range chapterFiles(t) {
		if n != "" && strings.HasPrefix(name, n) {
			return name
		}
	}
	return ""
}

// examples are numbers that nobody measured: the streams around the 100th request, 2 × 100 − 1 and the
// next three, four users who send 25 requests each, and the two limits of the lab's nginx.
var examples = []string{"199", "201", "203", "205", "25", "100", "1000", "100000"}

// unfounded returns the numbers of a slide that stand neither in a page, nor in a quotation of a
// recorded run, nor among the examples.
func unfounded(slide, page string) (out []string) {
	known := append(number.FindAllString(page, -1), examples...)
	for _, m := range slideComment.FindAllStringSubmatch(slide, -1) {
		if quotation, ok := strings.CutPrefix(m[1], "recorded: "); ok {
			words := strings.Fields(quotation)
			known = append(known, words[len(words)-1])
		}
	}
	shown := slideTitle.ReplaceAllString(slideComment.ReplaceAllString(slide, ""), "$2")
	shown = regexp.MustCompile(`(?:src|srcset)="[^"]*"`).ReplaceAllString(shown, "")
	for _, n := range number.FindAllString(shown, -1) {
		if len(n) > 1 && !slices.Contains(known, n) {
			out = append(out, n)
		}
	}
	return out
}

func TestEveryNumberOfASlideIsOfItsChapterOrARecordedRun(t *testing.T) {
	var every strings.Builder
	for _, name := range chapterFiles(t) {
		every.WriteString(labtest.Read(t, name))
	}
	for _, deck := range decks {
		for i, s := range slidesOf(t, deck.name) {
			page := every.String()
			if name := chapterOf(t, s); name != "" {
				page = labtest.Read(t, name)
			}
			if found := unfounded(s, page); found != nil {
				t.Errorf("%s, slide %d: %q are neither in its chapter nor from a recorded run", deck.name, i+1, found)
			}
			for _, m := range recorded.FindAllStringSubmatch(s, -1) {
				if wrong := holds(t, m[1], slideComment.ReplaceAllString(s, "")); wrong != "" {
					t.Errorf("%s, slide %d: %s: it %s", deck.name, i+1, m[1], wrong)
				}
			}
		}
	}
	for slide, want := range map[string]int{
		"## 02 · 926 and 14\n\n926\n<!-- recorded: repro a.b.c accepted 926 -->\n<!-- recorded: repro a.b.c used 14 -->": 0,
		"## 02 · A title\n\n927 in 5 s\n<!-- recorded: repro a.b.c accepted 926 -->":                                     1,
		"## 02 · A title\n\n<img alt=\"77 dials\" src=\"pictures/a-88.svg\">\n<!-- 99 minutes -->":                       1,
	} {
		if got := unfounded(slide, "chapter 2"); len(got) != want {
			t.Errorf("%q has the unfounded numbers %q, want %d", slide, got, want)
		}
	}
}

// A picture of a slide has both colour schemes, an alternative text, and a caption that says what it shows.
var slidePicture = regexp.MustCompile(`(?s)<picture>\n  <source media="\(prefers-color-scheme: dark\)" ` +
	`srcset="(\S+)-dark\.svg">\n  <img alt="([^"]{20,})" src="(\S+)-light\.svg">\n</picture>\n\n\*[^*\n]{10,}\*\n`)

// shownIn counts the pictures of a page by name; each has two files.
func shownIn(t *testing.T, name string) map[string]int {
	t.Helper()
	page, shown, all := labtest.Read(t, name), map[string]int{}, 0
	for _, m := range slidePicture.FindAllStringSubmatch(page, -1) {
		all++
		shown[filepath.Base(m[1])]++
		for _, scheme := range []string{"-light.svg", "-dark.svg"} {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1]+scheme)); err != nil || m[1] != m[3] {
				t.Errorf("%s: %s is dark where %s is light, %v", name, m[1], m[3], err)
			}
		}
	}
	if n := strings.Count(page, "<img "); n != all {
		t.Errorf("%s: %d of %d pictures have two schemes, an alternative text and a caption", name, all, n)
	}
	return shown
}

// ofChapters are the pictures that no slide shows, with their chapters.
var ofChapters = map[string]string{"chain": "00-story.md", "counts": "02-counting.md", "ending": "04-goaway.md",
	"replay": "08-replay.md", "signs": "09-tls.md", "hops": "10-unknown.md", "knob": "11-question.md"}

// Every picture is on a slide or in its chapter. Charts of recorded runs are for slides; a diagram explains a chapter too,
// with the same alternative text.
func TestPicturesSayWhatTheyShowWhereTheyBelong(t *testing.T) {
	drawn, _ := filepath.Glob("pictures/*-light.svg")
	for _, deck := range decks {
		if shown := shownIn(t, deck.name); len(shown) != len(drawn)-len(ofChapters) {
			t.Errorf("%s shows %d pictures, want %d", deck.name, len(shown), len(drawn)-len(ofChapters))
		}
		folder := filepath.Dir(deck.name)
		for name, chapter := range ofChapters {
			if shownIn(t, filepath.Join(folder, chapter))[name] != 1 {
				t.Errorf("%s doesn't show %s once", filepath.Join(folder, chapter), name)
			}
		}
		for _, name := range []string{"topologies", "shared", "dials", "cures", "stages"} {
			whole := regexp.MustCompile(`(?s)<picture>\n  <source [^>]*/` + name + `-dark\.svg">.*?</picture>\n`).
				FindString(labtest.Read(t, deck.name))
			in := 0
			for _, chapter := range chapterFiles(t) {
				if strings.Contains(labtest.Read(t, filepath.Join(folder, chapter)), whole) {
					in++
				}
			}
			if whole == "" || in != 1 {
				t.Errorf("the diagram %s of %s stands in %d chapters, want 1", name, deck.name, in)
			}
		}
	}
}

func TestTheInstructorKnowsTheSlidesNumbers(t *testing.T) {
	all, plan := slidesOf(t, "slides.md"), labtest.Read(t, "instructor.md")
	legStarts := []int{}
	for i, s := range all {
		if regexp.MustCompile(decks[0].minute).MatchString(noteOf(s)) {
			legStarts = append(legStarts, i+1)
		}
	}
	first, last := legStarts[1]-1, legStarts[len(legStarts)-1]
	for _, want := range []string{fmt.Sprintf("slides 1 to %d;", first), fmt.Sprintf("slides %d to %d;", last, len(all))} {
		if !strings.Contains(plan, want) {
			t.Errorf("instructor.md doesn't say %q", want)
		}
	}
}
