# shellcheck shell=bash
# Part of e2e/run.sh: the official images that client programs are built from,
# those of the two ecosystems that the tests bring up. They are pulled where a
# registry is reachable; else images with the same names are made of this
# machine's own toolchain, a shell and the tools a build.sh uses. That proves the
# Dockerfiles, the builds and the wiring, but not the official images.

# What a build.sh may call besides its toolchain.
base_tools="sh basename cat chmod chown cksum cmp cp cut dirname env expr find flock grep head id install ln ls mkdir mktemp mv openssl readlink rm rmdir sed sha256sum sort stat tail touch tr true uname"

bases_ready() {
	# shellcheck source=versions.env
	. ./versions.env
	base_ready GO_BASE go
	base_ready PYTHON_BASE python
}

base_ready() {
	local name=$1
	if docker image inspect "${!name}" >/dev/null 2>&1; then
		say "image: ${!name} is here"
	elif [ -z "${no_registry:-}" ] && timeout 20 docker manifest inspect "${!name}" >/dev/null 2>&1; then
		say "image: pulling ${!name}"
		timeout 600 docker pull -q "${!name}"
	else
		no_registry=1
		export "$name=${!name%@*}"
		"base_of_$2" "${!name}"
	fi
}

base_of_go() {
	command -v go >/dev/null || die "no registry is reachable and go is missing"
	local root tree="$scratch/standin/base" more=(--change 'ENV GOTOOLCHAIN=local' --change 'ENV GOPATH=/go')
	root=$(go env GOROOT)
	mkdir -p "$tree/usr/local/go" # where the official image has it
	tar -C "$root" -c --exclude=./test --exclude='*/testdata' . | tar -x -C "$tree/usr/local/go"
	base_import "$1" "$(go version)" /go/bin:/usr/local/go/bin
}

base_of_python() {
	command -v python3 >/dev/null || die "no registry is reachable and python3 is missing"
	local prefix more=() wheels=()
	prefix=$(python3 -c 'import sys; print(sys.base_prefix)')
	mkdir -p "$scratch/standin/base/usr/local/bin"
	ln -s "$prefix/bin/python3" "$scratch/standin/base/usr/local/bin/python3" # where the official image has it
	[ ! -d /usr/share/python-wheels ] || wheels=(/usr/share/python-wheels) # Debian's ensurepip has pip there
	base_import "$1" "$(python3 --version)" /usr/local/bin "$prefix/bin" "$prefix/lib" "$prefix/include" "${wheels[@]}"
}

# base_import makes image $1 with directories $4… at their own paths, and the
# tools; $2 says what it is, $3 is where its programs are.
base_import() {
	local image=$1 what=$2 bin=$3 tree="$scratch/standin/base" tool
	shift 3
	mkdir -p "$tree/usr/bin" "$tree/etc/ssl/certs" "$tree/tmp" "$tree/root"
	chmod 1777 "$tree/tmp"
	ln -s usr/bin "$tree/bin"
	# Not the packages that somebody installed here, which no official image has.
	[ $# -eq 0 ] || tar -c --exclude='*/test' --exclude='*/__pycache__' --exclude='*.a' --exclude-from=<(others "$@") "$@" 2>/dev/null | tar -x -C "$tree"
	for tool in $base_tools; do
		cp -L "$(type -P "$tool")" "$tree/usr/bin/$tool"
	done
	# ldd fails for what is no program, and says so; that is expected.
	{ find "$tree" -type f \( -perm -u+x -o -name '*.so*' \) -print0 | xargs -0 -n 40 ldd 2>/dev/null || true; } |
		sed -n 's|^[^/]*\(/[^ ]*\) (0x.*|\1|p' | sort -u | while read -r library; do
		[ -e "$tree$library" ] || install -D "$library" "$tree$library"
	done
	cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/"
	printf 'root:x:0:0::/root:/bin/sh\n' >"$tree/etc/passwd"
	tar -C "$tree" -c . | docker import --change "ENV PATH=$bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
		--change 'ENV HOME=/root' "${more[@]}" \
		--change 'ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt' \
		--change 'ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt' - "$image" >/dev/null
	rm -rf "$tree"
	say "image: STAND-IN for $image, made of this machine's $what: no registry is reachable"
}

# others are the packages below site-packages that a bare interpreter hasn't.
others() {
	find "$@" -path '*/site-packages/*' -prune ! -name 'pip' ! -name 'pip-*' ! -name 'setuptools*' ! -name 'pkg_resources' \
		! -name '_distutils_hack' ! -name 'distutils-precedence.pth'
}
