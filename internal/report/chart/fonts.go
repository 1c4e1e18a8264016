package chart

import (
	"fmt"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
)

// fonts are those that texts are measured with. gonum's canvas looks them up in its own cache.
var fonts = sync.OnceValue(func() *font.Cache {
	for f, ttf := range map[*font.Font][]byte{&sans: liberationsansregular.TTF, &boldSans: liberationsansbold.TTF} {
		face, err := opentype.Parse(ttf)
		if err != nil {
			panic(fmt.Errorf("the font %s: %w", f.Name(), err)) // render returns an error
		}
		font.DefaultCache.Add(font.Collection{{Font: *f, Face: face}})
	}
	return font.DefaultCache
})
