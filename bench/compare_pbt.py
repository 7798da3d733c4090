#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures whether schedules that population based training finds are worth it, in real training.

  bench/compare_pbt.py [TUNE_NODE] [--seeds N] [--trials N] [--epochs N]

Trains the network of config/pbt-digits.ini with every seed from 1 on, under PBT and as random
search: the same space and seed, as many trials and epochs, but in random search each trial keeps
the configuration that it began with. ASHA, with five times the trials, is there for information.

The value of a run is what a user would take: the report with the best `accuracy` (validation) of
the whole run, which is `best` in its output, and the `test_accuracy` of that report. Nothing is
chosen by the latter.

Prints one JSON object per way, then a table on stderr. Exit status 1: both did not train the same
number of epochs, or PBT's median on the test images is worse by more than half a point.
"""
import argparse
import contextlib
import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "config" / "pbt-digits.ini"
# [points of accuracy]
ALLOWED_LOSS = 0.5


def read_words():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("tune_node", nargs="?", default=ROOT / "build/release/apps/tune-node/tune-node")
    words.add_argument("--seeds", type=int, default=5)
    words.add_argument("--trials", type=int, default=16)
    words.add_argument("--epochs", type=int, default=60)
    return words.parse_args()


def ways(words):
    """Ways by name, each with the keys that it changes in the file."""
    asha = {"scheduler.type": "asha", "scheduler.max_t": words.epochs, "scheduler.grace_period": 2}
    return {
        "pbt": {},
        "random search": {"scheduler.type": "fifo"},
        "asha": {**asha, "experiment.num_samples": 5 * words.trials},
    }


def schedule_of(program, directory, trial):
    """The learning rates of a trial, each with its first epoch: [[0, 0.1], [5, 0.12], …]."""
    told = subprocess.run(
        [program, "trials", directory, "--policy", trial], capture_output=True, text=True
    )
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    if not rows:
        return []
    return [[0, rows[0][4]["lr"]]] + [[row[3], row[5]["lr"]] for row in rows]


def count(directory, what):
    """Number of rows in a table of an experiment's record."""
    with contextlib.closing(sqlite3.connect(Path(directory, "experiment.db"))) as record:
        return record.execute("SELECT count(*) FROM " + what).fetchone()[0]


def train(program, words, changes, seed):
    """Makes one run. Returns its choice and its cost."""
    changes = {
        "experiment.num_samples": words.trials, "stop.training_iteration": words.epochs,
        "search.type": "random", **changes
    }
    with tempfile.TemporaryDirectory() as storage:
        line = [program, "run", CONFIG, "-o", "json", "--quiet", "--experiment.storage", storage]
        for name, what in {**changes, "experiment.seed": seed}.items():
            line += ["--" + name, what]
        ran = subprocess.run(list(map(str, line)), capture_output=True, text=True)
        if ran.returncode != 0:
            raise SystemExit(ran.stderr)
        told = json.loads(ran.stdout)
        best = told["best"]
        return {
            "accuracy": best["metrics"]["accuracy"],
            "test_accuracy": best["metrics"]["test_accuracy"],
            "epochs": count(told["directory"], "results"),
            "exploits": count(told["directory"], "decisions WHERE action = 'exploit'"),
            "schedule": schedule_of(program, told["directory"], best["trial"]),
        }


def median(runs, name):
    return statistics.median(run[name] for run in runs)


def describe(name, runs):
    return {
        "bench": "compare_pbt", "scheduler": name, "seeds": len(runs),
        "median_accuracy": round(median(runs, "accuracy"), 4),
        "median_test_accuracy": round(median(runs, "test_accuracy"), 4),
        "accuracy": [round(run["accuracy"], 4) for run in runs],
        "test_accuracy": [round(run["test_accuracy"], 4) for run in runs],
        "epochs": [run["epochs"] for run in runs],
        "exploits": [run["exploits"] for run in runs],
        "lr": runs[0]["schedule"],
    }


def show(told):
    """Prints the table."""
    line = "%-14s %11s %11s %9s %9s  %s"
    print(line % ("", "validation", "test", "epochs", "exploits", "test by seed"), file=sys.stderr)
    for x in told.values():
        by_seed = " ".join("%.2f" % (100 * y) for y in x["test_accuracy"])
        print(line % (
            x["scheduler"], "%.2f %%" % (100 * x["median_accuracy"]),
            "%.2f %%" % (100 * x["median_test_accuracy"]), round(statistics.median(x["epochs"])),
            round(statistics.median(x["exploits"])), by_seed,
        ), file=sys.stderr)


def complaint(told):
    """The complaint about the figures; empty if there is none."""
    pbt, random = told["pbt"], told["random search"]
    if pbt["epochs"] != random["epochs"]:
        return "PBT and random search did not train the same number of epochs"
    worse = 100 * (random["median_test_accuracy"] - pbt["median_test_accuracy"])
    return "PBT is worse by %.2f points" % worse if worse > ALLOWED_LOSS else ""


def main():
    words = read_words()
    told = {}
    for name, changes in ways(words).items():
        runs = [train(words.tune_node, words, changes, 1 + i) for i in range(words.seeds)]
        told[name] = describe(name, runs)
        print(json.dumps(told[name]), flush=True)
    show(told)
    wrong = complaint(told)
    if wrong:
        raise SystemExit(wrong)


if __name__ == "__main__":
    main()
