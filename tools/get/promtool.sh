# promtool, unpacked from the distribution's package of Prometheus. It needs no
# library but libc, and no service comes with it.

PROMTOOL_MIN=2.42.0 # Debian 12's; no older one has been tried

promtool_version() { "$1" --version 2>&1 9>&- | sed -n 's|^promtool, version \([0-9.]*\).*|\1|p'; }

# promtool_there says whether it is on the PATH or made already, and new enough.
promtool_there() {
	for program in "$(command -v promtool 2>/dev/null || :)" "$tools/bin/promtool"; do
		[ -n "$program" ] && [ -x "$program" ] || continue
		have=$(promtool_version "$program")
		if at_least "$have" "$PROMTOOL_MIN"; then
			say "promtool $have is installed: $program"
			return 0
		fi
	done
	return 1
}

get_promtool() {
	! promtool_there || return 0
	elsewhere="put promtool $PROMTOOL_MIN or newer on the PATH; it is part of Prometheus"
	for program in apt-get dpkg-deb; do
		command -v "$program" >/dev/null 2>&1 || fail 3 "promtool is not on the PATH, and there is no $program to unpack a package with" "$elsewhere"
	done
	began
	say "promtool: unpacking the distribution's package of Prometheus (20 MB; nothing is installed)"
	if ! unpack prometheus "$work/prometheus"; then # no lists, or older than the mirror
		private_apt
		unpack prometheus "$work/prometheus" || fail 1 "apt could not fetch prometheus: $(tail -n 1 "$work/said")" "$elsewhere"
	fi
	have=$(promtool_version "$work/prometheus/usr/bin/promtool")
	[ -n "$have" ] || fail 1 "the unpacked promtool does not run on this machine" "$elsewhere"
	at_least "$have" "$PROMTOOL_MIN" || fail 3 "the available promtool is $have, but $PROMTOOL_MIN or newer is required" "$elsewhere"
	mv -f "$work/prometheus/usr/bin/promtool" "$tools/bin/promtool"
	made promtool
}
