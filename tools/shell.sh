#!/bin/sh
# Opens a shell in the lab container, in which every command of the README and of
# the workshop works as on Linux (docker/lab/Dockerfile):
#
#   tools/shell.sh                              a shell
#   CMD='make repro QUICK=1' tools/shell.sh     one command; its exit status is this one's
#   WITH=java tools/shell.sh                    the image that also has Java, for make story and make sweep
#   WITH=distance tools/shell.sh                with what RTT=20ms and h2lab delay require: NET_ADMIN, SYS_ADMIN, /dev/net/tun
#
# The checkout is mounted, so results/ and workshop/ are the host's. What is built
# inside stays inside. While the container runs, a second call opens another shell
# in it; the container ends with the first. The image is built when it is missing
# or its inputs have changed; otherwise no registry is asked.
#
#   LAB_USER       uid:gid inside; by default the user of the host, or 0:0 where the engine maps root to that user
#   LAB_NETWORK    the container's network, for an engine without the default bridge
#   BUILD_NETWORK  the network of the build
#
# Exit status: that of the command; 1 failed, 2 wrong usage, 3 no usable engine.
set -eu
unset CDPATH # cd would look there first
cd -- "$(dirname -- "$0")/.."
# shellcheck source=tools/get/common.sh
. tools/get/common.sh
container=h2lab-lab

# engine_ready finds the engine's program, and what it says about itself.
engine_ready() {
	engine=docker
	command -v docker >/dev/null 2>&1 || engine=podman
	command -v "$engine" >/dev/null 2>&1 ||
		fail 3 "shell: neither docker nor podman is on the PATH" "install Docker (docs.docker.com/get-docker), start it, and try again"
	about=$("$engine" info --format '{{.OSType}} {{.OperatingSystem}} {{.SecurityOptions}}' 2>/dev/null) ||
		about="linux podman rootless=$("$engine" info --format '{{.Host.Security.Rootless}}' 2>/dev/null)" ||
		fail 3 "shell: no engine answers $engine" "start it (Docker Desktop; systemctl start docker; podman machine start), then: $engine info"
	case $about in
	windows*) fail 3 "shell: the engine runs Windows containers" "choose \"Switch to Linux containers\" in Docker Desktop's menu" ;;
	esac
}

# lab_user prints who the processes are. Docker Desktop shares files through a
# virtual machine that gives them to the host's user, whoever writes them; in WSL
# the files are Linux's own (docs.docker.com/desktop, "File sharing"). An engine
# without root maps root to the user who runs it. Only root has the capabilities of WITH=distance.
lab_user() {
	kernel=$(uname -sr)
	case "$kernel $about${WITH:+ with $WITH}" in
	*" with distance") echo 0:0 ;;
	*name=rootless* | *rootless=true*) echo 0:0 ;;
	Linux*icrosoft*) echo "$(id -u):$(id -g)" ;;
	*"Docker Desktop"*) echo 0:0 ;;
	Linux*) echo "$(id -u):$(id -g)" ;;
	*) echo 0:0 ;;
	esac
}

# version prints a variable of versions.env, or of the environment, which overrides it.
version() {
	eval "set -- \"\$1\" \"\${$1:-}\""
	if [ -n "$2" ]; then printf '%s\n' "$2"; else sed -n "s/^$1=//p" versions.env; fi
}

bases="GO_BASE ENVOY_IMAGE K6_IMAGE LAB_BASE"

# inputs prints a checksum of what the image is made of. The project's sources
# aren't among it: their programs are built when the container starts.
inputs() {
	{
		cat docker/lab/Dockerfile docker/lab/enter.sh docker/lab/ca/* go.mod go.sum tools/get.sh tools/get/*.sh tools/envoy/* tools/k6/go.*
		for name in $bases; do version "$name"; done
	} | cksum | tr ' ' -
}

# image_ready builds the image unless it is there, made of the same inputs.
image_ready() {
	inputs=$(inputs)
	have=$("$engine" image inspect --format '{{index .Config.Labels "h2lab.inputs"}}' "$image" 2>/dev/null) || have=
	[ "$have" != "$inputs" ] || return 0
	say "shell: building the image $image (3 to 5 minutes, and the pulls; once)"
	set -- --target "$target" --tag "$image" --label "h2lab.inputs=$inputs" --file docker/lab/Dockerfile
	[ -z "${BUILD_NETWORK:-}" ] || set -- "$@" --network "$BUILD_NETWORK"
	for name in $bases; do set -- "$@" --build-arg "$name=$(version "$name")"; done
	for name in HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy GOPROXY GOSUMDB; do
		eval "[ -z \"\${$name:-}\" ]" || set -- "$@" --build-arg "$name"
	done
	"$engine" build "$@" . >&2 ||
		fail 1 "shell: the image $image could not be built (see the lines above)" "look at the network and the disk (docker system df), then: make shell"
}

# join runs the command in the container that runs already, if one does.
join() {
	there=$("$engine" container inspect --format '{{.State.Running}} {{.Config.Image}} {{index .Config.Labels "h2lab.checkout"}}' "$container" 2>/dev/null) || return 0
	case $there in
	"true $image $PWD") ;;
	true*) fail 1 "shell: the lab container of another checkout or image runs: ${there#true }" "end its shell with exit, or: $engine rm -f $container" ;;
	*)
		"$engine" rm -f "$container" >/dev/null
		return 0
		;;
	esac
	exec "$engine" exec -i $tty "$container" "$@"
}

[ $# -eq 0 ] || fail 2 "shell: it takes no arguments" "give the command in CMD: make shell CMD='make repro QUICK=1'"
case $PWD in
*:*) fail 1 "shell: the path has a colon, so it can't be mounted: $PWD" "move the checkout" ;;
esac
case ${WITH:-} in
'') target=lab ;;
java) target=lab-java ;;
distance) target=lab ;;
*) fail 2 "shell: WITH=$WITH is unknown" "make shell, make shell WITH=java, or make shell WITH=distance" ;;
esac
image=h2lab-$target:local
tty=
if [ -t 0 ] && [ -t 1 ]; then tty=-t; fi
set -- bash
[ -z "${CMD:-}" ] || set -- bash -c "$CMD"

engine_ready
join "$@"
image_ready
# Where they are missing the engine would make them, as root.
mkdir -p bin tools/bin var
set -- "$image" "$@"
if [ "${WITH:-}" = distance ]; then set -- --cap-add NET_ADMIN --cap-add SYS_ADMIN --device /dev/net/tun "$@"; fi
case $about in *name=userns*) set -- --userns host "$@" ;; esac
case ${LAB_NETWORK:-} in
host) set -- --network host --env LAB_PUBLISH= "$@" ;;
'') set -- --publish 127.0.0.1:18190:18190 "$@" ;;
*) set -- --network "$LAB_NETWORK" --publish 127.0.0.1:18190:18190 "$@" ;;
esac
# label=disable: SELinux would keep the container from the checkout's files.
exec "$engine" run --rm -i $tty --name "$container" --hostname lab --label "h2lab.checkout=$PWD" \
	--user "${LAB_USER:-$(lab_user)}" --volume "$PWD:/lab" \
	--security-opt no-new-privileges --security-opt label=disable "$@"
