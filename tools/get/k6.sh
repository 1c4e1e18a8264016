# k6, built from its module: tools/k6/go.sum pins it and all it depends on.

get_k6() {
	! there k6 "$K6_MIN" "$K6_VERSION" || return 0
	command -v go >/dev/null 2>&1 ||
		fail 3 "building k6 requires go, which is not on the PATH" "install Go $GO_VERSION, or put k6 $K6_MIN or newer on the PATH"
	began
	say "k6: building $K6_VERSION from its module (1 to 4 minutes when the build cache is empty)"
	(cd "$tools/k6" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$work/k6" go.k6.io/k6) >&2 9>&- ||
		fail 1 "k6 could not be built" "cd $(quoted "$tools/k6") && go mod download -x"
	move_in k6 "$work/k6" "$K6_VERSION" "cd $(quoted "$tools/k6") && go mod verify"
}
