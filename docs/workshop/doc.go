// Package workshop has no code: its tests hold the workshop's pages against the
// exercises, the routes and the recorded runs that they speak of, and carry out
// every command of every chapter in a room of their own.
//
// start/ is what learners begin with and solutions/ is where they may arrive;
// both are files for internal/workshop to lay out and to judge.
package workshop
