// Command notices collects the licence texts of everything that a release of h2lab links: the
// modules of all systems and Go's standard library. It runs in the project's directory:
//
//	h2lab-notices THIRD_PARTY_NOTICES licences.json
//
// The second file is an index from module@version to SPDX identifiers, for the SBOM. A linked module
// without a licence that licensecheck recognises is an error.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "h2lab-notices: want the two files to write; next: make dist")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "h2lab-notices: %v\n", err)
		os.Exit(1)
	}
}

func run(notices, index string) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	if len(modules) < 10 { // the command links dozens
		return fmt.Errorf("only %d linked modules found; next: go list -deps ./cmd/h2lab", len(modules))
	}
	var failed []error
	ids := map[string][]string{}
	for _, m := range modules {
		if err := m.readTexts(); err != nil {
			failed = append(failed, err)
		}
		ids[m.name()] = m.ids
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	b, err := json.MarshalIndent(ids, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(index, append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(notices, []byte(page(modules)), 0o644)
}

// page is the text of the notices: a list of the modules, then each text.
func page(modules []*module) string {
	var b strings.Builder
	b.WriteString("h2lab contains software of these projects. Their licences follow the list.\n\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "%s (%s)\n", m.name(), strings.Join(m.ids, ", "))
	}
	for _, m := range modules {
		for _, name := range slices.Sorted(slices.Values(m.files)) {
			fmt.Fprintf(&b, "\n%s\n%s: %s\n%s\n\n%s\n", strings.Repeat("=", 80), m.name(), name, strings.Repeat("=", 80),
				strings.TrimRight(m.texts[name], "\n"))
		}
	}
	return b.String()
}
