//go:build !integration

package decode

const oneIn = 8 // which texts of the corpora unit tests try; the layer integration tries all
