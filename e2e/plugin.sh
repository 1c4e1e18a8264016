# shellcheck shell=bash
# Part of e2e/run.sh: the compose plugin. One of 2.20 or newer is used as it
# is; else the pinned one is built (kept in tools/bin between runs) and given to
# the docker command through a DOCKER_CONFIG of our own.

plugin_ready() {
	local have
	have=$(docker compose version --short 2>/dev/null || true)
	if [ -n "$have" ] && [ "$(printf '%s\n' 2.20 "${have#v}" | sort -V | head -n 1)" = 2.20 ]; then
		say "compose: ${have#v} is installed and used"
		return
	fi
	say "compose: ${have:+$have is too old, }2.20 or newer is required: building the pinned one from its module"
	tools/compose/build.sh
	mkdir -p "$scratch/docker/cli-plugins"
	# A copy, since an ordinary user may not enter the directories above a checkout.
	install "$PWD/tools/bin/docker-compose" "$scratch/docker/cli-plugins/docker-compose"
	chmod 755 "$scratch/docker" "$scratch/docker/cli-plugins"
	export DOCKER_CONFIG="$scratch/docker"
	say "compose: $(docker compose version --short)"
}
