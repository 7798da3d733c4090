#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What continuous integration runs: dependencies (those of single tests, too), build with warnings
# as errors, all tests.
# Arguments go to ctest: scripts/test.sh -L core, scripts/test.sh -R ledger
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Those of single tests come while the compiler works.
scripts/install-deps.sh
scripts/install-deps.sh buildah chromium clang-format-14 dpkg-dev file lintian mmdebstrap munge nftables nodejs openssh-server openssh-sftp-server patchelf python3-venv slurm-wlm sshfs &
installing=$!
scripts/build.sh ci || {
  code=$?
  wait "$installing" || true
  exit "$code"
}
wait "$installing"
# More at a time than there are processors: tests of the program mostly wait.
ctest --test-dir build/ci --output-on-failure -j "${TUNE_TEST_JOBS:-5}" "$@" || {
  code=$?
  scripts/show_failures.py build/ci
  exit "$code"
}
