#!/usr/bin/env bash
# From a fresh checkout to a first result: installs what is missing, builds the program and compares the library's
# models on built-in data.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

ensure_packages
configure release -DGAUSSIANIZE_BUILD_APPS=ON
build release --target gaussianize gaussianize_pages  # what cmake --install takes

program="$gaussianize_root/build/release/apps/gaussianize"
printf '\n$ gaussianize compare\n'
"$program" compare

cat <<TEXT

The program is $program
  gaussianize compare --help      its options: other distributions, sizes, rotations
  gaussianize --help              every command
README.md shows the library in use, tests/run.sh tests it.
TEXT
