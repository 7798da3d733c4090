#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what an experiment reported as a CSV table, which `[trainable] kind = table` replays.

    scripts/export_curves.py RESULTS_DIRECTORY METRIC... > curves.csv

One row per trial and iteration, with the parameters as columns `config.<name>`; those that never
change are left out. Numbers are shortened to four digits.
data/curves/digits_mlp.csv was made by

    tune-node run data/curves/digits_mlp.ini
    scripts/export_curves.py results/digits-mlp-curves accuracy validation_loss > data/curves/digits_mlp.csv
"""
import csv
import json
import sqlite3
import sys
from pathlib import Path


def short(x):
    if isinstance(x, bool) or not isinstance(x, float):
        return x
    return ("%.4g" % x).replace("e-0", "e-")


def flat(config, above=""):
    """Nested configurations, as pairs of dotted names and values."""
    for name, x in config.items():
        if isinstance(x, dict):
            yield from flat(x, above + name + ".")
        else:
            yield above + name, x


def main():
    directory, metrics = Path(sys.argv[1]), sys.argv[2:]
    db = sqlite3.connect("file:%s?mode=ro" % (directory / "experiment.db"), uri=True)
    configs = {
        trial: dict(flat(json.loads(text)))
        for trial, text in db.execute("SELECT trial, config FROM trials ORDER BY trial")
    }
    names = list(dict.fromkeys(name for x in configs.values() for name in x))
    names = [name for name in names if len({str(x.get(name)) for x in configs.values()}) > 1]
    to = csv.writer(sys.stdout, lineterminator="\n")
    to.writerow(
        ["config." + name for name in names] + ["training_iteration", *metrics, "time_total_s"]
    )
    rows = db.execute(
        "SELECT trial, training_iteration, metrics, time_total_s FROM results"
        " ORDER BY trial, training_iteration"
    )
    for trial, iteration, text, seconds in rows:
        reported = json.loads(text)
        to.writerow(
            [short(configs[trial].get(name, "")) for name in names]
            + [iteration, *(short(reported.get(x, "")) for x in metrics), short(seconds)]
        )


if __name__ == "__main__":
    main()
