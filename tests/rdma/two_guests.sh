#!/usr/bin/env bash
# Two guests on one wire, of which the second dies: host_death_test.cc in both.
#
#   two_guests.sh BUILD     BUILD holds the programs
#
# The survivor decides; of the other it is known only that it went down.
set -u
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=tests/rdma/tap.sh
. "$here/tap.sh"
if [ -n "${COMCH_RDMA_DEVICE:-}" ]; then
  echo "ok - two-guests # SKIP only a guest may be made to die"
  exit 0
fi
program="$(realpath "$1")/tests/rdma/rdma_host_death_test"
sockets="$(mktemp -d)"
victim=
trap '[ -z "$victim" ] || { kill "$victim" 2>/dev/null; wait "$victim" 2>/dev/null; }; rm -rf "$sockets"' EXIT

# guest ME PEER ADDRESS DESCRIPTION CASE
guest() {
  COMCH_DEVICES="$here/$4" "$here/rdma-vm" --cpus 1 --timeout 510 --wire-ip "$3/24" \
    --wire "$sockets/$1,$sockets/$2" -- "$program" --gtest_filter="HostDeath.$5"
}

guest b a 10.79.0.2 wire_client.toml TheHostThatDies >"$sockets/victim" 2>&1 &
victim=$!
status=0
guest a b 10.79.0.1 wire_server.toml 'ThePeerOfADeadHost*' >"$sockets/survivor" 2>&1 || status=$?
as_tap two-guests HostDeath "$sockets/survivor" "$status" && exit 0
sed 's/^/# the other guest: /' "$sockets/victim"
exit 1
