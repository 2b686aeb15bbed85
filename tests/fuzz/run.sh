#!/usr/bin/env bash
# Fuzzes every parser under the address and undefined-behaviour sanitizers, with clang++ and its runtime (Debian: see
# packages.txt beside this file). New inputs gather in build/fuzz/corpus; a finding ends the run and leaves its input there.
#   tests/fuzz/run.sh                 60 seconds a target
#   tests/fuzz/run.sh 300s            as many seconds a target
#   tests/fuzz/run.sh 10000000        as many executions a target
#   tests/fuzz/run.sh 300s csv npy    these targets alone
# FUZZ_SEED=1 makes a run that can be repeated; otherwise every run tries something else.
set -euo pipefail

amount="${1:-60s}"
case "$amount" in
  *[!0-9s]* | s | "") echo "usage: tests/fuzz/run.sh [SECONDSs|EXECUTIONS] [TARGET…]" >&2 && exit 2 ;;
  *s) limit="-max_total_time=${amount%s}" ;;
  *) limit="-runs=$amount" ;;
esac
targets=("${@:2}")
[[ ${#targets[@]} -gt 0 ]] || targets=(csv npy idx gzip model checkpoint config)

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v clang++ >/dev/null || { echo "clang++ is missing; on Debian install what tests/fuzz/packages.txt lists" >&2 && exit 1; }
cmake --preset fuzz
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}" "${targets[@]/#/replay_}"

for target in "${targets[@]}"; do
  corpus="build/fuzz/corpus/$target"
  build/fuzz/tests/fuzz/replay_"$target" --seeds "$corpus"
  dictionary="tests/fuzz/dictionaries/$target.txt"
  case "$target" in csv | config) longest=1000 ;; *) longest=20000 ;; esac
  # 20 kB hold every structure, 1 kB what there is to say in text; the program may grow to 1 GB, and no allocation may
  # ask for more than a quarter of it.
  OPENBLAS_NUM_THREADS=1 build/fuzz/tests/fuzz/fuzz_"$target" "$corpus" "$limit" -dict="$dictionary" -artifact_prefix="$corpus-" \
    -seed="${FUZZ_SEED:-0}" -max_len="$longest" -rss_limit_mb=1024 -malloc_limit_mb=256 -timeout=60 -print_final_stats=1 2>&1 |
    grep -E "^stat::number_of_executed|^stat::peak|ERROR|SUMMARY|Test unit|broken|Done" | sed "s/^/$target: /"
done
