# SPDX-License-Identifier: BSD-3-Clause
"""A trial of a population, whose loss shrinks by its learning rate at each step.

    population_trial.py STEPS GATES

GATES is a directory. The trial takes as many steps as `limit` there says, or `limit-` with its
number; without such a file all. Where `hold-restore` is there, one that goes on from another trial's
checkpoint says `at-restore-` with its number and waits until it is gone; so does with `hold-leave`
one that was told to end.
"""
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import tune_node  # noqa: E402

steps, gates = int(sys.argv[1]), Path(sys.argv[2])
number = str(int(os.environ["TUNE_TRIAL_ID"]))
step, loss = 0, 1.0


def wait_at(gate):
    if not (gates / ("hold-" + gate)).exists():
        return
    (gates / ("at-%s-%s" % (gate, number))).touch()
    while (gates / ("hold-" + gate)).exists():
        time.sleep(0.01)


def limit():
    for name in ("limit-" + number, "limit"):
        try:
            return int((gates / name).read_text())
        except (OSError, ValueError):
            pass
    return steps


def save(to):
    Path(to, "state").write_text("%d %r %s" % (step, loss, number))


# While it is being restored, before its first message.
if os.environ.get("TUNE_TRIAL_RESTORE"):
    words = Path(os.environ["TUNE_TRIAL_RESTORE"], "state").read_text().split()
    step, loss = int(words[0]), float(words[1])
    if words[2] != number:
        wait_at("restore")
trial = tune_node.Trial()
while step < steps:
    if step >= limit():
        time.sleep(0.01)
        continue
    step += 1
    loss *= 1 - trial.params["lr"]
    if not trial.report(loss=loss, lr=trial.params["lr"], training_iteration=step, save=save):
        wait_at("leave")
        break
