# SPDX-License-Identifier: BSD-3-Clause
"""A trial that tells a file of its own, which no part of tune-node knows, what it trained.

    lasting_trial.py STEPS DIR PAUSE SIZE NOTE

It takes STEPS steps of at most PAUSE seconds each. Its checkpoints have SIZE bytes more than they
need, and its reports a text of NOTE bytes. Lines of DIR/trained.log: `begin` or `step` or
`end`, trial, attempt, iteration, process. (Were the file itself named here, it would count as code
of the experiment.) While DIR/hold is there, trials do not end. Each leaves a file `result`.
"""
import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import tune_node  # noqa: E402

steps, log, pause = int(sys.argv[1]), Path(sys.argv[2], "trained.log"), float(sys.argv[3])
names = (int(os.environ["TUNE_TRIAL_ID"]), os.environ["TUNE_TRIAL_ATTEMPT"].rsplit("#", 1)[1])
step, loss = 0, 1.0


def note(word):
    line = "%s %d %s %d %d\n" % (word, *names, step, os.getpid())
    with open(log, "a", encoding="utf-8") as to:
        to.write(line)


def save(to):
    Path(to, "state").write_text("%d %r" % (step, loss))
    Path(to, "weights").write_bytes(random.randbytes(int(sys.argv[4])))


if os.environ.get("TUNE_TRIAL_RESTORE"):
    words = Path(os.environ["TUNE_TRIAL_RESTORE"], "state").read_text().split()
    step, loss = int(words[0]), float(words[1])
trial = tune_node.Trial()
note("begin")
print("begins at", step, flush=True)
while step < steps:
    time.sleep(random.random() * pause)
    step += 1
    loss *= 1 - trial.params["lr"]
    note("step")
    print("step", step, flush=True)
    words = {"text": "x" * int(sys.argv[5])} if int(sys.argv[5]) else {}
    if not trial.report(loss=loss, training_iteration=step, save=save, **words):
        break
while Path(sys.argv[2], "hold").exists():
    time.sleep(0.02)
Path("result").write_text(str(step))
note("end")
