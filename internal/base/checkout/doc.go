// Package checkout finds the directory of the project that a program belongs
// to. The working directory alone never decides it: a foreign directory may
// hold scripts of the same names.
package checkout
