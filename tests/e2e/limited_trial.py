# SPDX-License-Identifier: BSD-3-Clause
"""A trial whose loss is X, and deep/loss the negative of it. A greater X has a smaller latency: 30
- 10 X. Its second report has a smaller loss and a latency of twice as much and one.

limited_trial.py X
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import tune_node

x = float(sys.argv[1])
trial = tune_node.Trial()


def save(to):
    Path(to, "x").write_text(str(x))


latency = 30 - 10 * x
(trial.report(loss=x, latency=latency, deep={"loss": -x}, save=save)
 and trial.report(loss=x - 0.5, latency=2 * latency + 1, deep={"loss": -x}, save=save))
