package facts

// Program is one variant of a client program in clients/, as its manifest describes it. A cell
// keeps it, so that a page needs only results.json.
type Program struct {
	// Ecosystem is the folder in clients/, Title its name in reports.
	Ecosystem string `json:"ecosystem"`
	Title     string `json:"title"`
	// Library is the heading above the rows of one library and version.
	Library string `json:"library"`
	// Says describes the variant in a few words.
	Says string `json:"says"`
	// Cures is the client whose fault this variant cures, or empty.
	Cures Client `json:"cures"`
	// Price is the cost of a cure.
	Price string `json:"price"`
	// Snippet is the code of a cure, as this variant runs it.
	Snippet Snippet `json:"snippet"`
	// IDs is false where the tool can't send a request id, so that the backend can't count the
	// requests it executed.
	IDs bool `json:"ids"`
	// Default is true for the one variant that uses the library with its defaults.
	Default bool `json:"default,omitempty"`
	// AssumesLimit is the limit that the variant's code assumes (a variant renews its connections
	// every 900 requests, for example); 0 is none. With a lower limit the variant does not do what
	// it describes.
	AssumesLimit int `json:"assumes_limit,omitempty"`
	// TakesRate is true where the program can send requests on a schedule.
	TakesRate bool `json:"takes_rate,omitempty"`
}

// Snippet is the part of a file between two marks.
type Snippet struct {
	File     string `json:"file"`     // relative to the project's root
	Language string `json:"language"` // as after Markdown's fences
	Text     string `json:"text"`
}

// Kinds of Fault: the client program failed, not its requests.
const (
	FaultCrashed = "crashed" // it ended too early, or with a status other than 0
	FaultSilent  = "silent"  // it did not print its next line in time, or did not end
	FaultGarbled = "garbled" // its output can't be parsed
	// FaultStarved is not the program's fault: its machine had no file descriptor, port, thread or
	// memory for it.
	FaultStarved = "starved"
	// FaultNotStarted means that the program was not ready in time, or that no warm-up request
	// succeeded: nothing was measured, and no verdict about the limit follows.
	FaultNotStarted = "not-started"
)

// Fault is how a client program failed. Its trial has no figures.
type Fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}
