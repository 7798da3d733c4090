# SPDX-License-Identifier: BSD-3-Clause
"""Trials that are given other resources while they train."""
import sys

from controlled import ControlCase
from e2e import ROOT, main

# Prints its resources whenever it begins, and takes steps as the files below GATES allow.
PROGRAM = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, %r)
import tune_node

trial = tune_node.Trial()
step = int(Path(trial.restore_dir, "step").read_text()) if trial.restore_dir else 0
print("from %%d with %%s" %% (step, os.environ["TUNE_TRIAL_CPUS"]), flush=True)
gate = Path(sys.argv[1], str(int(trial.id)))
while step < 4:
    if not gate.exists() or int(gate.read_text()) <= step:
        time.sleep(0.01)
        continue
    step += 1
    if not trial.report(loss=1 / step, training_iteration=step,
                        save=lambda to: Path(to, "step").write_text(str(step))):
        break
"""


class Resources(ControlCase):
    def changing(self):
        program = self.directory / "sized.py"
        program.write_text(PROGRAM % str(ROOT / "python"))
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 2\n"
            "[trainable]\ncommand = %s %s %s\n[space]\nx = 1\n"
            "[cluster]\ncpus = 4\nmemory = 4GiB\n"
            "[scheduler]\ntype = resource_changing\nbase = asha\nbase.max_t = 100\n"
            "base.grace_period = 50\n" % (sys.executable, program, self.gates)
        )

    def begun(self, trial):
        """The whole lines that the trial printed, one for each beginning. A head that is killed may
        have written the text of a line and not its end."""
        try:
            return self.trial_file(trial, "stdout").read_text().split("\n")[:-1]
        except FileNotFoundError:  # not there yet
            return []

    def wait_for(self, child, trial, line):
        self.wait_until(lambda: line in self.begun(trial), child, "%s of trial %d" % (line, trial))

    def test_trials_share_what_there_is_and_are_told_what_they_have(self):
        child = self.begin(self.changing(), running=2)
        self.let(0, 1)
        self.wait_for(child, 0, "from 1 with 2")
        self.let(1, 1)
        self.wait_for(child, 1, "from 1 with 2")
        # All resources are distributed, so the next results change nothing.
        self.let(0, 2)
        self.wait_until(lambda: self.iterations(0) == [1, 2], child)
        self.let(1, 4)
        self.wait_for_status(child, 1, "TERMINATED")
        self.let(0, 3)
        self.wait_for(child, 0, "from 3 with 4")
        self.let(0, 4)
        told = self.finish(child)

        self.assertEqual(told.json()["counts"]["TERMINATED"], 2)
        self.assertEqual(self.begun(0), ["from 0 with 1", "from 1 with 2", "from 3 with 4"])
        self.assertEqual(self.begun(1), ["from 0 with 1", "from 1 with 2"])
        self.assertEqual(self.iterations(0), [1, 2, 3, 4])
        why = self.run_node("trials", self.where, "--why", "0").out
        self.assertIn("goes on with 4 CPU instead of 2 CPU", why)
        self.run_node("fsck", self.where, "--verify")

    def test_the_next_head_knows_what_each_trial_is_to_have(self):
        child = self.begin(self.changing(), running=2)
        self.let(0, 1)
        self.wait_for(child, 0, "from 1 with 2")
        child.kill()
        self.finish(child, None)

        again = self.begin(self.directory / "x.ini", "--resume", running=2)
        self.wait_until(lambda: len(self.begun(0)) == 3, again, "a third beginning")
        self.let(0, 4)
        self.let(1, 4)
        self.finish(again)

        self.assertEqual(self.begun(0)[2], "from 1 with 2")
        self.run_node("fsck", self.where, "--verify")


if __name__ == "__main__":
    main()
