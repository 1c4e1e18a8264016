# A recent nginx from Debian's unstable, with its own libc and loader, for the
# topology that needs 1.29.4. It moves when Debian does, so it is not pinned, never
# part of `all`, and every result says which one ran.

# debian_mirror prints where this machine gets Debian from.
debian_mirror() {
	[ -z "${DEBIAN_MIRROR:-}" ] || { printf '%s\n' "$DEBIAN_MIRROR"; return; }
	apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian/*$' | head -n 1
}

debian_keyring() {
	for keyring in /usr/share/keyrings/debian-archive-keyring.pgp /usr/share/keyrings/debian-archive-keyring.gpg; do
		[ ! -r "$keyring" ] || { printf '%s\n' "$keyring"; return; }
	done
}

# Libraries that the bundled loader can't find among the bundled ones.
current_missing() {
	loader=$(find "$unpacked" -name 'ld-linux*.so.*' | head -n 1)
	[ -n "$loader" ] || { echo loader; return; }
	LD_LIBRARY_PATH='' "$loader" --inhibit-cache --library-path "$(library_path "$unpacked")" --list "$unpacked/usr/sbin/nginx" 2>&1 |
		dir="=> $unpacked/" awk '/=>/ && (/not found/ || index($0, ENVIRON["dir"]) == 0) { print $1 } /error while loading/ { print }'
}

get_nginx_current() {
	for program in apt-get dpkg-deb; do
		command -v "$program" >/dev/null 2>&1 || fail 3 "there is no $program to fetch Debian's nginx with" "use RUNTIME=docker, whose nginx is $NGINX_VERSION"
	done
	mirror=$(debian_mirror)
	[ -n "$mirror" ] || fail 3 "this machine's apt has no mirror of Debian" "name one: DEBIAN_MIRROR=<its address> tools/get.sh nginx-current"
	keyring=$(debian_keyring)
	[ -n "$keyring" ] || fail 3 "checking the packages requires Debian's keys" "apt-get install debian-archive-keyring"
	began
	printf 'deb [signed-by=%s] %s unstable main\n' "$keyring" "$mirror" >"$work/sources.list"
	say "nginx-current: fetching Debian unstable's nginx and its libraries (about 20 MB)"
	private_apt "$work/sources.list"
	unpacked=$work/nginx-current
	unpack nginx "$unpacked" || fail 1 "apt could not fetch nginx: $(tail -n 1 "$work/said")" "look at the network, or try later"
	leave=
	unpack_libraries "$unpacked" nginx current_missing
	rm -rf "$unpacked/usr/share" "$unpacked"/usr/lib/*/gconv
	# The kernel names a process for the file it executes: the loader is called nginx.
	loader=$(cd "$unpacked" && find . -name 'ld-linux*.so.*' | head -n 1)
	mkdir "$unpacked/loader"
	ln -s "../$loader" "$unpacked/loader/nginx"
	keep_tree nginx-current nginx-current \
		"exec \"\$tree/loader/nginx\" --inhibit-cache --library-path \"$(tree_path)\" \"\$tree/usr/sbin/nginx\"" \
		"$NGINX_MIN" "use RUNTIME=docker, whose nginx is $NGINX_VERSION"
}
