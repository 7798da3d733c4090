#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a searcher is worth in real training: a file against its twin that draws at random.

    bench/compare_searchers.py FILE [TUNE_NODE] [--seeds N] [--first-seed N] [--set KEY=VALUE ...]

Runs FILE with every seed, as it is and with `[search] type = random`, everything else being the same:
space, scheduler, number of trials. `--set experiment.num_samples=20` changes a key of both.

With one objective the value is that of the best trial. With two it is the share of a rectangle that
the Pareto front dominates: from the medians of all trials of both ways and all seeds to their best
values, infinities aside; in logarithms where all values have one sign and differ by a factor of ten or
more. The difference is counted by pairs of one seed, above 0 where the searcher is
ahead.

Prints one JSON object per way, then one with the difference; a line on stderr per run.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TWIN = {"search.type": "random"}


def read_words():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("file", type=Path)
    words.add_argument("tune_node", nargs="?", default=ROOT / "build/release/apps/tune-node/tune-node")
    words.add_argument("--seeds", type=int, default=5)
    words.add_argument("--first-seed", type=int, default=1)
    words.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    given = words.parse_args()
    if given.seeds < 2:
        words.error("--seeds: at least 2")
    if not given.file.is_file():
        words.error("%s: no such file" % given.file)
    if any("=" not in x for x in given.set):
        words.error("--set: KEY=VALUE")
    return given


def called(line):
    ran = subprocess.run(list(map(str, line)), capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(ran.stderr)
    return ran.stdout


def changes_of(words):
    return dict(x.split("=", 1) for x in words.set)


def objectives_of(words):
    """Objectives of the file: names, and signs by which larger is better."""
    line = [words.tune_node, "config", "print", words.file]
    for name, what in changes_of(words).items():
        line += ["--" + name, what]
    shown = called(line)
    lines = dict(
        [part.strip() for part in line.split("=", 1)]
        for line in shown.splitlines()
        if line.startswith(("metric ", "metric=", "mode ", "mode="))
    )
    usual = lines.get("mode", "min")
    made = []
    for text in lines["metric"].split(","):
        name, _, mode = text.strip().partition(":")
        made.append((name, 1 if (mode or usual) == "max" else -1))
    if len(made) > 2:
        raise SystemExit("%s has %d objectives; at most 2 are compared" % (words.file, len(made)))
    return made


def points_of(words, directory, objectives):
    """Values of each trial, with signs by which larger is better."""
    rows = json.loads(called([words.tune_node, "trials", directory, "-o", "json"]))
    made = []
    for row in rows:
        metrics = row["metrics"]
        if all(isinstance(metrics.get(name), (int, float)) for name, _ in objectives):
            made.append([sign * metrics[name] for name, sign in objectives])
    return [x for x in made if all(map(math.isfinite, x))]


def run(words, objectives, changes, seed):
    """The points of one run; with one objective only that of its best trial."""
    changes = {**changes_of(words), **changes, "experiment.seed": seed}
    with tempfile.TemporaryDirectory() as storage:
        line = [words.tune_node, "run", words.file, "-o", "json", "--quiet"]
        for name, what in {**changes, "experiment.storage": storage}.items():
            line += ["--" + name, what]
        told = json.loads(called(line))
        if len(objectives) == 1:
            name, sign = objectives[0]
            if told["best"] is None:
                raise SystemExit("seed %d: no trial has %s" % (seed, name))
            return [[sign * told["best"]["metrics"][name]]]
        return points_of(words, told["directory"], objectives)


def share_dominated(points, worst, best):
    """The share of the rectangle between two corners that the points dominate."""
    unit = [[(x - low) / (high - low) for x, low, high in zip(p, worst, best)] for p in points]
    unit = [p for p in unit if min(p) > 0]
    area, height = 0.0, 0.0
    for x, y in sorted(unit, reverse=True):
        if y > height:
            area += x * (y - height)
            height = y
    return area


def values_of(ways, objectives):
    """A number for each way and seed; with one objective in the metric's own sense."""
    if len(objectives) == 1:
        sign = objectives[0][1]
        return {way: [sign * points[0][0] for points in runs] for way, runs in ways.items()}
    pool = [point for runs in ways.values() for points in runs for point in points]
    if not pool:
        raise SystemExit("no trial has both objectives")
    scales = [scale_of(axis) for axis in zip(*pool)]
    scaled = [[f(x) for f, x in zip(scales, point)] for point in pool]
    worst = [statistics.median(axis) for axis in zip(*scaled)]
    best = [max(axis) for axis in zip(*scaled)]
    if any(low == high for low, high in zip(worst, best)):
        raise SystemExit("half of all trials are alike in one of the objectives")
    made = {}
    for way, runs in ways.items():
        fronts = [[[f(x) for f, x in zip(scales, point)] for point in points] for points in runs]
        made[way] = [share_dominated(points, worst, best) for points in fronts]
    return made


def scale_of(axis):
    """The scale of an axis: logarithms, with a sign that keeps their order, or the values
    themselves."""
    low, high = sorted((abs(min(axis)), abs(max(axis))))
    if min(axis) * max(axis) <= 0 or high < 10 * low:
        return float
    return math.log if min(axis) > 0 else lambda x: -math.log(-x)


def moments(xs):
    return {
        "mean": round(statistics.mean(xs), 6),
        "error": round(statistics.stdev(xs) / math.sqrt(len(xs)), 6),
    }


def main():
    words = read_words()
    objectives = objectives_of(words)
    ways = {"file": [], "random": []}
    for seed in range(words.first_seed, words.first_seed + words.seeds):
        for way, changes in (("file", {}), ("random", TWIN)):
            ways[way].append(run(words, objectives, changes, seed))
            found = ways[way][-1]
            text = found[0][0] if len(objectives) == 1 else "%d points" % len(found)
            print("seed %d, %s: %s" % (seed, way, text), file=sys.stderr)
    values = values_of(ways, objectives)
    what = {"bench": "compare_searchers", "file": words.file.name, "seeds": words.seeds}
    for way, xs in values.items():
        told = {**what, "way": way, **moments(xs), "values": [round(x, 6) for x in xs]}
        print(json.dumps(told), flush=True)
    sign = objectives[0][1] if len(objectives) == 1 else 1
    ahead = [sign * (x - y) for x, y in zip(values["file"], values["random"])]
    print(json.dumps({**what, "way": "ahead", **moments(ahead)}))


if __name__ == "__main__":
    main()
