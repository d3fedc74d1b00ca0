#!/usr/bin/env bash
# Runs a list of test programs where RDMA is: in a guest of our own, or, with COMCH_RDMA_DEVICE
# and COMCH_RDMA_PEER (tests/run --rdma), on a device of this machine.
#
#   run_list.sh LIST BUILD MEMORY    as in_guest.sh; what a guest has, in MiB
#
# COMCH_RDMA_PEER is the address of this machine that servers listen on: of the device itself, or
# of another one that is cabled to it.
set -eu
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if [ -z "${COMCH_RDMA_DEVICE:-}" ]; then
  # Guests run in pairs. One with more processors than there are for it stands still whenever the
  # wrong half of it waits for the machine's: a pair of two each took three times as long on two.
  processors=$(($(nproc) / 2))
  processors=$((processors < 1 ? 1 : processors > 2 ? 2 : processors))
  # It ends ahead of three times what meson.build says, and tells more then.
  exec "$here/rdma-vm" --cpus "$processors" --mem "$3" --timeout 1650 -- "$here/in_guest.sh" "$1" "$2"
fi
address="$("$2/core/tool/comch" ls --devices --json |
  jq -r --arg name "$COMCH_RDMA_DEVICE" '.devices[] | select(.name == $name) | .rdma // empty')"
[ -n "$address" ] || {
  echo "not ok - $COMCH_RDMA_DEVICE is no RDMA device with an address; see \`comch ls --devices\`"
  exit 1
}
description="$(mktemp)"
trap 'rm -f "$description"' EXIT
sed "s/10\.77\.0\.2/$address/; s/10\.77\.0\.1/$COMCH_RDMA_PEER/" "$here/devices.toml" >"$description"
export COMCH_DEVICES="$description"
export COMCH_RDMA_CLIENT="$address" COMCH_RDMA_SERVER="$COMCH_RDMA_PEER"
"$here/in_guest.sh" "$1" "$2"
