#!/usr/bin/env bash
# Which lines of the library the fast C++ tests run: per file, in all, and every line that they do not.
#   tests/coverage.sh              builds with counters (g++), runs the tests, reports
#   tests/coverage.sh --report     reports the last run again
set -euo pipefail

usage="usage: tests/coverage.sh [--report]"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/coverage
tests=(support core math rotation marginal flow rbig gf search data io info trust hostile_data allocations)

case "${1-}" in
  "")
    cmake --preset coverage >/dev/null
    cmake --build "$build" --parallel "$(nproc 2>/dev/null || echo 2)" --target "${tests[@]/#/test_}"
    find "$build" -name '*.gcda' -delete
    # One at a time: the counters of all of them are added up in the same files.
    ctest --test-dir "$build" --output-on-failure --no-tests=error -L "^($(IFS='|' && echo "${tests[*]}"))\$"
    ;;
  --report) ;;
  -h | --help) echo "$usage" && exit 0 ;;
  *) echo "$usage" >&2 && exit 2 ;;
esac
python3 -B tests/coverage.py "$build"
