#!/bin/sh
# What a person does who has a program for DOCA Comch: installs, asks pkg-config for the modules,
# compiles, and runs the program on both sides.
#
#   install_test.sh MESON BUILD-DIRECTORY PREFIX MODULE-DIRECTORY SOURCE
#
# The last two name the directory of the pkg-config modules below the prefix, and the program.
# Everything is below a directory of the test's own.
set -eu
meson=$1 build=$2 prefix=$3 modules=$4 source=$5
scratch=$(mktemp -d)
server=
cleanup() {
  if [ -n "$server" ]; then kill "$server" || true; fi
  rm -rf "$scratch"
}
trap cleanup EXIT
fail() {
  echo "install_test: $1"
  exit 1
}

DESTDIR="$scratch" "$meson" install -C "$build" --no-rebuild --quiet --tags runtime,devel
root=$scratch$prefix
PKG_CONFIG_PATH=$root/$modules
export PKG_CONFIG_PATH
packages='doca-comch doca-argp doca-common'
# shellcheck disable=SC2086 # Each is a word.
flags=$(pkg-config "--define-variable=prefix=$root" --cflags --libs $packages)
for module in doca-comm-channel doca-dpa doca; do
  pkg-config "--define-variable=prefix=$root" --exists "$module" || fail "no module $module"
done
case $(pkg-config --modversion doca-comch) in
  3.*) ;;
  *) fail "the version is not one of the API" ;;
esac
[ ! -e "$root/include/doca_comch.h" ] || fail "headers lie where a real SDK has its own"

for role in DPU HOST; do
  # shellcheck disable=SC2086 # Flags are words.
  ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -Wno-missing-braces "-DDOCA_ARCH_$role" \
    -DDOCA_ALLOW_EXPERIMENTAL_API "$source" -o "$scratch/echo-$role" $flags
done

COMCH_RUNTIME_DIR=$scratch/runtime
export COMCH_RUNTIME_DIR
unset LD_LIBRARY_PATH COMCH_DEVICES
mkdir "$COMCH_RUNTIME_DIR"
# The server says that it has started, then its text; it ends by itself if nobody comes.
mkfifo "$scratch/said"
"$scratch/echo-DPU" >"$scratch/said" 2>"$scratch/errors" &
server=$!
exec 3<"$scratch/said"
read -r line <&3 || { cat "$scratch/errors"; fail "the server did not start"; }
"$scratch/echo-HOST" -t "through the installed library" >"$scratch/client" 2>&1 ||
  { cat "$scratch/client" "$scratch/errors"; fail "no answer after: $line"; }
cat <&3 >"$scratch/server"
wait "$server" || { cat "$scratch/errors"; fail "the server failed"; }
server=
for side in client server; do
  grep -qx 'through the installed library' "$scratch/$side" || fail "the $side lost the text"
done
"$scratch/echo-HOST" --help >"$scratch/help"
grep -q -- '-p, --pci-addr' "$scratch/help" || fail "no help"
"$scratch/echo-HOST" --oops >"$scratch/help" 2>&1 && fail "an unknown option was taken"
echo "install_test: built and run as $packages"
