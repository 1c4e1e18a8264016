# nginx, unpacked from the distribution's package.

# Libraries that the program in $unpacked can't find, one a line.
nginx_missing() {
	LD_LIBRARY_PATH=$(library_path "$unpacked") ldd "$unpacked/usr/sbin/nginx" 2>/dev/null | awk '/not found/ { print $1 }' | sort -u
}

# Debian has the program in nginx; older Ubuntus in nginx-core.
nginx_unpack() {
	for package in nginx nginx-core; do
		unpack "$package" "$unpacked" || continue
		[ ! -x "$unpacked/usr/sbin/nginx" ] || return 0
	done
	return 1
}

get_nginx() {
	! there nginx "$NGINX_MIN" "$NGINX_MIN" || return 0
	elsewhere="install nginx $NGINX_MIN or newer with the system's package manager, or use RUNTIME=docker"
	for program in apt-get dpkg-deb ldd; do
		command -v "$program" >/dev/null 2>&1 ||
			fail 3 "nginx is not on the PATH, and there is no $program to unpack a package with" "$elsewhere"
	done
	began
	say "nginx: unpacking the distribution's package (a few seconds; nothing is installed)"
	unpacked=$work/nginx
	if ! nginx_unpack; then # no lists, or older than the mirror
		private_apt
		nginx_unpack || fail 1 "apt could not fetch nginx: $(tail -n 1 "$work/said")" "$elsewhere"
	fi
	if [ -z "$(nginx_missing)" ]; then
		move_in nginx "$unpacked/usr/sbin/nginx" "$NGINX_MIN" "$elsewhere"
		return 0
	fi
	leave=libc6
	unpack_libraries "$unpacked" "$package" nginx_missing
	keep_tree nginx lib/nginx "LD_LIBRARY_PATH=\"$(tree_path)\" exec \"\$tree/usr/sbin/nginx\"" "$NGINX_MIN" "$elsewhere"
}
