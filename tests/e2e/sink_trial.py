# SPDX-License-Identifier: BSD-3-Clause
"""A trial for the tests of sinks: sink_trial.py ITERATIONS [REPORTS_THAT_END_IT]. Metrics are those that
make trouble elsewhere."""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import tune_node  # noqa: E402

trial = tune_node.Trial(defaults={"lr": 0.1})
last = int(sys.argv[1])
slow = float(sys.argv[2]) if len(sys.argv) > 2 else 0
lr = trial.params.get("lr", 0.1)
for i in range(1, last + 1):
    time.sleep(slow)
    metrics = {
        "loss": abs(lr - 0.01) + 1 / i,
        "val/acc": i / 10,
        "nested": {"deep": {"x": i}, "text": "=1+1"},
        "größe °": 1.5 * i,
        "ok": i % 2 == 0,
        "list": [1, 2],
    }
    if i == 2:
        metrics["odd"] = float("nan")
        metrics["huge"] = float("inf")
    if i == 3:
        metrics["odd"] = float("-inf")
        metrics["evil"] = "\x1b[31m,\"quoted\"\r\n@x"
    if not trial.report(training_iteration=i, **metrics):
        break
