package facts

// Program is a client program of clients/, in one variant: what its row says
// about it. A cell keeps it, so that a page can be drawn from results.json alone.
type Program struct {
	// Ecosystem is the folder in clients/, Title what a reader calls it.
	Ecosystem string `json:"ecosystem"`
	Title     string `json:"title"`
	// Library heads the rows of one library and version.
	Library string `json:"library"`
	// Says is what this variant is, in a few words.
	Says string `json:"says"`
	// Cures is the client whose fault this variant is a cure of, or empty.
	Cures Client `json:"cures"`
	// Price is what a cure costs.
	Price string `json:"price"`
	// Snippet is the code of a cure, as this variant runs it.
	Snippet Snippet `json:"snippet"`
	// IDs is false where the tool can't send a request id, so that the backend
	// can't count what was executed.
	IDs bool `json:"ids"`
	// Default is true for the one variant of a library that is the library as it comes.
	Default bool `json:"default,omitempty"`
	// AssumesLimit is the limit that its code counts on, as a variant does that renews its connections every
	// 900 requests; 0 is none. At a lower one it is another program than the one it says it is.
	AssumesLimit int `json:"assumes_limit,omitempty"`
}

// Snippet is a piece of a file between two marks.
type Snippet struct {
	File     string `json:"file"`     // relative to the project's root
	Language string `json:"language"` // as Markdown's fences name it
	Text     string `json:"text"`
}

// The ways in which a client program itself fails, and not its requests.
const (
	FaultCrashed = "crashed" // it ended too early, or with another status than 0
	FaultSilent  = "silent"  // it did not come to its next word, or never ended
	FaultGarbled = "garbled" // what it printed can't be used
	// FaultStarved is not the program's: its machine had no file, port, thread or memory for it.
	FaultStarved = "starved"
	// FaultNotStarted says that it was not ready in time, or that no request of its
	// warm-up succeeded: nothing was measured, and nothing is said of the limit.
	FaultNotStarted = "not-started"
)

// Fault is how a client program failed. The trial has no figures of its own then.
type Fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}
