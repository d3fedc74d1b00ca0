# What a GoogleTest program wrote, in TAP; for in_guest.sh and two_guests.sh to source.
# shellcheck shell=bash

# as_tap WORD CASES LOG STATUS: prints a line for each case that ran, and what was written if one
# failed; answers whether all passed. A program that broke off, or ran nothing, has failed.
as_tap() {
  local word="$1" wanted="$2" log="$3" status="$4" cases
  cases="$(sed -nE "s/^\[       OK \] ([^ ]+).*/ok - $word \1/p;
                    s/^\[  SKIPPED \] ([^ ]+).* \([0-9]+ ms\)$/ok - $word \1 # SKIP over RDMA/p;
                    s/^\[  FAILED  \] ([^ ,]+).* \([0-9]+ ms\)$/not ok - $word \1/p" "$log")"
  [ -z "$cases" ] || echo "$cases"
  [ "$status" -ne 0 ] || [ -z "$cases" ] || return 0
  grep -q '^not ok' <<<"$cases" || echo "not ok - $word $wanted (exit status $status)"
  excerpt "$log" | sed 's/^/# /'
  return 1
}

# What the cases that failed wrote, and the last of all: without the line that would make a reader
# take this for the program's own report.
excerpt() {
  awk '/^\[ RUN  / { text = "" }
       { text = text $0 "\n" }
       /^\[  FAILED  \] .* ms\)$/ { printf "%s", text }' "$1" | head -n 200
  echo ...
  tail -n 40 "$1" | grep -v '^\[==========\]'
}
