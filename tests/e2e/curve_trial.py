# SPDX-License-Identifier: BSD-3-Clause
"""A trial that reports the accuracies it is given, and saves each of them.

    curve_trial.py ACCURACY... [fail]
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import tune_node

trial = tune_node.Trial()
words = sys.argv[1:]
fails = words[-1] == "fail"
curve = [float(x) for x in (words[:-1] if fails else words)]
at = int(Path(trial.restore_dir, "iteration").read_text()) if trial.restore_dir else 0


def save(to):
    Path(to, "accuracy").write_text(str(curve[at - 1]))
    Path(to, "iteration").write_text(str(at))


while at < len(curve):
    at += 1
    if not trial.report(acc=curve[at - 1], training_iteration=at, save=save):
        break
if fails:
    sys.exit("it went wrong in the end")


def export(format, to):
    raise ValueError("no %s today" % format)


trial.export(export)
