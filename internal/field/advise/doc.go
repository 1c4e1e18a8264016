// Package advise computes what a limit on requests per connection costs at a given traffic, and
// which limit to set. It is pure arithmetic: Predict turns a Question into an Answer, and Explain
// shows the formula of every number. The package uses no network, no file and no clock.
//
// constants.go has the measured constants, each with the recorded run it comes from. docs/advise.md
// compares the predictions with measured cells.
package advise
