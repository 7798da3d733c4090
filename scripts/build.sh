#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Configures and builds.
#
#   scripts/build.sh [PRESET [TARGET...]]
#
# PRESET is one of CMakePresets.json (default: release); the result is in build/PRESET. Without
# TARGETs all is built. scripts/install-deps.sh installs what is needed first.
# CMAKE_BUILD_PARALLEL_LEVEL is the number of compilers at a time (default: two more than there are
# processors, as far as memory allows).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
shift || true
targets=()
(($# == 0)) || targets=(--target "$@")

log=$(mktemp "${TMPDIR:-/tmp}/configure.XXXXXX.log")
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
# Sources that are compiled together take up to 2 GiB.
if [[ -z ${CMAKE_BUILD_PARALLEL_LEVEL:-} ]]; then
  memory=$(awk '$1 == "MemTotal:" {print int($2 / 2097152)}' /proc/meminfo)
  jobs=$(($(nproc) + 2))
  ((jobs <= memory)) || jobs=$((memory > 0 ? memory : 1))
  export CMAKE_BUILD_PARALLEL_LEVEL=$jobs
fi
cmake --build "build/$preset" "${targets[@]}"
