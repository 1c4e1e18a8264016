// Package manifests has tests only: they render deploy/ and check what comes out.
package manifests
