#!/bin/sh
# What a person does who has installed comch: asks pkg-config for the modules, compiles an
# example outside of the tree, with the shared library and with the static one, and runs it; and
# what a system does: finds the program that a unit and mount(8) name.
#
#   install_test.sh MESON BUILD-DIRECTORY PREFIX LIBRARIES SOURCES
#
# LIBRARIES is the directory of libraries below the prefix, SOURCES that of the examples.
set -eu
meson=$1 build=$2 prefix=$3 libraries=$4 sources=$5
# shellcheck source=tests/support/scratch.sh
. "$(dirname "$0")/../../support/scratch.sh"

DESTDIR="$scratch/root" "$meson" install -C "$build" --no-rebuild --quiet
root=$scratch/root$prefix
PKG_CONFIG_PATH=$root/$libraries/pkgconfig
export PKG_CONFIG_PATH
ask() { pkg-config "--define-variable=prefix=$root" "$@"; }

# Flags of ours alone: a program that includes our headers has nothing to do with what we use.
only_ours() { # only_ours MODULE
  for flag in $(ask --cflags --libs "$1"); do
    case $flag in
      "-I$root/include" | "-L$root/$libraries" | -lcomch | -lcomch-uring) ;;
      *) fail "$1.pc tells programs $flag" ;;
    esac
  done
}
only_ours comch

# What a program can name is what a header says: what a room has is the library's own.
for library in "$root/$libraries"/libcomch*.so; do
  nm -D --defined-only -C "$library" >"$scratch/symbols"
  inner=$(sed 's/(.*//' "$scratch/symbols" |
    grep -m 1 -E 'comch::(engine|msgq|os|shm|transport|wire)::' || true)
  [ -z "$inner" ] || fail "${library##*/} exports $inner"
done

# converse PROGRAM PROGRAM: a server of the first build answers a client of the second.
converse() {
  COMCH_RUNTIME_DIR=$(mktemp -d "$scratch/meet.XXXXXX")
  export COMCH_RUNTIME_DIR
  mkfifo "$COMCH_RUNTIME_DIR/said"
  "$1_server" --name installed >"$COMCH_RUNTIME_DIR/said" &
  server=$!
  exec 3<"$COMCH_RUNTIME_DIR/said"
  read -r _ <&3 || fail "the server did not start"
  timeout 20 "$2_client" --name installed --count 3 >"$scratch/pings" || fail "no answer"
  grep -q '^3 pings came back' "$scratch/pings" || fail "the client did not count three pings"
  kill "$server"
  wait "$server" || fail "the server failed"
  server=
}

compile() { # compile EXAMPLE OUTPUT FLAG...
  example=$1 output=$2
  shift 2
  ${CXX:-c++} -std=c++23 -Wall -Werror "$sources/$example.cc" -o "$scratch/$output" "$@"
}
shared="$(ask --cflags --libs comch) -Wl,-rpath,$root/$libraries"
# The archive by its name; what it needs is the rest of what pkg-config says.
static="$(ask --cflags comch) $root/$libraries/libcomch.a $(ask --libs --static comch | sed 's/-lcomch //')"
for end in server client; do
  # shellcheck disable=SC2086  # Flags are words.
  compile "ping_$end" "shared_$end" $shared
  # shellcheck disable=SC2086
  compile "ping_$end" "static_$end" $static
done
converse "$scratch/shared" "$scratch/static"
if ask --exists comch-uring; then
  only_ours comch-uring
  # shellcheck disable=SC2046
  compile uring_send_files files $(ask --cflags --libs comch-uring)
fi

unit=$root/lib/systemd/system/comch.service
if [ -e "$unit" ]; then
  daemon=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")
  [ -x "$scratch/root$daemon" ] || fail "the unit starts $daemon, which is not there"
  [ -x "$root/sbin/mount.comch" ] || fail "there is no mount.comch beside comchfs"
fi
# mount(8) looks into /sbin, whatever the prefix.
if [ -L "$scratch/root/sbin/mount.comch" ]; then
  helper=$(readlink "$scratch/root/sbin/mount.comch")
  [ -x "$scratch/root$helper" ] || fail "mount(8) would run $helper, which is not there"
fi
echo "install_test: built and run"
