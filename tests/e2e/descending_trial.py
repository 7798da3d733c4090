# SPDX-License-Identifier: BSD-3-Clause
"""A trial whose loss shrinks by its learning rate at each step; its checkpoint holds the loss.

    descending_trial.py STEPS
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import tune_node  # noqa: E402

trial = tune_node.Trial()
step, loss = 0, 1.0
if trial.restore_dir:
    text = Path(trial.restore_dir, "state").read_text().split()
    step, loss = int(text[0]), float(text[1])


def save(to):
    Path(to, "state").write_text("%d %r" % (step, loss))


while step < int(sys.argv[1]):
    step += 1
    loss *= 1 - trial.params["lr"]
    if not trial.report(loss=loss, lr=trial.params["lr"], training_iteration=step, save=save):
        break
