//go:build integration

package decode

const oneIn = 1 // every text of the corpora
