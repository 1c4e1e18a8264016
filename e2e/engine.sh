# shellcheck shell=bash
# Part of e2e/run.sh: a Docker engine. One that answers is used as it is; else
# one of our own is started, with its data, socket and pid file in the scratch
# directory, and stopped by its pid at the end.

engine_started=

engine_up() {
	if version=$(docker version --format '{{.Server.Version}}' 2>/dev/null) && [ -n "$version" ]; then
		say "engine: Docker $version is installed and used"
		return
	fi
	[ "$(id -u)" -eq 0 ] || die "no Docker engine answers, and only root can start one; start Docker, or run this as root"
	command -v dockerd >/dev/null || engine_install
	# No default bridge and no iptables: Compose makes the only network that is
	# needed, published ports go through docker-proxy, and the host's firewall
	# stays as it is.
	say "engine: starting $(dockerd --version) in a scratch directory"
	# A group of its own, as "docker" is elsewhere: a test runs as an ordinary user in it.
	chmod 711 "$scratch"
	# A session of its own: Ctrl-C must reach the tests, not the engine they clean up with.
	setsid dockerd --data-root "$scratch/data" --exec-root "$scratch/exec" --pidfile "$scratch/dockerd.pid" \
		--host "unix://$scratch/docker.sock" --group 64123 --bridge none --iptables=false --ip6tables=false \
		>"$scratch/dockerd.log" 2>&1 </dev/null &
	engine_started=$!
	export DOCKER_HOST="unix://$scratch/docker.sock"
	export BUILD_NETWORK=host # for client images, since it has no bridge
	for _ in $(seq 150); do
		if version=$(docker version --format '{{.Server.Version}}' 2>/dev/null) && [ -n "$version" ]; then
			say "engine: Docker $version answers on $DOCKER_HOST"
			return
		fi
		kill -0 "$engine_started" 2>/dev/null || die "dockerd ended while starting"
		sleep 0.2
	done
	die "dockerd did not answer within 30 s"
}

engine_install() {
	command -v apt-get >/dev/null || die "dockerd is missing, and no apt-get to install it; install Docker and try again"
	say "engine: installing docker.io from the distribution (without starting it)"
	local policy=/usr/sbin/policy-rc.d made=
	if [ ! -e "$policy" ]; then
		made=1
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod +x "$policy"
	fi
	local failed=
	apt_get docker.io || failed=1
	[ -z "$made" ] || rm -f "$policy"
	[ -z "$failed" ] || not_installed docker.io
}

# apt_get installs a package, with new lists where the old ones don't lead to it.
apt_get() {
	local install=(apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$1")
	DEBIAN_FRONTEND=noninteractive "${install[@]}" >"$scratch/apt.log" 2>&1 ||
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive "${install[@]}" >"$scratch/apt.log" 2>&1; }
}

not_installed() { # package
	tail -n 5 "$scratch/apt.log" >&2
	die "$1 could not be installed"
}

# engine_down stops the engine that was started here, with its containers and
# mounts; one that was found is left as it is.
engine_down() {
	[ -n "$engine_started" ] || return 0
	say "engine: stopping dockerd (pid $engine_started)"
	kill "$engine_started" 2>/dev/null || true
	for _ in $(seq 150); do
		kill -0 "$engine_started" 2>/dev/null || break
		sleep 0.2
	done
	kill -9 "$engine_started" 2>/dev/null || true
	wait "$engine_started" 2>/dev/null || true
	awk -v dir="$scratch/" 'index($2, dir) == 1 {print $2}' /proc/mounts | sort -r | while read -r mount; do
		umount "$mount" 2>/dev/null || umount -l "$mount" || true
	done
}
