# The Debian packages comch needs, listed once, and how they get onto a machine.
#
# To be sourced, by quickstart and by tests/run:
#
#   . packaging/install-packages.sh
#   install_missing build        # what compiling and running comch takes
#   install_missing test         # that, and what the tests use
#   install_missing bench        # what building takes, and the peers the benchmarks compare with
#
# Only what is missing is installed; a machine that has everything is not touched and the
# network is not asked. COMCH_NO_INSTALL=1 turns an installation into a clear failure.
# shellcheck shell=bash
# shellcheck disable=SC2086  # Word splitting is what makes lists of the package strings.

comch_packages_build="
  g++ libc6-dev meson ninja-build pkg-config
  libfmt-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev
  libfuse3-dev fuse3 liburing-dev libpng-dev libibverbs-dev librdmacm-dev libsodium-dev
  coreutils grep mount procps"

comch_packages_test="
  clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev lld-19
  libgtest-dev libgmock-dev relacy-dev
  python3 strace
  qemu-system-x86 iproute2 rdma-core ibverbs-providers perftest xz-utils
  attr busybox inotify-tools jq procps psmisc ripgrep rsync tar tree util-linux"

comch_packages_bench="
  libucx-dev libzmq3-dev libopenmpi-dev openmpi-bin
  libiceoryx-posh-dev libiceoryx-hoofs-dev libacl1-dev iceoryx"

# Prints those of the named packages that are not installed.
missing_packages() {
  local package installed
  installed="$(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)"
  for package in "$@"; do
    grep -qxF "$package installed" <<<"$installed" || printf '%s\n' "$package"
  done
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -- "$@"
  else
    echo "install-packages: root is needed for: $*; run this as root or install sudo" >&2
    return 1
  fi
}

# install_missing build|test|bench: installs what the machine lacks of that set, or fails with
# one line on standard error.
install_missing() {
  local wanted missing
  case "${1:-}" in
    build) wanted="$comch_packages_build" ;;
    test) wanted="$comch_packages_build $comch_packages_test" ;;
    bench) wanted="$comch_packages_build $comch_packages_bench" ;;
    *)
      echo "install-packages: the sets are 'build', 'test' and 'bench'" >&2
      return 2
      ;;
  esac
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install-packages: not a Debian system; make sure of these yourself:" $wanted >&2
    return 0
  fi
  missing="$(missing_packages $wanted)"
  [ -n "$missing" ] || return 0
  if [ -n "${COMCH_NO_INSTALL:-}" ]; then
    echo "install-packages: missing, and COMCH_NO_INSTALL is set:" $missing >&2
    return 1
  fi
  echo "installing:" $missing
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update || {
    echo "install-packages: apt-get update failed; is there a network?" >&2
    return 1
  }
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install --yes --no-install-recommends $missing >/dev/null || {
    echo "install-packages: apt-get could not install:" $missing >&2
    return 1
  }
}
