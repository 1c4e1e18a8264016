# How a server's package becomes tools/servers/NAME and its launcher tools/servers/bin/NAME.

# server_at NAME prints the program that would be run.
server_at() {
	case $(server_from "$1") in
	get) printf '%s\n' "$tools/bin/$1" ;;
	path) command -v "$1" 2>/dev/null || printf '%s\n' "$tools/servers/bin/$1" ;;
	*) printf '%s\n' "$tools/servers/bin/$1" ;;
	esac
}

# server_there NAME says whether it runs.
server_there() {
	case $1 in
	nginx) there nginx "$NGINX_MIN" "$NGINX_MIN" 2>/dev/null ;;
	envoy) there envoy "$ENVOY_MIN" "$ENVOY_VERSION" 2>/dev/null ;;
	nginx-current) "$tools/bin/$1" -v >/dev/null 2>&1 9>&- ;;
	*) [ "$(server_from "$1")" != built ] && "$(server_at "$1")" "$(server_field "$1" 5)" >/dev/null 2>&1 9>&- ;;
	esac
}

# Libraries that the program in $unpacked or its modules can't find, one a line.
server_missing() {
	LD_LIBRARY_PATH=$(library_path "$unpacked") \
		find "$unpacked" \( -path "$unpacked/$program" -o -path '*/modules/*.so' \) -exec ldd {} + 2>/dev/null |
		awk '/not found/ { print $1 }' | sort -u
}

# The same for one with its own loader, which must find everything in $unpacked.
server_missing_own() {
	loader=$(find "$unpacked" -name 'ld-linux*.so.*' | head -n 1)
	[ -n "$loader" ] || { echo loader; return; }
	LD_LIBRARY_PATH='' "$loader" --inhibit-cache --library-path "$(library_path "$unpacked")" --list "$unpacked/$program" 2>&1 |
		dir="=> $unpacked/" awk '/=>/ && !index($0, ENVIRON["dir"]) { print $1 } /error while loading/ { print }' # a path may hold spaces
}

# server_libraries COMMAND unpacks the libraries that $package needs, and what those
# need, until the command prints none that is missing. A level is fetched in one go:
# apt takes seconds to begin.
server_libraries() {
	level=$packages
	for _ in 1 2 3 4; do
		[ -n "$("$1")" ] || return 0
		next=
		for parent in $level; do
			for library in $(libraries_of "$parent"); do
				[ "$library" != "$leave" ] && [ ! -e "$work/deb/.$library" ] || continue
				: >"$work/deb/.$library"
				next="$next $library"
			done
		done
		[ -n "$next" ] || break
		say "apt: fetching$next"
		# shellcheck disable=SC2086
		(cd "$work/deb" && apt-get -qq -o Acquire::Retries=2 download $next) >"$work/said" 2>&1 9>&- ||
			fail 1 "apt could not fetch the libraries of $name: $(tail -n 1 "$work/said")" "apt-get update, or $elsewhere"
		for library in $next; do dpkg-deb -x "$work/deb/$library"_*.deb "$unpacked"; done
		level=$next
	done
	[ -z "$("$1")" ] || fail 1 "libraries of $name are still missing: $("$1" | tr '\n' ' ')" "see what has them: apt-cache show $package"
}

# server_build NAME runs its build.sh, which does nothing when nothing changed.
server_build() {
	sources=$(dirname -- "$tools")/internal/field/systems/servers/$(server_field "$1" 3)
	"$sources/build.sh" 9>&- || fail 1 "$1 could not be built" "look at the lines above, then: tools/servers.sh $1"
}

# server_make NAME runs in a subshell: its lists and libraries are no other server's.
server_make() (
	[ "$(server_from "$1")" != built ] || { server_build "$1"; exit; }
	for needed in apt-get dpkg-deb ldd; do
		command -v "$needed" >/dev/null 2>&1 ||
			fail 3 "there is no $needed to unpack the package of $1 with" "run the integration tests on Debian or Ubuntu"
	done
	name=$1 packages=$(server_field "$1" 3 | tr + ' ') program=$(server_field "$1" 4)
	package=${packages%% *}
	began
	work=$work/of-$name
	mkdir "$work"
	unpacked=$work/$name
	elsewhere="look at the network and at: apt-get download $package"
	if [ "$(server_from "$name")" = unstable ]; then server_unstable; else server_stable; fi
	server_keep
)

# server_lists has apt use lists of its own, read once for all servers of the run.
server_lists() {
	APT_CONFIG=$(plain "$shared")/apt/apt.conf
	[ -e "$APT_CONFIG" ] || (work=$shared && private_apt)
	export APT_CONFIG
}

# server_mirror prints where this machine gets Debian from; apt knows that only
# once it has lists.
server_mirror() (
	mirror=$(debian_mirror)
	[ -n "$mirror" ] || { server_lists && mirror=$(debian_mirror); }
	printf '%s\n' "$mirror"
)

server_stable() {
	say "$name: unpacking the package $package (half a minute at most; nothing is installed)"
	[ ! -e "$(plain "$shared")/apt/apt.conf" ] || server_lists
	for package in $packages; do
		unpack "$package" "$unpacked" && continue # else no lists, or older than the mirror
		server_lists
		unpack "$package" "$unpacked" || fail 1 "apt could not fetch $package: $(tail -n 1 "$work/said")" "$elsewhere"
	done
	leave=libc6
	server_libraries server_missing
	paths=$(tree_path)
	run="LD_LIBRARY_PATH=\"$paths\" exec \"\$tree/$program\""
	[ -n "$paths" ] || run="exec \"\$tree/$program\""
}

server_unstable() {
	mirror=$(server_mirror)
	[ -n "$mirror" ] || fail 3 "this machine's apt has no mirror of Debian" "name one: DEBIAN_MIRROR=<its address> tools/servers.sh $name"
	keyring=$(debian_keyring)
	[ -n "$keyring" ] || fail 3 "checking the packages requires Debian's keys" "apt-get install debian-archive-keyring"
	printf 'deb [signed-by=%s] %s unstable main\n' "$keyring" "$mirror" >"$work/sources.list"
	say "$name: unpacking Debian unstable's package $package and its libraries (about 20 MB)"
	private_apt "$work/sources.list"
	unpack "$package" "$unpacked" || fail 1 "apt could not fetch $package: $(tail -n 1 "$work/said")" "$elsewhere"
	leave=
	server_libraries server_missing_own
	# The kernel names a process for the file it executes: the loader gets the server's name.
	loader=$(cd "$unpacked" && find . -name 'ld-linux*.so.*' | head -n 1)
	mkdir "$unpacked/loader"
	ln -s "../$loader" "$unpacked/loader/$package"
	run="exec \"\$tree/loader/$package\" --inhibit-cache --library-path \"$(tree_path)\" \"\$tree/$program\""
}

# server_keep moves $unpacked in, behind its launcher, once the server has run in it.
server_keep() {
	loadable "run the tests in another checkout"
	rm -rf "$unpacked/usr/share/doc" "$unpacked/usr/share/man" "$unpacked/usr/share/locale" "$unpacked"/usr/lib/*/gconv
	launcher "$(quoted "$unpacked")" "$run" >"$work/launcher"
	chmod 0755 "$work/launcher"
	said=$("$work/launcher" "$(server_field "$name" 5)" 2>&1 9>&-) ||
		fail 1 "the unpacked $name does not run on this machine: $(printf '%s' "$said" | head -n 1)" "find its missing libraries with ldd, and: apt-cache show $package"
	mkdir -p "$tools/servers/bin"
	# shellcheck disable=SC2016 # for the launcher to expand
	launcher '$(CDPATH= cd -- "$(dirname -- "$0")/../'"$name"'" && pwd)' "$run" >"$work/launcher"
	chmod 0755 "$work/launcher"
	rm -rf "${tools:?}/servers/$name"
	mv "$unpacked" "$tools/servers/$name"
	mv -f "$work/launcher" "$tools/servers/bin/$name"
	say "$name is in tools/servers now, made in $(($(date +%s) - began)) s: $(printf '%s' "$said" | head -n 1)"
}
