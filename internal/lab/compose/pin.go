package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"h2lab/internal/base/rooted"
)

// Pin pulls each image in path (versions.env) by its version, and adds the registry's digest to its
// name (nginx:1.31.3@sha256:…); Compose runs that digest from then on. It writes the file only when
// every image has a digest, as a whole, and keeps comments and other lines; then the same names in .env
// beside it, which plain `docker compose` reads. It returns the pinned images.
func Pin(ctx context.Context, path string) ([]Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the images' versions: %w; run this in the project's directory", err)
	}
	var pinned []Image
	text, err := renamed(data, func(image Image) (string, error) {
		digest, err := pullDigest(ctx, withoutDigest(image.Name))
		if err != nil {
			return "", fmt.Errorf("%s: %w; %s is unchanged", image.Variable, err, path)
		}
		image.Name = withoutDigest(image.Name) + "@" + digest
		pinned = append(pinned, image)
		return image.Name, nil
	})
	if err != nil {
		return nil, err
	}
	if len(pinned) == 0 {
		return nil, fmt.Errorf("%s names no image; restore it: git checkout %s", path, versionsFile)
	}
	if err := rooted.WriteFile(path, text); err != nil {
		return nil, fmt.Errorf("the pinned versions could not be written: %w", err)
	}
	return pinned, repeat(pinned, filepath.Join(filepath.Dir(path), ".env"))
}

// repeat writes the images' names into a file that has their variables already.
func repeat(images []Image, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("the images' names are pinned, but not for plain docker compose: %w; restore it: "+
			"git checkout .env", err)
	}
	text, _ := renamed(data, func(there Image) (string, error) {
		if i := slices.IndexFunc(images, func(image Image) bool { return image.Variable == there.Variable }); i >= 0 {
			return images[i].Name, nil
		}
		return there.Name, nil
	})
	if err := rooted.WriteFile(path, text); err != nil {
		return fmt.Errorf("the pinned versions could not be written: %w", err)
	}
	return nil
}

// renamed is the text of a file with the new name of each of its images; other text stays.
func renamed(data []byte, name func(Image) (string, error)) ([]byte, error) {
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		if image, ok := parseImage(line); ok {
			to, err := name(image)
			if err != nil {
				return nil, err
			}
			line = strings.Replace(line, image.Name, to, 1)
		}
		out.WriteString(line)
	}
	return []byte(out.String()), nil
}

// pullDigest pulls an image and returns its digest in the registry.
func pullDigest(ctx context.Context, name string) (string, error) {
	if _, err := docker(ctx, os.Environ(), "pull", "--quiet", name); err != nil {
		return "", fmt.Errorf("%s can't be pulled, so its digest is unknown (%w); try again where its registry is "+
			"reachable", name, err)
	}
	text, err := docker(ctx, os.Environ(), "image", "inspect", "--format", "{{json .RepoDigests}}", name)
	if err != nil {
		return "", err
	}
	var digests []string
	if err := json.Unmarshal([]byte(text), &digests); err != nil {
		return "", fmt.Errorf("docker image inspect %s did not answer with JSON: %w", name, err)
	}
	for _, d := range digests {
		if repository, digest, ok := strings.Cut(d, "@"); ok && sameRepository(repository, name) {
			return digest, nil
		}
	}
	return "", fmt.Errorf("%s has no digest of its registry; pull it: docker pull %s", name, name)
}

func withoutDigest(name string) string {
	name, _, _ = strings.Cut(name, "@")
	return name
}

// sameRepository compares a repository with an image's name: nginx is docker.io/library/nginx, and
// a colon after the last slash begins the version.
func sameRepository(repository, image string) bool {
	if slash, colon := strings.LastIndex(image, "/"), strings.LastIndex(image, ":"); colon > slash {
		image = image[:colon]
	}
	full := func(s string) string {
		return strings.TrimPrefix(strings.TrimPrefix(s, "docker.io/"), "library/")
	}
	return full(repository) == full(image)
}
