#!/usr/bin/env bash
# The long campaigns, whose short forms are in the test suite. One line of JSON per campaign.
#
#   scripts/nightly.sh [BUILD_DIRECTORY] [SCHEDULES] [FIRST_SEED]
#
# The build is that of the preset `release` unless named, and is brought up to date. Each scheduler
# gets 100000 simulated experiments with faults unless told otherwise, a twentieth of that where it
# fits models; the first seed is that of the day, so that every night tries new ones. A finding ends the campaign with its seed: the same seed
# shows it again (of those that kill processes it gives the same plan, not the same moments).
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
schedules=${2:-100000}
first=${3:-$(($(date +%s) / 86400 * 1000000))}
[ -f "$build/build.ninja" ] || cmake --preset release >&2
ninja -C "$build" tune_simulate_bench tune-node tune_faulty_node tune_io_tests >&2
TUNE_NODE=$(realpath "$build/apps/tune-node/tune-node")
TUNE_FAULTY_NODE=$(realpath "$build/tests/support/tune_faulty_node")
export TUNE_NODE TUNE_FAULTY_NODE

# What only computes runs beside what kills, starves and cuts off processes.
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT
campaign() { "$@" || echo "$*" >>"$findings"; }
long_tests() { TUNE_LONG=1 TUNE_SEED=$first campaign "$@"; }

{
  for scheduler in $("$build/bench/tune_simulate_bench" schedulers); do
    case $scheduler in
      *pb2*) count=$(((schedules + 19) / 20)) ;;
      *) count=$schedules ;;
    esac
    campaign "$build/bench/tune_simulate_bench" campaign $scheduler "$count" "$first"
  done
  for trials in 1000 1000000; do
    campaign "$build/bench/tune_simulate_bench" trials "$trials"
  done
  # Prints a line for each campaign among those of its test program.
  long_tests "$build/tests/io/tune_io_tests" --gtest_filter='damage_test.*' | tee /dev/stderr | grep '^{' || true
} &
computing=$!
# The real program, whose processes are killed, or sleep: 50 seeds, 50 kills each, under FIFO, both forms of
# ASHA, PBT and PB2; then all orders of deaths.
campaign python3 tests/e2e/kill_loop.py "$first" 50
campaign python3 tests/e2e/deaths.py "$first"
# Heads that die 50 times under each of three schedulers, while the trials at their workers train on.
TUNE_HEAD_KILLS=50 campaign python3 tests/e2e/test_head_restart.py
# A line that fails again and again, for ten minutes.
campaign python3 tests/e2e/flap_loop.py "$first" 600
# Heads, workers, guards and trials that sleep and die around the time after which they count as lost,
# for ten minutes.
campaign python3 tests/e2e/nemesis.py "$first" 600
# A machine that has no time for it.
campaign python3 tests/e2e/overload.py "$first"
# Real training: is what PBT finds worth it?
campaign python3 bench/compare_pbt.py "$TUNE_NODE"
# What a disk may do. These tests print a line for each campaign; what they complain of goes to stderr.
for file in test_disk_kills test_disk_errors test_disk_damage test_disk_places test_disk_power test_memory_limit; do
  long_tests python3 tests/e2e/$file.py
done
wait $computing
if [ -s "$findings" ]; then
  { echo "found something:"; cat "$findings"; } >&2
  exit 1
fi
