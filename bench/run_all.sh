#!/bin/sh
# Prints all measurements, one JSON object per line.
#
#   bench/run_all.sh [BUILD_DIRECTORY] [--large]
#
# The build is that of the preset `release` unless named. `--large` adds the runs of 100000 trials.
# Runs in a temporary directory of its own, which it removes.
# SPDX-License-Identifier: BSD-3-Clause
set -eu

build=build/release
large=no
for word in "$@"; do
  case $word in
    --large) large=yes ;;
    *) build=$word ;;
  esac
done
build=$(cd "$build" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

sizes='100 1000 10000'
[ $large = no ] || sizes="$sizes 100000"
for slots in 8 64; do
  for trials in $sizes; do
    "$build/bench/tune_run_bench" trials "$trials" $slots
  done
done
for slots in 8 64; do
  "$build/bench/tune_run_bench" reports 1000 100 $slots
done
[ $large = no ] || "$build/bench/tune_run_bench" reports 100000 10 8
[ $large = no ] || "$build/bench/tune_run_bench" memory 1000 100000 8
"$build/bench/tune_run_bench" answers 5 8
"$build/bench/tune_command_bench" "$build/apps/tune-node/tune-node" "$build/bench/tune_one_report"
"$build/bench/tune_output_bench"
"$build/bench/tune_process_bench" 2000 4
for processes in 1 8; do
  "$build/bench/tune_cost_bench" $processes
done
"$build/bench/tune_remote_bench"
"$build/bench/tune_reuse_bench" 5000 4
for scheduler in fifo asha toy; do
  "$build/bench/tune_simulate_bench" campaign $scheduler 10000
done
for trials in 1000 1000000; do
  "$build/bench/tune_simulate_bench" trials $trials
done
"$build/bench/tune_save_bench"
"$build/bench/tune_schedule_bench"
"$build/bench/tune_store_bench"
[ $large = no ] || "$build/bench/tune_view_bench"
"$build/bench/tune_view_bench" view_bench.tmp 10000
grow=$build/tests/support/tune_grow
[ ! -x "$grow" ] || python3 "$here/http_bench.py" "$build/apps/tune-node/tune-node" "$grow" 10000
paced=$build/bench/libtune_paced_trainable.so
[ ! -e "$paced" ] || python3 "$here/live_bench.py" "$build/apps/tune-node/tune-node" "$paced" 10000
"$build/bench/tune_place_bench" 100 1000
"$build/bench/tune_suggestion_bench" tpe 100 10000
"$build/bench/tune_suggestion_bench" gp 100 200 1000

# A CA and one certificate for all nodes, for these measurements only.
key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
openssl req -x509 $key -days 2 -subj /CN=bench-ca -keyout ca.key -out ca.pem 2>openssl.log
openssl req $key -subj /CN=bench-node -keyout node.key -out node.csr 2>>openssl.log
openssl x509 -req -in node.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out node.pem \
  2>>openssl.log
"$build/bench/tune_ship_bench"
"$build/bench/tune_ship_bench" --cert=node.pem --key=node.key --ca=ca.pem
"$build/bench/tune_checkpoint_bench" --cert=node.pem --key=node.key --ca=ca.pem
