#!/bin/sh
# Makes the archives of h2lab for six systems in dist/, each with its SBOM, and the
# SHA-256 sums of all. It publishes nothing and needs no network but the modules'.
# Two runs at one commit make the same bytes.
#
# A commit with a version tag (v0.1.0) and an unchanged working tree make that
# version; anything else makes a snapshot with Go's pseudo-version.
# Exit status: 0 made, 1 could not, 2 wrong usage, 3 a requirement is missing.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/../.."

say() { printf 'dist: %s\n' "$1" >&2; }
fail() { # status, what went wrong, what to do next
	printf 'dist: %s; next: %s\n' "$2" "$3" >&2
	exit "$1"
}

[ $# -eq 0 ] || fail 2 "unknown argument '$1'" "make dist"
for program in go git; do
	command -v "$program" >/dev/null 2>&1 || fail 3 "there is no $program on the PATH" "install $program"
done
git rev-parse --verify --quiet HEAD >/dev/null 2>&1 && [ -e .git ] ||
	fail 1 "$PWD is no git clone with a commit, so a release has no version" "git clone the project, and run make dist there"
[ -d .git ] || # Go looks for a directory (cmd/go/internal/vcs)
	fail 1 "$PWD is a linked worktree, in which Go records no version" "git clone . ../release && make -C ../release dist"

unset GOOS GOARCH # GoReleaser sets them for each system
export CGO_ENABLED=0 PATH="$PWD/tools/bin:$PATH"
tools/release/build.sh

# What every archive holds besides the program, made by a program for this machine.
out=tools/release/out
rm -rf "$out"
mkdir -p "$out"
go build -trimpath -buildvcs=true -ldflags "-s -w" -o "$out/h2lab" ./cmd/h2lab ||
	fail 1 "h2lab can't be built" "make build"
version=$("$out/h2lab" version --json | sed -n 's/^  "version": "v\(.*\)",$/\1/p')
[ -n "$version" ] || fail 1 "the built h2lab has no version" "go version -m $out/h2lab"
"$out/h2lab" completion bash >"$out/h2lab.bash"
"$out/h2lab" completion zsh >"$out/_h2lab"
"$out/h2lab" completion fish >"$out/h2lab.fish"
"$out/h2lab" man >"$out/h2lab.1"
h2lab-notices "$out/THIRD_PARTY_NOTICES" "$out/licences.json"

mode=--snapshot
if [ -n "$(git status --porcelain)" ]; then
	say "the working tree has uncommitted changes, so this is a snapshot ($version), not a release; next: commit, tag, make dist"
elif [ -z "$(git tag --points-at HEAD --list 'v[0-9]*')" ]; then
	say "the commit has no version tag, so this is a snapshot ($version), not a release; next: git tag v0.1.0 && make dist"
else
	mode=
fi
export H2LAB_VERSION="$version"
if [ -z "$(git remote)" ]; then
	# GoReleaser asks git for a remote's URL and fails without one. It sends nothing there.
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=none
fi
# shellcheck disable=SC2086 # empty, or one word
goreleaser release --clean $mode --skip=publish,announce >&2 ||
	fail 1 "GoReleaser failed; its messages are above" "tools/bin/goreleaser check"
for made in dist/*.tar.gz dist/*.zip dist/*.cdx.json dist/*_SHA256SUMS; do
	[ ! -f "$made" ] || printf '%s\n' "$made"
done
