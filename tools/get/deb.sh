# Packages of a Debian or Ubuntu, fetched by apt (which checks the signatures)
# and unpacked without being installed: no service, no change to the system.

# private_apt gives apt lists of its own below $work, so that an update needs no
# root and leaves the system's lists alone.
private_apt() { # [sources.list]
	apt=$(plain "$work")/apt
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	[ $# -eq 0 ] || cat "$1" >"$apt/sources.list"
	{
		printf 'Dir::State "%s";\nDir::State::status "%s";\nDir::Cache "%s";\n' "$apt/state" "$apt/status" "$apt/cache"
		printf 'APT::Sandbox::User "%s";\n' "$(id -un)"
		[ $# -eq 0 ] || printf 'Dir::Etc::SourceList "%s";\nDir::Etc::SourceParts "-";\n' "$apt/sources.list"
	} >"$apt/apt.conf"
	APT_CONFIG=$apt/apt.conf
	export APT_CONFIG
	say "apt: reading the lists of packages"
	apt-get -qq -o Acquire::Retries=2 update >"$work/said" 2>&1 9>&- ||
		fail 1 "apt could not read its lists: $(tail -n 1 "$work/said")" "look at the network and at: apt-get update"
}

# unpack PACKAGE DIR fetches and unpacks one; its file stays in $work/deb.
unpack() {
	mkdir -p "$work/deb" "$2"
	rm -f "$work/deb/$1"_*
	(cd "$work/deb" && apt-get -qq -o Acquire::Retries=2 download "$1") >"$work/said" 2>&1 9>&- || return 1
	dpkg-deb -x "$work/deb/$1"_*.deb "$2"
}

# libraries_of PACKAGE prints the library packages that an unpacked one depends on.
libraries_of() {
	dpkg-deb -f "$work/deb/$1"_*.deb Pre-Depends Depends |
		tr ',' '\n' | sed -n 's/^\(Pre-Depends: \|Depends: \)\{0,1\} *\(\(lib\|zlib\)[a-z0-9.+-]*\).*/\2/p' | sort -u
}

# unpack_libraries DIR PACKAGE MISSING-COMMAND… unpacks what the package needs, and
# what that needs, until the command prints no library that is missing.
unpack_libraries() {
	into=$1
	level=$2
	shift 2
	for _ in 1 2 3 4; do
		[ -n "$("$@")" ] || return 0
		next=
		for parent in $level; do
			for package in $(libraries_of "$parent"); do
				[ "$package" != "$leave" ] && [ ! -e "$work/deb/.$package" ] || continue
				say "apt: fetching $package"
				unpack "$package" "$into" || fail 1 "apt could not fetch $package: $(tail -n 1 "$work/said")" "apt-get update"
				: >"$work/deb/.$package"
				next="$next $package"
			done
		done
		level=$next
	done
	[ -z "$("$@")" ] || fail 1 "libraries are still missing: $("$@" | tr '\n' ' ')" "install it with the system's package manager; RUNTIME=docker runs the lab without it"
}

# library_path DIR prints the directories below it that hold libraries, with colons.
library_path() {
	find "$1" \( -name '*.so' -o -name '*.so.[0-9]*' \) ! -path '*/modules/*' ! -path '*/gconv/*' ! -path '*/engines-*/*' -exec dirname {} \; | sort -u | tr '\n' ':' | sed 's/:$//'
}

# launcher TREE COMMAND prints a program that runs the command with $tree set. It
# execs, so that the launcher's pid becomes the server's.
launcher() { printf '#!/bin/sh\ntree=%s\n%s "$@"\n' "$1" "$2"; }

# loadable HINT fails where the loader can't be led to libraries below tools/: its
# paths are separated by both characters (ld.so(8), LD_LIBRARY_PATH).
loadable() {
	case $tools in
	*[:\;]*) fail 1 "libraries can't be loaded from $tools, since its path has a ':' or ';'" "move the checkout; or $1" ;;
	esac
}

# keep_tree NAME PLACE COMMAND OLDEST HINT keeps $unpacked as tools/PLACE, behind the
# launcher tools/bin/NAME, once the program has run in it.
keep_tree() {
	loadable "$5"
	launcher "$(quoted "$unpacked")" "$3" >"$work/launcher"
	chmod 0755 "$work/launcher"
	check "${1%-current}" "$work/launcher" "$4" "$5"
	# shellcheck disable=SC2016 # for the launcher to expand
	launcher '$(CDPATH= cd -- "$(dirname -- "$0")/../'"$2"'" && pwd)' "$3" >"$work/launcher"
	mkdir -p "$(dirname "$tools/$2")"
	rm -rf "${tools:?}/$2"
	mv "$unpacked" "$tools/$2"
	mv -f "$work/launcher" "$tools/bin/$1"
	made "$1"
}

# tree_path prints the directories of libraries in $unpacked, as a launcher's $tree has them.
tree_path() { (cd "$unpacked" && library_path . | sed 's|\./|$tree/|g'); }

# Libraries that the program $name in $unpacked can't find, one a line.
packaged_missing() {
	LD_LIBRARY_PATH=$(library_path "$unpacked") ldd "$unpacked/usr/sbin/$name" 2>/dev/null | awk '/not found/ { print $1 }' | sort -u
}

# packaged_unpack PACKAGE… unpacks the first one that has the program.
packaged_unpack() {
	for package in "$@"; do
		unpack "$package" "$unpacked" || continue
		[ ! -x "$unpacked/usr/sbin/$name" ] || return 0
	done
	return 1
}

# get_packaged NAME OLDEST HINT PACKAGE… unpacks a program of usr/sbin from the distribution's package.
get_packaged() {
	name=$1 oldest=$2
	! there "$name" "$oldest" "$oldest" || return 0
	elsewhere="install $name $oldest or newer with the system's package manager$3"
	shift 3
	for program in apt-get dpkg-deb ldd; do
		command -v "$program" >/dev/null 2>&1 ||
			fail 3 "$name is not on the PATH, and there is no $program to unpack a package with" "$elsewhere"
	done
	began
	say "$name: unpacking the distribution's package (a few seconds; nothing is installed)"
	unpacked=$work/$name
	if ! packaged_unpack "$@"; then # no lists, or older than the mirror
		private_apt
		packaged_unpack "$@" || fail 1 "apt could not fetch $name: $(tail -n 1 "$work/said")" "$elsewhere"
	fi
	if [ -z "$(packaged_missing)" ]; then
		move_in "$name" "$unpacked/usr/sbin/$name" "$oldest" "$elsewhere"
		return 0
	fi
	leave=libc6
	unpack_libraries "$unpacked" "$package" packaged_missing
	keep_tree "$name" "lib/$name" "LD_LIBRARY_PATH=\"$(tree_path)\" exec \"\$tree/usr/sbin/$name\"" "$oldest" "$elsewhere"
}
