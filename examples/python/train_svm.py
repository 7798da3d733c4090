#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trains support vector machines on more and more images: svm-train, for early stopping.

By hand:           python3 examples/python/train_svm.py
Under tune-node:   tune-node run config/hyperband-svm.ini

svm-train itself reports nothing before its end. Here its budget is the number of images that it
learns from: iteration t takes t/27 of them, for t = 1, 3, 9 and 27. Each model is made from scratch,
so that a checkpoint is nothing but the last t. Needs svm-train and svm-predict (Debian: libsvm-tools).
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))  # or put tune_node.py beside your script
import tune_node  # noqa: E402

DEFAULTS = {"C": 10, "gamma": 0.03}
DATA = ROOT / "data" / "digits" / "digits.libsvm"
PARTS = 27


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        sys.exit("%s ended with %d: %s" % (words[0], done.returncode, done.stdout.strip()))


def share_read_right(images, model, directory):
    """Share of the images that the model labels correctly. [0, 1]"""
    asked, answered = Path(directory, "asked"), Path(directory, "answered")
    asked.write_text("".join(images))
    run("svm-predict", "-q", str(asked), str(model), str(answered))
    answers = answered.read_text().split()
    return sum(int(x) == int(y.split()[0]) for x, y in zip(answers, images)) / len(images)


def measure(images, params):
    """Trains a model and returns its metrics."""
    learned, validation, test = images
    with tempfile.TemporaryDirectory() as directory:
        source, model = Path(directory, "learned"), Path(directory, "model")
        source.write_text("".join(learned))
        cost, gamma = str(params["C"]), str(params["gamma"])
        run("svm-train", "-q", "-c", cost, "-g", gamma, str(source), str(model))
        return {
            "images": len(learned),
            "accuracy": share_read_right(validation, model, directory),
            "test_accuracy": share_read_right(test, model, directory),
        }


def main():
    trial = tune_node.Trial(defaults=DEFAULTS)
    images = random.Random(1998).sample(DATA.read_text().splitlines(keepends=True), 1797)
    train, validation, test = images[:1197], images[1197:1497], images[1497:]

    part = 1
    if trial.restore_dir:
        part = 3 * json.loads(Path(trial.restore_dir, "part.json").read_text())

    while part <= PARTS:
        learned = train[: len(train) * part // PARTS]
        go_on = trial.report(
            measure((learned, validation, test), trial.params),
            training_iteration=part,
            save=lambda to: Path(to, "part.json").write_text(json.dumps(part)),
        )
        if not go_on:
            break
        part *= 3


if __name__ == "__main__":
    main()
