#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Learns handwritten digits by logistic regression, in Python without any package.

By hand:           python3 examples/python/train_digits.py
Under tune-node:   tune-node run config/python-digits.ini

What a script needs to be tuned is marked with (1) to (4).
"""
import json
import math
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))  # or put tune_node.py beside your script
import tune_node  # noqa: E402

DEFAULTS = {"lr": 0.1, "decay": 0.9, "l2": 1e-5, "epochs": 20, "seed": 1}
DATA = ROOT / "data" / "digits" / "digits.csv"
CLASSES = range(10)


def read_digits(path):
    """Images as (label, [(pixel number, grey value in (0, 1])]): half of all pixels are zero."""
    images = []
    for row in path.read_text().splitlines():
        *pixels, label = map(int, row.split(","))
        shown = [(i, x / 16) for i, x in enumerate(pixels) if x]
        shown.append((64, 1.0))  # always on: its weights are the biases
        images.append((label, shown))
    return images


class Model:
    """Multinomial logistic regression, trained image by image."""

    def __init__(self):
        self.weights = [[0.0] * 65 for _ in CLASSES]
        self.epoch = 0

    def probabilities(self, shown):
        scores = [sum(row[i] * x for i, x in shown) for row in self.weights]
        highest = max(scores)
        powers = [math.exp(s - highest) for s in scores]
        total = sum(powers)
        return [p / total for p in powers]

    def train(self, images, params):
        """One epoch. Returns the mean loss."""
        lr = params["lr"] * params["decay"] ** self.epoch
        # Each epoch's order depends only on its number, so that a restored model goes on exactly.
        order = random.Random(params["seed"] * 1000 + self.epoch).sample(images, len(images))
        self.epoch += 1
        loss = 0.0
        for label, shown in order:
            guess = self.probabilities(shown)
            loss -= math.log(max(guess[label], 1e-300))
            for digit in CLASSES:
                row, error = self.weights[digit], guess[digit] - (digit == label)
                for i, x in shown:
                    row[i] -= lr * (error * x + params["l2"] * row[i])
        return loss / len(order)

    def accuracy(self, images):
        guesses = (max(CLASSES, key=self.probabilities(shown).__getitem__) for _, shown in images)
        return sum(g == label for g, (label, _) in zip(guesses, images)) / len(images)

    def save(self, directory):
        state = {"epoch": self.epoch, "weights": self.weights}
        Path(directory, "model.json").write_text(json.dumps(state))

    def load(self, directory):
        state = json.loads(Path(directory, "model.json").read_text())
        self.epoch, self.weights = state["epoch"], state["weights"]


def main():
    trial = tune_node.Trial(defaults=DEFAULTS)  # (1) parameters come from here
    params = trial.params

    images = random.Random(1998).sample(read_digits(DATA), 1797)
    train, validation, test = images[:1197], images[1197:1497], images[1497:]

    model = Model()
    if trial.restore_dir:  # (2) go on from a checkpoint
        model.load(trial.restore_dir)

    while model.epoch < params["epochs"]:
        loss = model.train(train, params)
        go_on = trial.report(  # (3) metrics go there
            loss=loss,
            accuracy=model.accuracy(validation),
            test_accuracy=model.accuracy(test),
            training_iteration=model.epoch,
            save=model.save,  # (4) called when a checkpoint is wanted
        )
        if not go_on:
            break


if __name__ == "__main__":
    main()
