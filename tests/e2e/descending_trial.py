# SPDX-License-Identifier: BSD-3-Clause
"""A trial whose loss shrinks by its learning rate at each step; its checkpoint holds the loss.

descending_trial.py STEPS [hand_over]

It saves on request; with hand_over it brings a checkpoint with every `every`-th report instead. A
step takes `pause_ms` milliseconds. Both are parameters.
"""
import sys
import time
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


hands_over = "hand_over" in sys.argv
own = Path("own")
own.mkdir(exist_ok=True)
while step < int(sys.argv[1]):
    step += 1
    time.sleep(trial.params.get("pause_ms", 0) / 1000)
    loss *= 1 - trial.params["lr"]
    how = {} if hands_over else {"save": save}
    every = trial.params.get("every", 1)
    if hands_over and every > 0 and step % every == 0:
        save(own)
        how = {"checkpoint": own}
    if not trial.report(loss=loss, lr=trial.params["lr"], training_iteration=step, **how):
        break
