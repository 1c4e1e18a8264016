// Command sbom writes a CycloneDX document for a release archive, from the record of the modules
// that the Go command keeps in the program (debug/buildinfo, go version -m):
//
//	h2lab-sbom -licences licences.json h2lab_0.1.0_linux_amd64.tar.gz h2lab_0.1.0_linux_amd64.tar.gz.cdx.json
//
// The time is SOURCE_DATE_EPOCH, and there is no random serial number, so that two runs write the
// same bytes (reproducible-builds.org).
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	licences := flag.String("licences", "", "the index that h2lab-notices wrote")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "h2lab-sbom: want an archive and the document to write; next: make dist")
		os.Exit(2)
	}
	if err := run(*licences, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintf(os.Stderr, "h2lab-sbom: %v; next: make dist\n", err)
		os.Exit(1)
	}
}

func run(licences, archive, to string) error {
	known := map[string][]string{}
	b, err := os.ReadFile(licences)
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil {
		return fmt.Errorf("the index of licences: %w", err)
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	program, err := programIn(archive)
	if err != nil {
		return err
	}
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return fmt.Errorf("%s: the program's build record: %w", archive, err)
	}
	bom, err := document(info, program, known)
	if err != nil {
		return err
	}
	bom.Metadata.Timestamp = time.Unix(epoch, 0).UTC().Format(time.RFC3339)
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}

// document lists the program, the modules linked into it and Go's standard library.
func document(info *debug.BuildInfo, program []byte, known map[string][]string) (*cdx.BOM, error) {
	application := component(cdx.ComponentTypeApplication, info.Main.Path, info.Main.Version)
	application.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sha256.Sum256(program))}}
	application.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}
	var properties []cdx.Property
	for _, s := range info.Settings {
		properties = append(properties, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	application.Properties = &properties

	modules := []*debug.Module{{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		modules = append(modules, m)
	}
	var components []cdx.Component
	var refs []string
	for _, m := range modules {
		c := component(cdx.ComponentTypeLibrary, m.Path, m.Version)
		ids := known[m.Path+"@"+m.Version]
		if len(ids) == 0 {
			return nil, fmt.Errorf("%s@%s is linked and its licence isn't in the index", m.Path, m.Version)
		}
		c.Licenses = &cdx.Licenses{}
		for _, id := range ids {
			*c.Licenses = append(*c.Licenses, cdx.LicenseChoice{License: &cdx.License{ID: id}})
		}
		components, refs = append(components, c), append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &application}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: application.BOMRef, Dependencies: &refs}}
	return bom, nil
}

// component names a module by its package URL, in lower case as the purl specification of type
// golang requires.
func component(kind cdx.ComponentType, path, version string) cdx.Component {
	purl := "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{Type: kind, Name: path, Version: version, BOMRef: purl, PackageURL: purl}
}
