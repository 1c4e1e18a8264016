// Package envoy_test compares Envoy's configurations with each other and with the servers that
// internal/lab/plan makes of them. With the tag integration, the real Envoy validates them.
package envoy_test

import (
	"slices"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// Cells are compared with each other, so that nothing else may differ between their files.
func TestTheFilesDifferOnlyInLimitsUpstreamsNamesAndPorts(t *testing.T) {
	labtest.Variants(t, "*.yaml", facts.Envoy, slices.Concat(plan.Topologies(plan.DefaultLimit),
		plan.LowerTopologies(plan.DefaultLimit), plan.StoryTopologies(plan.DefaultLimit)))
}
