# Sourced by apps/quickstart.sh and tests/run.sh: finds or installs what the project needs, then configures the build.
# shellcheck shell=bash

gaussianize_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# Every package of apps/packages.txt, one a line.
required_packages() {
  sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$gaussianize_root/apps/packages.txt"
}

# Those of them that dpkg does not know as installed.
missing_packages() {
  local package
  required_packages | while read -r package; do
    [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" == installed* ]] || echo "$package"
  done
}

# as_root COMMAND…: runs it as root; fails where that would take a password and there is nobody to ask.
as_root() {
  if [[ "$(id -u)" == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 2 ]]; }; then
    sudo "$@"
  else
    return 1
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null || return
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" </dev/null
}

# Names the tools and headers that are not there, one an indented line, whatever installed the others.
missing_parts() {
  local compiler="${CXX:-c++}" header
  command -v cmake >/dev/null || echo "  cmake, 3.21 or later"
  command -v python3 >/dev/null || echo "  python3"
  if ! command -v "$compiler" >/dev/null; then
    echo "  a C++20 compiler (g++ 12 or clang++ 14, or later)"
    return
  fi
  for header in armadillo boost/program_options.hpp boost/multiprecision/cpp_bin_float.hpp doctest/doctest.h \
    nlohmann/json.hpp zlib.h; do
    printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$header" |
      "$compiler" -x c++ -std=c++20 -E - >/dev/null 2>&1 || echo "  the header <$header>"
  done
}

# Silent when nothing is missing. Otherwise installs with apt-get where it can, and where it cannot says what to
# install, and fails only if the build could not start. A list of packages is split into words on purpose: arrays would
# take process substitution, which needs a mounted /proc.
# shellcheck disable=SC2086
ensure_packages() {
  local missing parts
  if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    missing="$(missing_packages)"
    if [[ -z "$missing" ]]; then return 0; fi
    echo "Installing with apt-get:" $missing >&2
    if apt_install $missing >&2; then return 0; fi
    echo "apt-get could not install them. As root:" >&2
    echo "  apt-get install --no-install-recommends" $missing >&2
  else
    missing="$(required_packages)"
  fi
  parts="$(missing_parts)"
  if [[ -z "$parts" ]]; then return 0; fi
  echo "Missing on this machine:" >&2
  echo "$parts" >&2
  echo "Install what these Debian packages hold:" $missing >&2
  return 1
}

# configure PRESET [-D…]: with make where there is no Ninja. A build folder that is there keeps what it was configured with.
configure() {
  local -a fresh=()
  if [[ ! -e "$gaussianize_root/build/$1/CMakeCache.txt" ]] && ! command -v ninja >/dev/null; then
    fresh=(-G "Unix Makefiles")
  fi
  (cd "$gaussianize_root" && cmake --preset "$1" "${fresh[@]}" "${@:2}")
}

# build PRESET [--target NAME…]
build() {
  cmake --build "$gaussianize_root/build/$1" --parallel "$(nproc 2>/dev/null || echo 2)" "${@:2}"
}
