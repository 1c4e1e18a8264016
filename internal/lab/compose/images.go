package compose

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/rooted"
	"h2lab/internal/base/versions"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
)

// versionsFile holds the images' names and versions, one NAME=VALUE a line.
const versionsFile = "versions.env"

// registryTimeout bounds the wait for a registry to report whether it has an image, on a slow line.
const registryTimeout = 30 * time.Second

// Image is one line of versions.env whose variable ends in _IMAGE, or in _BASE for the base images
// of client programs.
type Image struct {
	Variable string // such as NGINX_IMAGE
	Name     string // such as nginx:1.31.3, or with @sha256:… once pinned
}

// Images are the official images that every measurement runs: those in versions.env, unless the
// environment overrides them, as in Compose. The bases of client programs are not among them: a
// measurement of a topology does not need them, and a client without its base is only left out.
func Images(root string) ([]Image, error) {
	all, err := named(root)
	all = slices.DeleteFunc(all, Image.base)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s names no image; restore it: git checkout %[1]s", versionsFile)
	}
	return all, err
}

// named are all images that versions.env names.
func named(root string) (out []Image, err error) {
	data, err := os.ReadFile(filepath.Join(root, versionsFile))
	if err != nil {
		return nil, fmt.Errorf("the images' versions: %w; run this in the project's directory", err)
	}
	for line := range strings.Lines(string(data)) {
		if image, ok := parseImage(line); ok {
			image.Name = cmp.Or(os.Getenv(image.Variable), image.Name)
			out = append(out, image)
		}
	}
	return out, nil
}

// base reports whether the image is only a base for builds.
func (i Image) base() bool { return strings.HasSuffix(i.Variable, "_BASE") }

// parseImage reads NAME_IMAGE=VALUE or NAME_BASE=VALUE, quoted or not; false for
// any other line.
func parseImage(line string) (Image, bool) {
	name, value, found := strings.Cut(strings.TrimSpace(line), "=")
	name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
	if !found || !strings.HasSuffix(name, "_IMAGE") && !strings.HasSuffix(name, "_BASE") ||
		strings.HasPrefix(name, "#") {
		return Image{}, false
	}
	value, _, _ = strings.Cut(value, " #")
	return Image{Variable: name, Name: strings.Trim(strings.TrimSpace(value), `"'`)}, true
}

// ImagesAvailable checks that every image is on this machine or can be pulled. It asks the registries
// about missing images only, about all of them at once, so that each has the whole time. Its error
// names the images that can't be had, with the last one's reason.
func ImagesAvailable(ctx context.Context, images []Image) error {
	problems := make([]error, len(images))
	var group await.Group
	for n, image := range images {
		group.Go(func() { problems[n] = available(ctx, image.Name) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var lacking []string
	var why error
	for n, err := range problems {
		if err != nil {
			lacking, why = append(lacking, images[n].Name), err
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("%s is not available: it is not on this machine, and %w; try: docker pull %s",
		strings.Join(lacking, ", "), why, lacking[0])
}

// available is why one image can't be had, or nil.
func available(ctx context.Context, image string) error {
	if _, err := docker(ctx, os.Environ(), "image", "inspect", "--format", "{{.Id}}", image); err == nil {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, registryTimeout)
	defer cancel()
	_, err := docker(asking, os.Environ(), "manifest", "inspect", image)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the registry did not answer within %s", registryTimeout)
	}
	return err
}

// ImageRuns says why there is no image for a server, or why it is too old for its configuration; it is empty when it
// isn't. It runs the program in the image, since a tag may name any version.
func ImageRuns(ctx context.Context, root string, s facts.Server) (reason facts.Text) {
	k := kinds.Of(s.Kind)
	if k.Optional && k.Image == "" {
		return facts.T("lab.no-image", k.Program)
	}
	if s.MinVersion == "" {
		return reason
	}
	image, err := imageOf(root, k.Image)
	if err != nil {
		return facts.Verbatim(err.Error())
	}
	args := append([]string{"run", "--rm", "--network", "none", "--entrypoint", k.Program, image}, k.AskVersion...)
	r, err := command(ctx, child.Spec{}, args...)
	if err != nil {
		return facts.Verbatim(fmt.Sprintf("%s doesn't print its version: %v", image, err))
	}
	said := r.Stdout + r.Stderr // nginx -v prints to stderr
	found, is := versions.Of(k.Program, said)
	if !is {
		return facts.Verbatim(fmt.Sprintf("%s doesn't print its version: %q", image, said))
	}
	if least, err := versions.Parse(s.MinVersion); err != nil || found.Less(least) {
		return facts.T("lab.needs-version-image", s.Config, k.Program, s.MinVersion, image, found.Text)
	}
	return reason
}

// imageOf is the name of one image.
func imageOf(root, variable string) (string, error) {
	images, err := Images(root)
	if err != nil {
		return "", err
	}
	for _, i := range images {
		if i.Variable == variable {
			return i.Name, nil
		}
	}
	return "", fmt.Errorf("%s is not in versions.env; restore it: git checkout versions.env", variable)
}

// inputsLabel is the label of an image with the hash of what it was built from.
const inputsLabel = "h2lab.inputs"

// build builds the image of a service where it is missing or was built from something else.
// `docker compose build` would ask the registry for the bases even where nothing has changed, and so
// fail without a network.
func (p *Project) build(ctx context.Context, service, image, dockerfile string) error {
	want, err := inputs(p.Root, dockerfile, p.engine(ctx).Arch)
	if err != nil {
		return err
	}
	if builtFrom(ctx, image) == want {
		return nil
	}
	words := &progress{to: p.Log}
	_, err = command(ctx, child.Spec{Env: append(p.env(ctx), "LAB_INPUTS="+want), Stdout: words, Stderr: words},
		p.args("build", service)...)
	return err
}

// builtFrom is the hash in an image's label; empty without the image or the label.
func builtFrom(ctx context.Context, image string) string {
	said, err := docker(ctx, os.Environ(), "image", "inspect", "--format", "{{json .Config.Labels}}", image)
	var labels map[string]string
	if err != nil || json.Unmarshal([]byte(said), &labels) != nil {
		return ""
	}
	return labels[inputsLabel]
}

// inputs is a hash of what an image is built from: its Dockerfile, the values of the arguments that
// name its bases, and the files that it copies out of the checkout. Two images with the same hash are
// the same as far as the checkout decides.
func inputs(root, dockerfile, arch string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, dockerfile))
	if err != nil {
		return "", err
	}
	ignored, err := readIgnored(root)
	if err != nil {
		return "", err
	}
	images, err := named(root)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write(text)
	var sources []string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) < 2:
		case words[0] == "ARG":
			arg := Image{Variable: strings.Split(words[1], "=")[0]}
			if i := slices.IndexFunc(images, func(x Image) bool { return x.Variable == arg.Variable }); i >= 0 {
				arg.Name = images[i].Name
			}
			if arg.base() || strings.HasSuffix(arg.Variable, "_IMAGE") {
				fmt.Fprintf(sum, "\x00%s=%s", arg.Variable, cmp.Or(os.Getenv(arg.Variable), arg.Name))
			}
		case words[0] == "COPY" && !strings.HasPrefix(words[1], "--from="):
			sources = append(sources, words[1:len(words)-1]...)
		}
	}
	skip := func(rel string) bool {
		return slices.ContainsFunc(ignored, func(pattern string) bool { return matches(pattern, rel) })
	}
	for _, source := range sources {
		if err := clients.HashTree(sum, root, strings.ReplaceAll(source, "${TARGETARCH}", arch), skip); err != nil {
			return "", fmt.Errorf("an image's files: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// readIgnored are the patterns of .dockerignore that exclude files, other than the first, which
// excludes all that is not named.
func readIgnored(root string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && line != "*" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "!") {
			out = append(out, line)
		}
	}
	return out, nil
}

// matches reports whether a pattern of .dockerignore excludes a path. The project's own use two forms:
// **/NAME, anywhere, and a path with * for one name.
func matches(pattern, name string) bool {
	if last, anywhere := strings.CutPrefix(pattern, "**/"); anywhere {
		pattern, name = last, path.Base(name)
	}
	ok, _ := path.Match(pattern, name)
	return ok
}

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

var pulled = regexp.MustCompile(`(?m)^Digest: (sha256:\S+)`)

// pullDigest pulls an image and returns its digest in the registry.
func pullDigest(ctx context.Context, name string) (string, error) {
	said, err := docker(ctx, os.Environ(), "pull", name)
	if err != nil {
		return "", fmt.Errorf("%s can't be pulled, so its digest is unknown (%w); try again where its registry is "+
			"reachable", name, err)
	}
	if m := pulled.FindStringSubmatch(said); m != nil {
		return m[1], nil
	}
	return "", fmt.Errorf("%s has no digest of its registry; pull it: docker pull %s", name, name)
}

func withoutDigest(name string) string {
	name, _, _ = strings.Cut(name, "@")
	return name
}
