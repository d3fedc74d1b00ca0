#!/bin/sh
# A program is built with what an installation of this build has, and runs (build_and_run.sh).
#
#   install_test.sh MESON BUILD-DIRECTORY PREFIX MODULE-DIRECTORY SOURCE
#
# The last two name the directory of the pkg-config modules below the prefix, and the program.
# Everything is below a directory of the test's own.
set -eu
meson=$1 build=$2 prefix=$3 modules=$4 source=$5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
DESTDIR="$scratch" "$meson" install -C "$build" --no-rebuild --quiet --tags runtime,devel
"$(dirname "$0")/build_and_run.sh" "$scratch$prefix" "$modules" "$source"
