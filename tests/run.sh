#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors and runs the tests, the most important of them
# under sanitizers as well.
#   tests/run.sh           the fast tier
#   tests/run.sh --long    the long tier as well: every fast test under the sanitizers, both compilers, and, where
#                          libFuzzer is installed, 10 million executions of every fuzzer
set -euo pipefail

usage="usage: tests/run.sh [--long]"
tier=(-LE '^long$')
sanitizers=(lean)
case "${1-}" in
  "") ;;
  --long)
    tier=()
    sanitizers=(asan tsan clang fuzz)
    ;;
  -h | --help) echo "$usage" && exit 0 ;;
  *) echo "$usage" >&2 && exit 2 ;;
esac

# shellcheck source-path=SCRIPTDIR source=../apps/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../apps/setup.sh"

ensure_packages
configure release -DGAUSSIANIZE_WERROR=ON -DGAUSSIANIZE_BUILD_TESTS=ON -DGAUSSIANIZE_BUILD_APPS=ON
build release

build="$gaussianize_root/build/release"
status=0
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(nproc 2>/dev/null || echo 2)" \
  "${tier[@]}" || status=$?

# Each case is a test of CTest; their logs say how many assertions they made.
awk -F'[:|]' '
  /^\[doctest\] test cases:/ { cases += $2 }
  /^\[doctest\] assertions:/ { assertions += $2 }
  END { printf "in all %d test cases and %d assertions\n", cases, assertions }
' "$build/Testing/Temporary/LastTest.log"

# Each in turn, whatever became of the others: one run reports every failure.
for mode in "${sanitizers[@]}"; do
  bash "$gaussianize_root/tests/sanitize.sh" "$mode" || { status=$? && echo "tests/sanitize.sh $mode failed" >&2; }
done
exit "$status"
