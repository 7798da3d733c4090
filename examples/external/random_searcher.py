#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A searcher of your own, in Python without any package: random search that ends as a local one.

    [search]
    type = external
    command = python3 {ini_dir}/../examples/external/random_searcher.py --local 0.5

usage: random_searcher.py [--local SHARE]

  --local SHARE   of so many configurations, from 0 to 1, draw all but one parameter as in the best
                  so far (default: 0.5)

All chance follows from the seed and the question's number. So after a kill, told the history again,
it suggests what it would have suggested.
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))  # or beside your script
import tune_searcher  # noqa: E402


class Searcher:
    """Knows the best configuration that has completed."""

    def __init__(self, begin, local):
        self.space = tune_searcher.Space(begin["space"])
        self.seed = begin["seed"]
        self.metric = begin["metrics"][0]
        self.local = local
        self.configs = {}
        self.best = None
        print("searching %d parameters" % len(self.space.parameters))

    def suggest(self, id):
        chance = tune_searcher.chance(self.seed, id)
        if self.best is None or chance.random() >= self.local:
            return self.space.draw(lambda p: tune_searcher.drawn(p, chance))
        changed = chance.choice(sorted(self.best[1]))
        near = dict(self.best[1])
        del near[changed]

        def chosen(p):
            # A range that depends on other parameters may have changed.
            kept = p["name"] in near and ("bounds" not in p or p["low"] <= near[p["name"]] <= p["high"])
            return near[p["name"]] if kept else tune_searcher.drawn(p, chance)

        return self.space.draw(chosen)

    def suggested(self, id, trial, config):
        if trial is not None:
            self.configs[trial] = config

    def added(self, trial, config, **_):
        self.configs[trial] = config

    def complete(self, trial, status, metrics, config, **_):
        config = config or self.configs[trial]
        value = tune_searcher.number((metrics or {}).get(self.metric["name"]))
        if status != "finished" or value is None:
            return
        score = value if self.metric["mode"] == "max" else -value
        if self.best is None or score > self.best[0]:
            self.best = (score, {k: v for k, v in config.items() if k in self._searched()})

    def _searched(self):
        return {p["name"] for p in self.space.parameters if p["type"] != "constant"}


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--local", type=float, default=0.5, metavar="SHARE")
    given = words.parse_args()
    tune_searcher.serve(lambda begin: Searcher(begin, given.local))


if __name__ == "__main__":
    main()
