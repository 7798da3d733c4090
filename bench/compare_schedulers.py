#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How soon each scheduler finds a good configuration, on recorded curves in virtual time.

    bench/compare_schedulers.py [TUNE_NODE] [SEEDS]

Runs config/compare.ini on four nodes with every scheduler and every seed from 1 on, all with the same
limit of virtual time. Prints one JSON object per scheduler: the median over the seeds of the time
until some trial was within 1 % of the range from the best of all curves (null where at least half of
the seeds never got there), the same relative to FIFO, how many seeds got there, the median of the
best value, and of trials begun.

Then, because population based training wants a population that fits its time: the same with so few
trials that all train to their ends, without a target. Prints one JSON object per scheduler and
number of trials: the medians of the best value, of the virtual time, and of the time that was
trained.
"""
import argparse
import json
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "config" / "compare.ini"
TARGET = "0.0918"
# Options of the file for ASHA, which other types do not take over.
HALVING = [("max_t", "81"), ("reduction_factor", "3")]
EPOCHS = ("time_attr", "training_iteration")
EVERY_NINE = [EPOCHS, ("perturbation_interval", "9")]
SCHEDULERS = {
    "fifo": [("type", "fifo")],
    "asha": [("type", "asha"), *HALVING],
    "asha, promotion": [("type", "asha"), ("form", "promotion"), *HALVING],
    "hyperband": [("type", "hyperband"), *HALVING],
    "hb_bohb": [("type", "hb_bohb"), *HALVING],
    "median_stopping": [("type", "median_stopping"), EPOCHS, ("grace_period", "3")],
    "pbt": [("type", "pbt"), *EVERY_NINE],
    "pbt, synch": [("type", "pbt"), ("synch", "true"), *EVERY_NINE],
    "pb2": [("type", "pb2"), ("explore", "lr, momentum, weight_decay"), *EVERY_NINE],
}
IN_POPULATIONS = {**SCHEDULERS, "pb2, synch": [*SCHEDULERS["pb2"], ("synch", "true")]}
# With 60 trials the model of pb2 takes half a minute of real time per seed.
POPULATIONS = {
    16: ("fifo", "pbt", "pbt, synch", "pb2", "pb2, synch"),
    30: ("fifo", "pbt", "pbt, synch", "pb2", "pb2, synch"),
    60: ("fifo", "pbt", "pbt, synch"),
}


def known_schedulers(program):
    told = subprocess.run(
        [program, "list", "schedulers", "-o", "json"], capture_output=True, text=True, check=True
    )
    return {x["name"] for x in json.loads(told.stdout)}


def simulate(program, options, seed, more=()):
    words = [program, "simulate", CONFIG, "--nodes", "4", "-o", "json", "--quiet", *more]
    words += ["--experiment.seed", str(seed)]
    for name, text in options:
        words += ["--scheduler." + name, text]
    ran = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(ran.stderr)
    return json.loads(ran.stdout)


def median_time(times):
    """The median, where None (never got there) comes last."""
    ordered = sorted(times, key=lambda x: float("inf") if x is None else x)
    middle = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return None if None in middle else sum(middle) / 2


def median_best(told):
    return statistics.median(x["best"]["metrics"]["validation_loss"] for x in told)


def median_computed(told):
    return statistics.median(x["simulated"]["computed_s"] for x in told)


def compare_all(program, seeds, known):
    fifo = None
    for name, options in SCHEDULERS.items():
        if dict(options)["type"] not in known:
            continue
        target = "--target", TARGET
        told = [simulate(program, options, seed, target) for seed in range(1, seeds + 1)]
        times = [x["simulated"]["target_s"] for x in told]
        time = median_time(times)
        fifo = time if name == "fifo" else fifo
        print(json.dumps({
            "bench": "compare_schedulers", "scheduler": name, "seeds": seeds,
            "median_target_s": time,
            "relative_to_fifo": round(time / fifo, 3) if time and fifo else None,
            "reached": sum(x is not None for x in times),
            "median_best": median_best(told),
            "median_trials": statistics.median(sum(x["counts"].values()) for x in told),
            "median_computed_s": median_computed(told),
        }), flush=True)


def compare_populations(program, seeds, known):
    for trials, names in POPULATIONS.items():
        limits = "--experiment.num_samples", str(trials), "--experiment.time_limit", "1h"
        for name in names:
            options = IN_POPULATIONS[name]
            if dict(options)["type"] not in known:
                continue
            told = [simulate(program, options, seed, limits) for seed in range(1, seeds + 1)]
            print(json.dumps({
                "bench": "compare_schedulers", "scheduler": name, "seeds": seeds, "trials": trials,
                "median_best": median_best(told),
                "median_elapsed_s": statistics.median(x["elapsed_s"] for x in told),
                "median_computed_s": median_computed(told),
            }), flush=True)


def main():
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    built = ROOT / "build/release/apps/tune-node/tune-node"
    words.add_argument("program", nargs="?", metavar="TUNE_NODE", default=built, type=Path)
    words.add_argument("seeds", nargs="?", metavar="SEEDS", default=20, type=int)
    said = words.parse_args()
    if said.seeds < 1:
        words.error("SEEDS must be at least 1")
    if not said.program.is_file():
        words.error(f"{said.program} is not there: build it, or name another")
    known = known_schedulers(said.program)
    compare_all(said.program, said.seeds, known)
    compare_populations(said.program, said.seeds, known)


if __name__ == "__main__":
    main()
