// Package checkout finds the project directory that a program belongs to. The working directory
// alone never decides it: another directory may contain scripts of the same names.
package checkout
