#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Shows tune-node at work on real data: builds it, tunes a support vector machine (svm-train, which
# knows nothing of tuning) and a neural network (a C++ class) on handwritten digits.
#
# Results go to results/demo-svm-digits and results/demo-mlp-digits, which it replaces each time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh
scripts/build.sh release tune-node
tune_node=build/release/apps/tune-node/tune-node

scratch=$(mktemp -d "${TMPDIR:-/tmp}/tune-demo.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

run() {
  local example=$1
  local name=demo-$example
  echo
  echo "== tune-node run config/$example.ini"
  rm -rf "results/$name"
  "$tune_node" run "config/$example.ini" --experiment.name "$name" \
    --experiment.storage results --output json >"$scratch/$example.json"
}

run svm-digits
run mlp-digits

echo
python3 - "$scratch/svm-digits.json" "$scratch/mlp-digits.json" <<'PYTHON'
import json
import sys


def show(x):
    return "%.4g" % x if isinstance(x, float) else str(x)


for path in sys.argv[1:]:
    with open(path) as file:
        result = json.load(file)
    best = result["best"]
    print("%s: the best of %d trials is %s" % (
        result["experiment"], sum(result["counts"].values()), best["trial"]))
    for word, values in ("metrics", best["metrics"]), ("config", best["config"]):
        print("  %-8s %s" % (word, "  ".join("%s=%s" % (k, show(v)) for k, v in values.items())))
    print("  %-8s %s" % ("look in", result["directory"]))
PYTHON
cat <<'TEXT'

Each directory holds experiment.db, an SQLite database of all that happened, and a folder per trial:
  build/release/apps/tune-node/tune-node trials results/demo-mlp-digits --sort objective --limit 5
  sqlite3 results/demo-mlp-digits/experiment.db 'select trial, status, reason from trials limit 5'
The two files that asked for it, commented line by line: config/svm-digits.ini, config/mlp-digits.ini
TEXT
