package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// programIn returns the h2lab of a release archive, a tar.gz or a zip.
func programIn(archive string) ([]byte, error) {
	var program []byte
	var err error
	if strings.HasSuffix(archive, ".zip") {
		program, err = fromZip(archive)
	} else {
		program, err = fromTar(archive)
	}
	if err == nil && program == nil {
		err = errors.New("there is no h2lab in it")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	return program, nil
}

func isProgram(name string) bool {
	return strings.TrimSuffix(path.Base(name), ".exe") == "h2lab"
}

func fromZip(archive string) ([]byte, error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for _, f := range z.File {
		if !isProgram(f.Name) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	}
	return nil, nil
}

func fromTar(archive string) ([]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeReg && isProgram(header.Name) {
			return io.ReadAll(files)
		}
	}
}
