# shellcheck shell=bash
# Part of e2e/run.sh: the base of the lab container, an official Debian. It is
# pulled where a registry is reachable; else an image with the same name is made
# of the distribution's packages by mmdebstrap, in the variant that the official
# slim image has (minbase: github.com/debuerreotype/debuerreotype). That proves
# the Dockerfile and the container, but not the official image.

lab_base_ready() {
	# shellcheck source=versions.env
	. ./versions.env
	if docker image inspect "$LAB_BASE" >/dev/null 2>&1; then
		say "image: $LAB_BASE is here"
	elif [ -z "${no_registry:-}" ] && timeout 20 docker manifest inspect "$LAB_BASE" >/dev/null 2>&1; then
		say "image: pulling $LAB_BASE"
		timeout 600 docker pull -q "$LAB_BASE"
	else
		no_registry=1
		export LAB_BASE=${LAB_BASE%@*}
		lab_base_standin
	fi
}

lab_base_standin() {
	local suite tree mirror
	suite=${LAB_BASE#*:}
	suite=${suite%-slim}
	if ! command -v mmdebstrap >/dev/null; then
		command -v apt-get >/dev/null || die "mmdebstrap is missing, and no apt-get to install it"
		apt_get mmdebstrap || not_installed mmdebstrap
	fi
	# shellcheck disable=SC2016 # for apt to expand
	mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep '/debian/*$' | head -n 1)
	[ -n "$mirror" ] || die "no registry is reachable, and this machine's apt has no mirror of Debian to make $LAB_BASE of"
	tree=$scratch/standin/lab-base.tar
	mkdir -p "$scratch/standin"
	mmdebstrap --quiet --mode=root --variant=minbase \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		"$suite" "$tree" "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
		>"$scratch/mmdebstrap.log" 2>&1 || { tail -n 5 "$scratch/mmdebstrap.log" >&2; die "mmdebstrap could not make $LAB_BASE"; }
	docker import --change 'CMD ["bash"]' "$tree" "$LAB_BASE" >/dev/null
	rm -f "$tree"
	say "image: STAND-IN for $LAB_BASE, made of the distribution's packages: no registry is reachable"
}
