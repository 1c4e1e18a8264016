#!/bin/sh
# Unpacks into tools/bin the part of wine that programs without a window need, for the
# integration test of Windows programs. What is on the PATH is used and not unpacked;
# nothing is installed, root is not needed.
# Exit status: 0 there, 1 could not, 3 something needed is missing.
set -eu
unset CDPATH # cd would look there first

tools=$(cd -- "$(dirname -- "$0")" && pwd)
for part in common deb; do
	# shellcheck source=/dev/null
	. "$tools/get/$part.sh"
done

elsewhere='run the tests on a Debian 12 for amd64'

# The programs and libraries that wineboot, services and Go's runtime load: 110 MB of wine's 670.
programs='cmd conhost explorer plugplay rpcss rundll32 services start svchost winedevice wineboot ntoskrnl'
libraries='advapi32 apisetschema bcrypt cabinet cfgmgr32 combase crypt32 dnsapi gdi32 imm32 iphlpapi kernel32 kernelbase
msvcrt mswsock netapi32 newdev nsi ntdll ole32 oleaut32 powrprof psapi rpcrt4 sechost secur32 setupapi shcore shell32 shlwapi
ucrtbase user32 userenv uxtheme version win32u winmm ws2_32'
drivers='mountmgr nsiproxy'

runs() { "$1" --version >/dev/null 2>&1 9>&-; }

! runs "$tools/bin/wine" || exit 0
for program in apt-get dpkg-deb ldd; do
	command -v "$program" >/dev/null 2>&1 || fail 3 "there is no $program to unpack wine with" "$elsewhere"
done
aside
! runs "$tools/bin/wine" || exit 0 # another run made it
began
say "wine: unpacking a part of the distribution's wine (100 MB to fetch; nothing is installed)"
unpacked=$work/wine
mkdir -p "$unpacked"
if ! unpack wine64 "$unpacked"; then # no lists, or older than the mirror
	private_apt
	unpack wine64 "$unpacked" || fail 1 "apt could not fetch wine64: $(tail -n 1 "$work/said")" "$elsewhere"
fi
for package in libunwind8 libz-mingw-w64; do
	unpack "$package" "$unpacked" || fail 1 "apt could not fetch $package: $(tail -n 1 "$work/said")" "$elsewhere"
done
unpack binutils-mingw-w64-x86-64 "$work/mingw" ||
	fail 1 "apt could not fetch binutils-mingw-w64-x86-64: $(tail -n 1 "$work/said")" "$elsewhere"
(cd "$work/deb" && apt-get -qq -o Acquire::Retries=2 download libwine) >"$work/said" 2>&1 9>&- ||
	fail 1 "apt could not fetch libwine: $(tail -n 1 "$work/said")" "$elsewhere"

place=./usr/lib/x86_64-linux-gnu/wine/x86_64-windows
{
	printf './usr/lib/x86_64-linux-gnu/wine/x86_64-unix\n./usr/share/wine/wine.inf\n./usr/share/wine/nls\n'
	for name in $programs; do printf '%s/%s.exe\n' "$place" "$name"; done
	for name in $libraries; do printf '%s/%s.dll\n' "$place" "$name"; done
	for name in $drivers; do printf '%s/%s.sys\n' "$place" "$name"; done
} >"$work/names"
dpkg-deb --fsys-tarfile "$work"/deb/libwine_*.deb | tar -x -C "$unpacked" -T "$work/names" >"$work/said" 2>&1 ||
	fail 1 "libwine could not be unpacked: $(tail -n 1 "$work/said")" "$elsewhere"
cp "$unpacked/usr/x86_64-w64-mingw32/lib/zlib1.dll" "$unpacked/$place/"

# Go's runtime gets random bytes from bcryptprimitives.dll (runtime/os_windows.go), which wine has
# since 8.4. This one leads to the function behind it.
printf 'LIBRARY bcryptprimitives.dll\nEXPORTS\nProcessPrng = advapi32.SystemFunction036\n' >"$work/prng.def"
: >"$work/none.s"
mingw=$work/mingw/usr/bin/x86_64-w64-mingw32
"$mingw-as" -o "$work/none.o" "$work/none.s" &&
	"$mingw-ld" -shared --entry 0 -o "$unpacked/bcryptprimitives.dll" "$work/none.o" "$work/prng.def" ||
	fail 1 "bcryptprimitives.dll could not be linked" "$elsewhere"


cat >"$work/launcher" <<'LAUNCHER'
#!/bin/sh
tree=$(CDPATH= cd -- "$(dirname -- "$0")/.wine" && pwd)
WINESERVER=$tree/usr/lib/wine/wineserver64 LD_LIBRARY_PATH=$tree/usr/lib/x86_64-linux-gnu
WINEDLLPATH=$tree/usr/lib/x86_64-linux-gnu/wine
export WINESERVER WINEDLLPATH LD_LIBRARY_PATH
exec "$tree/usr/lib/wine/wine64" "$@"
LAUNCHER
chmod 0755 "$work/launcher"
rm -rf "$unpacked/usr/share/doc" "$unpacked/usr/i686-w64-mingw32" "$tools/bin/.wine"
mv "$unpacked" "$tools/bin/.wine"
mv -f "$work/launcher" "$tools/bin/wine"
runs "$tools/bin/wine" || fail 1 "the unpacked wine does not run on this machine" "$elsewhere"
say "wine is in tools/bin now, made in $(($(date +%s) - began)) s"
