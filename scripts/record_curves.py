#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records learning curves of examples/python/train_digits.py over a grid, as a CSV table on stdout.

    scripts/record_curves.py > data/curves/digits_logistic.csv

A table trainable (config/table.ini) replays them. Columns: config.<parameter>, training_iteration,
the metrics, and time_total_s (seconds of training, as measured on the machine that recorded).
"""
import csv
import itertools
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples" / "python"))
import train_digits  # noqa: E402

GRID = {
    "lr": (0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
    "decay": (0.8, 0.95),
    "l2": (0.0, 0.0001, 0.001),
}
EPOCHS = 15


def curve(params, train, validation, test):
    """Yields one row per epoch, without the parameters."""
    model = train_digits.Model()
    seconds = 0.0
    for epoch in range(1, EPOCHS + 1):
        begin = time.monotonic()
        loss = model.train(train, params)
        seconds += time.monotonic() - begin
        scores = [model.accuracy(validation), model.accuracy(test)]
        yield [epoch, "%.6g" % loss, *("%.6g" % x for x in scores), "%.4f" % seconds]


def main():
    images = random.Random(1998).sample(train_digits.read_digits(train_digits.DATA), 1797)
    parts = images[:1197], images[1197:1497], images[1497:]
    to = csv.writer(sys.stdout, lineterminator="\n")
    names = ["config." + name for name in GRID]
    to.writerow(
        [*names, "training_iteration", "loss", "accuracy", "test_accuracy", "time_total_s"]
    )
    for values in itertools.product(*GRID.values()):
        params = dict(train_digits.DEFAULTS, **dict(zip(GRID, values)))
        for row in curve(params, *parts):
            to.writerow([*values, *row])


if __name__ == "__main__":
    main()
