# Installs the Debian packages that are missing; sourced by the scripts at the top level.

# What building the simulator needs.
build_packages=(g++ cmake ninja-build libboost-graph-dev libyaml-cpp-dev libspdlog-dev libfmt-dev libcli11-dev nlohmann-json3-dev)
# What the tests and checks need beside that.
check_packages=(libgtest-dev libbenchmark-dev librapidcheck-dev python3 python3-jsonschema python3-yaml ccache clang-format clang-tidy)

is_installed() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

# install_packages NAME... : does nothing, not even call apt-get, when all of them are there.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian, so nothing is installed here. Needed: the equivalents of $*"
    return 0
  fi
  local missing=() name
  for name in "$@"; do
    is_installed "$name" || missing+=("$name")
  done
  [[ ${#missing[@]} -eq 0 ]] && return 0

  if [[ "$(id -u)" -ne 0 ]] && ! command -v sudo >/dev/null; then
    echo "These Debian packages are missing, and this user is not root and has no sudo: ${missing[*]}" >&2
    echo "Have them installed (apt-get install ${missing[*]}) and run this again." >&2
    return 1
  fi
  echo "Installing Debian packages: ${missing[*]}"
  if ! { as_root apt-get update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"; }; then
    echo "Installing failed (see above). Needed: ${missing[*]}" >&2
    return 1
  fi
}
