#!/usr/bin/env bash
# Runs test programs over RDMA devices, one after the other, and reports each case in TAP.
#
#   in_guest.sh LIST BUILD     LIST as guest_tests.txt; BUILD holds the programs
#
# Meant for the guest of rdma-vm, but any machine with the devices will do: COMCH_DEVICES says
# which they are. A program that crashes, or that is still running when its time is up, is a case
# that failed. Of a program
# whose cases fork, each runs in a process of its own, because a process that has used a device
# cannot fork another one that does.
set -u
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=tests/rdma/tap.sh
. "$here/tap.sh"
list="$1" build="$(realpath "$2")" failed=0
export COMCH_DEVICES="${COMCH_DEVICES:-$here/devices.toml}" GTEST_COLOR=no
# The guest's processor is a program; what is slow there is not hung. The seconds of a list are for
# a machine that has nothing else to do.
times=1
if [ -n "${RDMA_VM:-}" ]; then
  export COMCH_TEST_SLOWDOWN="$((4 * ${COMCH_TEST_SLOWDOWN:-1}))"
  times=3
fi
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/run" "$scratch/tmp"
export COMCH_RUNTIME_DIR="$scratch/run" TMPDIR="$scratch/tmp"
export PATH="$build/examples:$build/core/tool:$build/fuse:$PATH"
export COMCH_DOCA_EXAMPLES="$build/examples/doca" COMCHFS="$build/fuse/comchfs"
export COMCH_DOCA_EXAMPLES_DEVICES="$COMCH_DEVICES"
# The report is this one; that of the last program would be taken for all of it.
unset GTEST_OUTPUT

# Between the two ends of the guest's cable, both ways; nothing elsewhere.
lossy() {
  local end
  for end in rdma0 rdma1; do
    if [ "$1" = 0 ]; then
      tc qdisc del dev "$end" root
    else
      tc qdisc add dev "$end" root netem loss "$1%"
    fi
  done
}

# What an end of the cable receives becomes one processor's. veth leaves each packet to the
# processor that sends it: two of them bring packets out of order as soon as one is held up, and rxe
# may stand still for ever then. It takes many packets; and what was sent is not there at once any
# more, as most tests have it.
steer() {
  local other=1
  [ -n "${RDMA_VM:-}" ] || return 0
  [ ! -d /sys/devices/system/cpu/cpu1 ] || other=2
  echo 1 >/sys/class/net/rdma0/queues/rx-0/rps_cpus
  echo "$other" >/sys/class/net/rdma1/queues/rx-0/rps_cpus
}

# The cases of a program that a filter lets through, a line each.
cases_of() {
  "$1" --gtest_list_tests --gtest_filter="$2" </dev/null 2>/dev/null |
    awk '/^[^ ].*\.( |$)/ { suite = $1 } /^  / { print suite $1 }'
}

took() {
  awk -v what="$1" -v a="$2" -v b="$EPOCHREALTIME" \
    'BEGIN { printf "# %s took %.1f s\n", what, b - a }'
}

# run WORD HOW SECONDS PROGRAM FILTER LOSS
run() {
  local word="$1" how="$2" seconds="$3" program="$4" filter="$5" loss="$6"
  local log="$scratch/log" status case any='' began
  if [ "$loss" != 0 ] && [ -z "${RDMA_VM:-}" ]; then
    echo "ok - $word # SKIP packets are lost on the guest's cable only"
    return
  fi
  if [ "$loss" != 0 ] && ! lossy "$loss"; then
    echo "not ok - $word: no loss could be set up"
    failed=1
    return
  fi
  began="$EPOCHREALTIME"
  while read -r case; do
    status=0
    timeout --kill-after=5 "$((times * seconds))" "$build/$program" --gtest_filter="$case" \
      </dev/null >"$log" 2>&1 || status=$?
    as_tap "$word" "$case" "$log" "$status" || failed=1
    [ -z "${COMCH_RDMA_TIMES:-}" ] || sed -nE 's/^\[       OK \] (.* \([0-9]+ ms\))$/# \1/p' "$log"
    any=yes
  done < <(if [ "$how" = each ]; then cases_of "$build/$program" "$filter"; else echo "$filter"; fi)
  if [ -z "$any" ]; then
    echo "not ok - $word: no case is called $filter"
    failed=1
  fi
  [ "$loss" = 0 ] || lossy 0
  took "$word" "$began"
}

while read -r word how seconds program filter loss; do
  case "$word" in
    '' | '#'*) continue ;;
    steer) steer && continue ;;
  esac
  run "$word" "$how" "$seconds" "$program" "$filter" "${loss:-0}"
done <"$list"
exit "$failed"
