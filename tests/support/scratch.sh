# What tests that use an installation begin with, to source: $scratch, a directory of the test's
# own; a $server that does not outlive it; and how it fails.
# shellcheck shell=sh

scratch=$(mktemp -d)
server=
clean_up() {
  if [ -n "$server" ]; then kill "$server" || true; fi
  rm -rf "$scratch"
}
trap clean_up EXIT

fail() {
  echo "$(basename "$0" .sh): $1"
  exit 1
}
