#!/bin/sh
# A program is built with what an installation of this build has, and runs (build_and_run.sh).
#
#   install_test.sh MESON BUILD-DIRECTORY PREFIX MODULE-DIRECTORY SOURCE
#
# The last two name the directory of the pkg-config modules below the prefix, and the program.
set -eu
meson=$1 build=$2 prefix=$3 modules=$4 source=$5
# shellcheck source=tests/support/scratch.sh
. "$(dirname "$0")/../../support/scratch.sh"
DESTDIR="$scratch" "$meson" install -C "$build" --no-rebuild --quiet --tags runtime,devel
"$(dirname "$0")/build_and_run.sh" "$scratch$prefix" "$modules" "$source"
