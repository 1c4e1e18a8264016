// Package merge makes one result from the logs of several k6 processes that shared a test by k6's execution
// segments (k6/lib/runner.js). It adds counts, merges histograms and names what is missing.
package merge
