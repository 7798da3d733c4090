#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long places stay free between two trials.

    bench/free_places.py [TUNE_NODE] [--searchers LIST] [--trials N] [--places N] [--seconds S]
                         [--max-wait DURATION] [--seed N]

Runs one experiment per searcher: N trials of ten floats, each a process that sleeps for S seconds, so
many at a time that all places are taken. The record says when each attempt ended, and when the next
began; the place that has been free for longest is taken first. `random` shows what the runtime and
the start of a process take by themselves.

Prints one JSON object per searcher and range of trials: the median, the 95th percentile and the most
of these times [ms], the most of them that passed until the place had its configuration, how many
trials ran with what was drawn ahead, or at once, and the least loss of all trials so far.
"""
import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOUNDS = [0, 50, 100, 200, 500, 1000, 2000, 5000]

INI = """[experiment]
name = places
storage = results
metric = loss
mode = min
num_samples = %(trials)d
seed = %(seed)d
max_concurrent_trials = %(places)d
[trainable]
command = sh {ini_dir}/train.sh %(seconds)g %(arguments)s
metric.loss = loss=({number})
[resources]
cpu = 0.01
[search]
type = %(searcher)s
%(max_wait)s
[space]
%(space)s
"""

TRAIN = """sleep $1; shift
echo "$@" | awk '{ sum = 0; last = 0.5
  for (i = 1; i <= NF; ++i) {
    sum += ($i - 0.4) ^ 2 + ($i - last) * ($i - 0.2) + 0.02 * cos(20 * $i); last = $i }
  print "loss=" sum }'
"""


def read_words():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("tune_node", nargs="?", default=ROOT / "build/release/apps/tune-node/tune-node")
    words.add_argument("--searchers", default="random,auto,gp")
    words.add_argument("--trials", type=int, default=1000)
    words.add_argument("--places", type=int, default=4)
    words.add_argument("--seconds", type=float, default=0.2)
    words.add_argument("--max-wait")
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    if given.places < 1 or given.trials <= given.places:
        words.error("--trials: more than --places, which are at least 1")
    return given


def run(words, searcher, directory):
    names = ["x%d" % i for i in range(10)]
    text = INI % {
        "trials": words.trials,
        "seed": words.seed,
        "places": words.places,
        "seconds": words.seconds,
        "searcher": searcher,
        "max_wait": "max_wait = " + words.max_wait if words.max_wait else "",
        "arguments": " ".join("{%s}" % x for x in names),
        "space": "\n".join("%s = uniform(0, 1)" % x for x in names),
    }
    (directory / "train.sh").write_text(TRAIN)
    (directory / "places.ini").write_text(text)
    ran = subprocess.run(
        [str(Path(words.tune_node).resolve()), "run", "places.ini", "--output", "json"],
        cwd=directory, capture_output=True, text=True,
    )
    if ran.returncode != 0:
        raise SystemExit(ran.stderr)
    with sqlite3.connect(Path(json.loads(ran.stdout)["directory"]) / "experiment.db") as record:
        attempts = record.execute(
            "SELECT a.started, a.ended, t.created FROM attempts a JOIN trials t USING (trial)"
            " ORDER BY a.started").fetchall()
        trials = record.execute("SELECT origin, json_extract(metrics, '$.loss') FROM trials ORDER BY trial")
        return attempts, trials.fetchall()


def times_free(attempts):
    """For each attempt that was not among the first: how long its place had been free, and how much
    of that it waited for a configuration. [ms]"""
    changes = sorted(
        [(ended, 0, None) for _, ended, _ in attempts]
        + [(started, 1, number) for number, (started, _, _) in enumerate(attempts)],
        key=lambda x: x[:2],
    )
    free = deque()
    result = {}
    for at, begins, number in changes:
        if not begins:
            free.append(at)
        elif free:
            since = free.popleft()
            suggested = attempts[number][2]
            result[number] = 1000 * (at - since), 1000 * max(0, suggested - since)
    return result


def main():
    words = read_words()
    for searcher in words.searchers.split(","):
        with tempfile.TemporaryDirectory() as directory:
            attempts, trials = run(words, searcher, Path(directory))
        waits = times_free(attempts)
        for low, high in zip(BOUNDS, BOUNDS[1:]):
            both = [x for number, x in waits.items() if low <= number < high]
            here = sorted(free for free, _ in both)
            if not here:
                continue
            ahead = sum("drawn ahead" in origin for origin, _ in trials[low:high])
            print(json.dumps({
                "searcher": searcher,
                "trials": [low, min(high, words.trials)],
                "p50_ms": round(here[len(here) // 2], 2),
                "p95_ms": round(here[int(0.95 * (len(here) - 1))], 2),
                "max_ms": round(here[-1], 2),
                "max_without_configuration_ms": round(max(x for _, x in both), 2),
                "drawn_ahead": ahead,
                "least_loss": min(loss for _, loss in trials[:high]),
            }), flush=True)


if __name__ == "__main__":
    sys.exit(main())
