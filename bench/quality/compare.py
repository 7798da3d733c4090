#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what tune_quality_bench and peers.py measured as tables for docs/searchers.md.

    bench/quality/compare.py FILE.json...

First regret with its standard error over seeds, on all problems that each searcher was run on, and
milliseconds per suggestion; then, on the problems that all of them were run on, mean regret and
mean rank among them (1 is the best; equal regrets share their ranks' mean). A dash is what was not
measured. The files are of runs without --after, which tells regret after other evaluations.
"""

import json
import sys

CHECKPOINTS = ("25", "50", "100", "200", "500", "1000")


def ranks(values):
    """Ranks from 1 for the least; equal values get the mean of their places."""
    order = sorted(values)
    return [order.index(x) + (order.count(x) + 1) / 2 for x in values]


def mean(values):
    return sum(values) / len(values)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def header(first, columns):
    return [row([first] + list(columns)), row(["---"] * (len(columns) + 1))]


def measured(searchers):
    """Checkpoints that at least one searcher reached."""
    return [c for c in CHECKPOINTS if any(c in x["regret"] for x in searchers.values())]


def regrets(searchers):
    shown = measured(searchers)
    lines = header("searcher", ["problems"] + ["after " + c for c in shown] + ["ms per suggestion"])
    for name, x in searchers.items():
        cells = ["%.3f ± %.3f" % tuple(x["regret"][c]) if c in x["regret"] else "–" for c in shown]
        ms = "%.3g" % x["ms_per_suggestion"]
        lines.append(row(["`%s`" % name, str(len(x["problems"]))] + cells + [ms]))
    return lines


def common(searchers, chosen=None):
    """Mean regret and mean rank at each checkpoint that at least two searchers reached."""
    names = set.intersection(*(set(x["problems"]) for x in searchers.values()))
    names = sorted(n for n in names if chosen is None or n in chosen)
    made = {name: {} for name in searchers}
    for c, count in enumerate(CHECKPOINTS):
        here = [name for name, x in searchers.items() if count in x["regret"]]
        if len(here) < 2 or not names:
            continue
        table = [[searchers[name]["problems"][p][c] for name in here] for p in names]
        places = [ranks(line) for line in table]
        for k, name in enumerate(here):
            made[name][count] = (
                mean([line[k] for line in table]),
                mean([line[k] for line in places]),
            )
    return len(names), made


def together(searchers):
    count, made = common(searchers)
    shown = measured(searchers)
    lines = header("regret / rank, %d problems" % count, ["after " + c for c in shown])
    for name, x in made.items():
        lines.append(
            row(["`%s`" % name] + ["%.3f / %.1f" % x[c] if c in x else "–" for c in shown])
        )
    return lines


def main():
    searchers = {}
    for path in sys.argv[1:]:
        with open(path) as file:
            searchers.update(json.load(file))
    if not searchers:
        sys.exit(__doc__)
    print("\n".join(regrets(searchers) + [""] + together(searchers)))


if __name__ == "__main__":
    main()
