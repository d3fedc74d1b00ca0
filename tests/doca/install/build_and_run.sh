#!/bin/sh
# What a person does who has a program for DOCA Comch and an installed comch: asks pkg-config for
# the modules, compiles, and runs the program on both sides.
#
#   build_and_run.sh ROOT MODULE-DIRECTORY SOURCE
#
# ROOT is what was installed as the prefix, wherever it lies now, the others the directory of the
# pkg-config modules below it, and the program.
set -eu
root=$1 modules=$2 source=$3
# shellcheck source=tests/support/scratch.sh
. "$(dirname "$0")/../../support/scratch.sh"

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
echo "build_and_run: built and run as $packages"
