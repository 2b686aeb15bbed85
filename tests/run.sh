#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors and runs the tests.
#   tests/run.sh           the fast tier
#   tests/run.sh --long    the long tier as well
set -euo pipefail

usage="usage: tests/run.sh [--long]"
tier=(-LE '^long$')
case "${1-}" in
  "") ;;
  --long) tier=() ;;
  -h | --help) echo "$usage" && exit 0 ;;
  *) echo "$usage" >&2 && exit 2 ;;
esac

# shellcheck source-path=SCRIPTDIR source=../apps/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../apps/setup.sh"

ensure_packages
configure_release -DGAUSSIANIZE_WERROR=ON -DGAUSSIANIZE_BUILD_TESTS=ON -DGAUSSIANIZE_BUILD_APPS=ON
build_release

build="$gaussianize_root/build/release"
status=0
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(nproc 2>/dev/null || echo 2)" \
  "${tier[@]}" || status=$?

# CTest counts binaries and scripts; each binary's log says how many cases and assertions it ran.
awk -F'[:|]' '
  /^\[doctest\] test cases:/ { cases += $2 }
  /^\[doctest\] assertions:/ { assertions += $2 }
  END { printf "in all %d test cases and %d assertions\n", cases, assertions }
' "$build/Testing/Temporary/LastTest.log"
exit "$status"
