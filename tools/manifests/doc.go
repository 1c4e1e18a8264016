// Package manifests has tests only: they render deploy/ and check the result.
package manifests
