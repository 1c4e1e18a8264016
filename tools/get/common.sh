# Common to the recipes beside it: words, versions, a place to work aside.

say() { printf 'tools: %s\n' "$1" >&2; }

fail() { # status, what went wrong, what to do next
	printf 'tools: %s; next: %s\n' "$2" "$3" >&2
	exit "$1"
}

# quoted prints a path as a shell takes it back.
quoted() { printf "'"; printf '%s' "$1" | sed "s/'/'\\\\''/g"; printf "'"; }

# aside makes $work, on the same file system as tools/bin so that a move is one
# step, and holds the lock: two runs at once would make everything twice.
aside() {
	mkdir -p "$tools/bin" 2>/dev/null && [ -w "$tools/bin" ] ||
		fail 1 "$tools/bin can't be written" "ls -ld $(quoted "$tools/bin")"
	if command -v flock >/dev/null 2>&1; then
		exec 9>"$tools/bin/.lock"
		flock -n 9 || {
			say "waiting for another tools/get.sh"
			flock 9
		}
		rm -rf "$tools"/bin/.new.* # of a run that was killed
	fi
	work=$(mktemp -d "$tools/bin/.new.XXXXXX") || fail 1 "$tools/bin can't be written" "df $(quoted "$tools/bin")"
	safe=
	case $work in *[!A-Za-z0-9/._+-]*) safe=$(mktemp -d) ;; esac
	trap 'rm -rf "$work" ${safe:+"$safe"}' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# plain DIR prints it, or a place for it where the checkout's path has a character
# that apt.conf can't hold, such as a quote.
plain() {
	case $1 in
	*[!A-Za-z0-9/._+-]*) printf '%s/%s\n' "$safe" "$(printf '%s' "$1" | cksum | tr ' ' -)" ;;
	*) printf '%s\n' "$1" ;;
	esac
}

# version_of NAME PROGRAM prints e.g. 1.22.1, or nothing when it doesn't run.
version_of() {
	case $1 in
	nginx) "$2" -v 2>&1 9>&- | sed -n 's|^nginx version: [^/]*/\([0-9.]*\).*|\1|p' ;;
	envoy) "$2" --version 2>/dev/null 9>&- | sed -n 's|.*version: [^/]*/\([0-9.]*\)[-/].*|\1|p' ;;
	haproxy) "$2" -v 2>/dev/null 9>&- | sed -n 's|^HAProxy version \([0-9.]*\).*|\1|p' ;;
	k6) "$2" version 2>/dev/null 9>&- | sed -n 's|^k6[^ ]* v\([0-9.]*\).*|\1|p' ;;
	esac
}

at_least() { # have, wanted
	[ -n "$1" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# there NAME OLDEST MADE says whether the tool is there already: on the PATH and
# not older than OLDEST, or made and not older than MADE. NO_TOOLS_OF_PATH=1 asks
# for one that is made, as a bundle needs.
there() {
	found=
	[ -n "${NO_TOOLS_OF_PATH:-}" ] || found=$(command -v "$1" 2>/dev/null || :)
	if [ -n "$found" ]; then
		have=$(version_of "$1" "$found")
		if at_least "$have" "$2"; then
			say "$1 $have is on the PATH: $found"
			return 0
		fi
		say "$1 on the PATH ($found) has ${have:-no readable version}, older than $2: not used"
	fi
	have=$(version_of "$1" "$tools/bin/$1")
	if at_least "$have" "$3"; then
		say "$1 $have is in tools/bin"
		return 0
	fi
	return 1
}

began() { began=$(date +%s); }

# check NAME PROGRAM OLDEST HINT fails unless the program runs and is new enough; HINT
# is what to do then.
check() {
	have=$(version_of "$1" "$2")
	[ -n "$have" ] || fail 1 "the installed $1 does not run on this machine" "$4"
	at_least "$have" "$3" || fail 3 "the available $1 is $have, but $3 or newer is required" "$4"
}

# move_in NAME FILE OLDEST HINT puts a program into tools/bin.
move_in() {
	chmod 0755 "$2"
	check "$@"
	mv -f "$2" "$tools/bin/$1"
	made "$1"
}

made() { say "$1 $have is in tools/bin now, made in $(($(date +%s) - began)) s"; }
