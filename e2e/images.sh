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

# standin makes image $2 of program $1 from the binary on this machine.
standin() {
	local program path elf tree own place
	program=$(printf '%s' "$1" | tr '[:upper:]' '[:lower:]')
	path=$(PATH="$PWD/tools/bin:$PATH" command -v "$program") || die "no registry is reachable and $program is missing; try: make tools"
	own="$PWD/tools/lib/$program" # what tools/get.sh unpacked with its libraries, behind a launcher
	elf=$(readlink -f "$path")
	if [ "$(head -c 2 "$elf")" = '#!' ]; then elf="$own/usr/sbin/$program"; fi
	[ -x "$elf" ] || die "$path is not a program for an image; try: rm $path && make tools"
	tree="$scratch/standin/$program"
	mkdir -p "$tree/usr/bin" "$tree/usr/lib/stand-in" "$tree/etc" "$tree/tmp"
	# Each is found by PATH; k6 and Envoy are copied out of their images too, from
	# where the official ones have them.
	place=/usr/bin
	if [ "$program" = envoy ]; then place=/usr/local/bin; fi
	install -D "$elf" "$tree$place/$program"
	libraries "$elf" "$own" | while read -r library; do
		case $library in
		*/ld-linux*) install -D "$library" "$tree$library" ;;
		*) cp -L "$library" "$tree/usr/lib/stand-in/" ;;
		esac
	done
	printf '%s:x:%s:%s::/:/none\n' root 0 0 nginx 101 101 www-data 33 33 nobody 65534 65534 >"$tree/etc/passwd"
	printf '%s:x:%s:\n' root 0 nginx 101 www-data 33 nogroup 65534 >"$tree/etc/group"
	tar -C "$tree" -c . | docker import --change 'ENV PATH=/usr/local/bin:/usr/bin' \
		--change 'ENV LD_LIBRARY_PATH=/usr/lib/stand-in' - "$2" >/dev/null
	rm -rf "$tree"
	say "image: STAND-IN for $2, made from $path ($("$path" "$(version_flag "$program")" 2>&1 | tr -s '\n ' ' ' | cut -c1-80)): no registry is reachable"
}

# libraries are the files that program $1 is linked with, those below $2 first;
# none for one that is static.
libraries() {
	local dirs
	dirs=$([ ! -d "$2" ] || find "$2" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
	(LD_LIBRARY_PATH=$dirs ldd "$1" 2>/dev/null || true) | sed -n 's|^[^/]*\(/[^ ]*\).*|\1|p' | sort -u
}

version_flag() { if [ "$1" = nginx ]; then echo -v; else echo --version; fi; }
