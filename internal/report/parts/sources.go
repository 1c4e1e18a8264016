package parts

// Sources says where the numbers of one table come from.
type Sources struct {
	Heads []string
	// Cells has a place for each cell of each row of numbers: a JSON pointer into the run's
	// results.json, in which * stands for each trial, or empty.
	Cells [][]string
}
