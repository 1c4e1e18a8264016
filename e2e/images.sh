# shellcheck shell=bash
# Part of e2e/run.sh: the official images. They are pulled where a registry is
# reachable; else images with the same names are made from the binaries in
# tools/bin, which proves the wiring and the bytes of the configurations, but
# not the official images: it is said aloud.

images_ready() {
	# shellcheck source=versions.env
	. ./versions.env
	local name
	for name in NGINX_IMAGE ENVOY_IMAGE K6_IMAGE; do
		if docker image inspect "${!name}" >/dev/null 2>&1; then
			say "image: ${!name} is here"
		elif [ -z "${no_registry:-}" ] && timeout 20 docker manifest inspect "${!name}" >/dev/null 2>&1; then
			say "image: pulling ${!name}"
			timeout 600 docker pull -q "${!name}"
		else
			no_registry=1
			# A digest can't be given to an image that is made here: the name and
			# version alone, for this run.
			export "$name=${!name%@*}"
			standin "${name%_IMAGE}" "${!name}"
		fi
	done
}

# standin makes image $2 of program $1 from the binary on this machine. What it shares with the official
# image is a table, which a test compares with the image (e2e/standins_test.go, docs/docker.md).
standin() {
	local program path elf tree own place entry change=()
	program=$(printf '%s' "$1" | tr '[:upper:]' '[:lower:]')
	path=$(PATH="$PWD/tools/bin:$PATH" command -v "$program") || die "no registry is reachable and $program is missing; try: make tools"
	own="$PWD/tools/lib/$program" # what tools/get.sh unpacked with its libraries, behind a launcher
	elf=$(readlink -f "$path")
	if [ "$(head -c 2 "$elf")" = '#!' ]; then elf="$own/usr/sbin/$program"; fi
	[ -x "$elf" ] || die "$path is not a program for an image; try: rm $path && make tools"
	tree="$scratch/standin/$program"
	mkdir -p "$tree/usr/bin" "$tree/usr/lib/stand-in" "$tree/etc" "$tree/tmp"
	chmod 1777 "$tree/tmp"
	ln -s usr/bin "$tree/bin"
	entry='["/docker-entrypoint.sh"]'
	case $program in
	nginx) place=/usr/sbin/nginx ;;
	envoy) place=/usr/local/bin/envoy ;;
	k6) place=/usr/bin/k6 entry='["k6"]' change=(--change 'USER 12345') ;;
	esac
	put "$elf" "$place"
	put "$(type -P sh)" /usr/bin/sh
	put "$(type -P id)" /usr/bin/id
	put "$(type -P stat)" /usr/bin/stat
	put "$(type -P setpriv)" /usr/bin/setpriv
	entrypoint_of "$program" >"$tree/docker-entrypoint.sh"
	chmod 755 "$tree/docker-entrypoint.sh"
	printf '%s:x:%s:%s::/:/none\n' root 0 0 "$program" 101 101 www-data 33 33 nobody 65534 65534 >"$tree/etc/passwd"
	printf '%s:x:%s:\n' root 0 "$program" 101 www-data 33 nogroup 65534 >"$tree/etc/group"
	tar -C "$tree" -c . | docker import --change "ENTRYPOINT $entry" "${change[@]}" \
		--change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
		--change 'ENV LD_LIBRARY_PATH=/usr/lib/stand-in' - "$2" >/dev/null
	rm -rf "$tree"
	say "image: STAND-IN for $2, made from $path ($("$path" "$(version_flag "$program")" 2>&1 | tr -s '\n ' ' ' | cut -c1-80)): no registry is reachable"
}

# put copies program $1 to $2 in the tree, with the libraries that it is linked with.
put() {
	install -D "$1" "$tree$2"
	libraries "$1" "$own" | while read -r library; do
		case $library in
		*/ld-linux*) install -D "$library" "$tree$library" ;;
		*) cp -L "$library" "$tree/usr/lib/stand-in/" ;;
		esac
	done
}

# entrypoint_of prints what an official image's entrypoint script does that matters here: Envoy's
# becomes uid 101, which can't read keys of mode 0600. nginx's edits files in /etc/nginx first.
entrypoint_of() {
	echo '#!/bin/sh'
	echo 'set -e'
	# shellcheck disable=SC2016
	[ "$1" != envoy ] || echo '[ "$(id -u)" != 0 ] || exec setpriv --reuid 101 --regid 101 --clear-groups "$@"'
	# shellcheck disable=SC2016
	echo 'exec "$@"'
}

# libraries are the files that program $1 is linked with, those below $2 first;
# none for one that is static.
libraries() {
	local dirs
	dirs=$([ ! -d "$2" ] || find "$2" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
	(LD_LIBRARY_PATH=$dirs ldd "$1" 2>/dev/null || true) | sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p' | sort -u
}

version_flag() { if [ "$1" = nginx ]; then echo -v; else echo --version; fi; }
