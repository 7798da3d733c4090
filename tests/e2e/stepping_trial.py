# SPDX-License-Identifier: BSD-3-Clause
"""A trial that takes a step whenever its test lets it, and can save and be restored.

    stepping_trial.py GATES STEPS

It exports its step; the export waits while `hold` is there, and says so by `exporting`; its save at
step 2 waits while `hold2` is there, and says so by `saving`. It
looks whether it is to export only, unless `unaware` is there.

GATES is a directory. A trial may take as many steps as the file named after its number says, or all
where `free` is there; it fails before a step where `broken` is there, or `broken` with its number.
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import tune_node

gates, steps = Path(sys.argv[1]), int(sys.argv[2])
trial = tune_node.Trial()
gate = gates / str(int(trial.id))
step = int(Path(trial.restore_dir, "step").read_text()) if trial.restore_dir else 0
print("from %d" % step, flush=True)


def allowed():
    if (gates / "free").exists():
        return steps
    try:
        return int(gate.read_text())
    except (OSError, ValueError):
        return 0


def save(to):
    if (gates / ("hold%d" % step)).exists():
        (gates / "saving").touch()
    while (gates / ("hold%d" % step)).exists():
        time.sleep(0.01)
    Path(to, "step").write_text(str(step))


only_ends = trial.ends and not (gates / "unaware").exists()

while step < steps and not only_ends:
    if (gates / "broken").exists() or gate.with_name("broken" + gate.name).exists():
        sys.exit("broken before step %d" % (step + 1))
    if allowed() <= step:
        time.sleep(0.01)
        continue
    step += 1
    print("step %d" % step, flush=True)
    if not trial.report(loss=1 / step, training_iteration=step, save=save):
        break

def export(format, to):
    (gates / "exporting").touch()
    while (gates / "hold").exists():
        time.sleep(0.01)
    if format != "model":
        raise ValueError("no %s here" % format)
    save(to)


trial.export(export)
