// Package sweepreport writes the page of a sweep: for each sweep the tables and charts as the
// published comparisons have them, this run's ratios beside the published ones, and what a limit on
// requests per connection does to each caller. It uses no network, clock or file, and writes the
// same bytes for the same input.
//
// Package sweepverdicts makes the comparisons and their sentences; this package arranges them.
package sweepreport
