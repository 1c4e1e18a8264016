package lint

// Place is a line of a file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Place is where the finding is.
func (f Finding) Place() Place { return Place{f.File, f.Line} }

// EditKind says what an Edit does with its place.
type EditKind int

// Replace puts Text in the place of the bytes, Delete removes them with the line when nothing else is
// on it. Before, After and Inside add Text as a line of its own: before the bytes, behind them, or
// deeper, behind a `{`.
const (
	Replace EditKind = iota
	Delete
	Before
	After
	Inside
)

// Edit changes the bytes From to To of a file. Of several edits with the same Key, which names what is
// set and where, the first is enough.
type Edit struct {
	Kind     EditKind
	File     string
	From, To int
	Text     string
	Key      string
	Block    string // the name of the block that the edit is in: "upstream", "http"; "" at the top
}
