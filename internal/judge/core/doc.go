// Package core has what the verdicts on runs and on stories share: a run's cells with their summaries, the
// evidence of a verdict, a command's promises, and the texts of numbers. runverdicts and storyverdicts hold the rules
// themselves.
package core
