# What a GoogleTest program wrote, in TAP; for in_guest.sh and two_guests.sh to source.
# shellcheck shell=bash

# as_tap WORD CASE LOG STATUS: prints a line for the case that ran, and what it wrote if it failed;
# answers whether it passed. A program that broke off, or ran nothing, has failed.
as_tap() {
  local word="$1" case="$2" log="$3" status="$4"
  if [ "$status" -eq 0 ] && grep -q '^\[       OK \] ' "$log"; then
    echo "ok - $word $case"
    return 0
  fi
  if [ "$status" -eq 0 ] && grep -q '^\[  SKIPPED \] ' "$log"; then
    echo "ok - $word $case # SKIP over RDMA"
    return 0
  fi
  echo "not ok - $word $case (exit status $status)"
  # Without the line that would make a reader take this for the program's own report.
  tail -n 60 "$log" | grep -v '^\[==========\]' | sed 's/^/# /'
  return 1
}
