#!/bin/sh
# Unpacks tcpdump, tshark, editcap and dumpcap, with the libraries this machine
# lacks, into tools/bin, for the integration test of `h2lab trace --pcap`. What
# is on the PATH is used and not unpacked; nothing is installed, root is not
# needed. Capturing itself needs CAP_NET_RAW.
# Exit status: 0 all there, 1 could not, 3 something needed is missing.
set -eu
unset CDPATH # cd would look there first

tools=$(cd -- "$(dirname -- "$0")" && pwd)
for part in common deb; do
	# shellcheck source=/dev/null
	. "$tools/get/$part.sh"
done

programs='tcpdump tshark editcap dumpcap'
elsewhere='install them as root: apt-get install tcpdump tshark'

# said_version PROGRAM succeeds when the program runs.
runs() { "$1" --version >/dev/null 2>&1 9>&-; }

absent() {
	for program in $programs; do
		runs "$(command -v "$program" 2>/dev/null || echo "$tools/bin/$program")" || printf '%s\n' "$program"
	done
}

# capture_missing prints the libraries that the unpacked programs can't find.
capture_missing() {
	for program in $programs; do
		LD_LIBRARY_PATH=$(library_path "$unpacked") ldd "$unpacked/usr/bin/$program" 2>/dev/null
	done | awk '/not found/ { print $1 }' | sort -u
}

[ -n "$(absent)" ] || exit 0
for program in apt-get dpkg-deb ldd; do
	command -v "$program" >/dev/null 2>&1 || fail 3 "there is no $program to unpack tshark with" "$elsewhere"
done
aside
[ -n "$(absent)" ] || exit 0 # another run made them
began
say "capture: unpacking the distribution's tcpdump and tshark (25 MB; nothing is installed)"
unpacked=$work/capture
if ! unpack tcpdump "$unpacked"; then # no lists, or older than the mirror
	private_apt
	unpack tcpdump "$unpacked" || fail 1 "apt could not fetch tcpdump: $(tail -n 1 "$work/said")" "$elsewhere"
fi
for package in wireshark-common tshark; do
	unpack "$package" "$unpacked" || fail 1 "apt could not fetch $package: $(tail -n 1 "$work/said")" "$elsewhere"
done
leave=libc6
# shellcheck disable=SC2034 # read by unpack_libraries
unpack_libraries "$unpacked" "tcpdump wireshark-common tshark" capture_missing
[ ! -d "$unpacked/usr/sbin" ] || mv "$unpacked"/usr/sbin/* "$unpacked/usr/bin/" 2>/dev/null || :

mkdir "$work/launchers"
for program in $programs; do
	# Wireshark's programs find each other beside themselves; tshark runs dumpcap.
	# shellcheck disable=SC2016 # for the launcher to expand
	launcher '$(CDPATH= cd -- "$(dirname -- "$0")/.capture" && pwd)' \
		"LD_LIBRARY_PATH=\"$(tree_path)\" exec \"\$tree/usr/bin/$program\"" >"$work/launchers/$program"
	chmod 0755 "$work/launchers/$program"
	mkdir -p "$work/launchers/.capture"
done
rmdir "$work/launchers/.capture"
ln -s "$unpacked" "$work/launchers/.capture"
for program in $programs; do
	runs "$work/launchers/$program" || fail 1 "the unpacked $program does not run on this machine" "$elsewhere"
done
rm "$work/launchers/.capture"
rm -rf "$tools/bin/.capture"
mv "$unpacked" "$tools/bin/.capture"
mv -f "$work"/launchers/* "$tools/bin/"
say "tcpdump, tshark, editcap and dumpcap are in tools/bin now, made in $(($(date +%s) - began)) s"
