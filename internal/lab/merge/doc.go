// Package merge makes one result of the logs of several k6 processes that shared a test by k6's execution
// segments (k6/lib/runner.js): counts are added, histograms merged, and what is missing is named.
package merge
