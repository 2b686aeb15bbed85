#!/usr/bin/env bash
# Builds with sanitizers, and by the second compiler, and runs the tests there.
#   tests/sanitize.sh asan     address and undefined behaviour, the standard library's assertions: the fast tests
#   tests/sanitize.sh tsan     data races: threads, the engine, trainings, fits at the same time
#   tests/sanitize.sh clang    everything by clang++, warnings as errors
#   tests/sanitize.sh fuzz     10 million executions of every fuzzer, which takes hours
#   tests/sanitize.sh all      the first three
#   tests/sanitize.sh lean     what tests/run.sh runs each time: asan for what reads files and handles memory, tsan, and,
#                              where clang++ and libFuzzer are installed, a short run of every fuzzer
set -euo pipefail

usage="usage: tests/sanitize.sh asan|tsan|clang|fuzz|all|lean"
# shellcheck source-path=SCRIPTDIR source=../apps/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../apps/setup.sh"
cd "$gaussianize_root"
jobs="$(nproc 2>/dev/null || echo 2)"

# OpenBLAS is not built with the sanitizer, which cannot see its locks; the library gives it one thread in any case.
export OPENBLAS_NUM_THREADS=1
export ASAN_OPTIONS="detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:allocator_may_return_null=1"
export LSAN_OPTIONS="suppressions=$PWD/tests/trust/lsan.txt:print_suppressions=0"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/tests/trust/tsan.txt"

fuzzers=(csv npy idx gzip model bundle config)
# What reads what strangers wrote, hands out work and holds memory by hand.
memory_tests=(core io flow gf trust)
race_tests=(core flow gf trust)

run_tests() { # PRESET TEST…
  local names
  names="$(IFS='|' && echo "${*:2}")"
  ctest --test-dir "build/$1" --output-on-failure --no-tests=error --parallel "$jobs" -LE '^long$' -R "^($names)\$"
}

# clang++ with the libraries that fuzzing takes, which come with the sanitizers' own
has_libfuzzer() {
  command -v clang++ >/dev/null && command -v ninja >/dev/null &&
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null
}

lean() {
  # One build by clang++ serves both the tests and the fuzzers.
  local preset=asan
  if has_libfuzzer; then preset=fuzz; else echo "clang++ or libFuzzer is not installed: the replays stand in"; fi
  configure "$preset" -DGAUSSIANIZE_BUILD_APPS=OFF -DGAUSSIANIZE_WERROR=ON >/dev/null
  build "$preset" --target "${memory_tests[@]/#/test_}" "${fuzzers[@]/#/replay_}"
  run_tests "$preset" "${memory_tests[@]}" "${fuzzers[@]/#/fuzz_}"
  if [[ "$preset" == fuzz ]]; then FUZZ_SEED=1 bash tests/fuzz/run.sh 20000; fi
  races
}

long_fuzz() {
  if has_libfuzzer; then bash tests/fuzz/run.sh 10000000; else echo "clang++ or libFuzzer is not installed: no fuzzing"; fi
}

races() {
  # clang++ compiles this in a third of the time that g++ takes.
  local -a compiler=()
  if has_libfuzzer && [[ ! -e build/tsan/CMakeCache.txt ]]; then compiler=(-DCMAKE_CXX_COMPILER=clang++); fi
  configure tsan -DGAUSSIANIZE_BUILD_APPS=OFF "${compiler[@]}" >/dev/null
  build tsan --target "${race_tests[@]/#/test_}"
  run_tests tsan "${race_tests[@]}"
}

memory() {
  configure asan >/dev/null
  build asan --target all
  # The installed library is linked by a program that knows no sanitizer.
  ctest --test-dir build/asan --output-on-failure --no-tests=error --parallel "$jobs" -LE '^long$' -E '^project_'
}

second_compiler() {
  if ! command -v clang++ >/dev/null; then
    echo "clang++ is not installed: one compiler is all there is"
    return
  fi
  # Nothing precompiled, which shows any include that is missing.
  configure clang -DGAUSSIANIZE_WERROR=ON -DGAUSSIANIZE_PRECOMPILE=OFF >/dev/null
  build clang --target all benchmarks
  ctest --test-dir build/clang --output-on-failure --no-tests=error --parallel "$jobs" -LE '^long$'
}

case "${1-}" in
  asan) memory ;;
  tsan) races ;;
  clang) second_compiler ;;
  fuzz) long_fuzz ;;
  all)
    memory
    races
    second_compiler
    ;;
  lean) lean ;;
  -h | --help) echo "$usage" ;;
  *) echo "$usage" >&2 && exit 2 ;;
esac
