// Package workshop has no code: its tests compare the workshop's pages with the exercises, the
// routes and the recorded runs that they cite, and run every command of every chapter in a separate
// copy of the project.
//
// start/ is what learners begin with and solutions/ has one solution of each exercise;
// internal/workshop copies and checks both.
package workshop
