# SPDX-License-Identifier: BSD-3-Clause
"""Reports ITERATIONS times, and saves SIZE bytes, a link, an empty directory and a program each time;
waits before iteration GATE for a file "gate" beside the experiment."""
import os
import sys
import time

sys.path.insert(0, os.environ["PYTHON_OF_TUNE"])
import tune_node

iterations, size, gate = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
trial = tune_node.Trial(defaults={"lr": 0.1})
done = 0
if trial.restore_dir:
    with open(trial.restore_dir + "/größe a+b/state") as old:
        done = int(old.read())


def save(to):
    os.makedirs(to + "/größe a+b/empty")
    with open(to + "/größe a+b/state", "w") as state:
        state.write(str(done))
    with open(to + "/weights", "wb") as weights:
        weights.write(bytes(i % 251 for i in range(1000)) * (size // 1000))
    with open(to + "/run.sh", "w") as program:
        program.write("#!/bin/sh\n")
    os.chmod(to + "/run.sh", 0o755)
    os.symlink("weights", to + "/newest")


while done < iterations:
    if done + 1 == gate:
        while not os.path.exists(os.environ["GATE"]):
            time.sleep(0.05)
    done += 1
    print("iteration", done, flush=True)
    if not trial.report(loss=trial.params["lr"] / done, training_iteration=done, save=save):
        break
trial.export(lambda form, to: open(to + "/model.bin", "w").write("model %d" % done))
