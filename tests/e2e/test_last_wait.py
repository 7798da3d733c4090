# SPDX-License-Identifier: BSD-3-Clause
"""A trial's process that the kernel does not end, such as a frozen one or one that waits for a
lost network disk: a program that waits for it says so, and ends at a further signal."""
import os
import signal
import sys
import unittest
from pathlib import Path

from cluster import Cluster
from e2e import main

FREEZER = Path("/sys/fs/cgroup/freezer")

# Reports, and then is frozen, immune to all signals, until its group is thawed.
SCRIPT = """
import json, os

group, report = os.environ["GROUP"], int(os.environ["TUNE_TRIAL_REPORT_FD"])
os.write(report, (json.dumps({"tune": 1}) + "\\n").encode())
os.write(report, (json.dumps({"metrics": {"loss": 1}}) + "\\n").encode())
os.read(int(os.environ["TUNE_TRIAL_ANSWER_FD"]), 100)
with open(group + "/cgroup.procs", "w") as file:
    file.write(str(os.getpid()))
with open(group + "/freezer.state", "w") as file:
    file.write("FROZEN")
"""


@unittest.skipUnless(os.access(FREEZER / "cgroup.procs", os.W_OK), "no freezer of version 1 here")
class LastWait(Cluster):
    def setUp(self):
        super().setUp()
        self.group = FREEZER / self.directory.name
        self.group.mkdir()
        self.addCleanup(self.thaw)
        (self.directory / "frozen.py").write_text(SCRIPT)

    def thaw(self):
        (self.group / "freezer.state").write_text("THAWED")
        self.wait_until(lambda: not self.frozen(), what="the end of the process")
        self.group.rmdir()

    def frozen(self):
        """Pids of the frozen processes."""
        return (self.group / "cgroup.procs").read_text().split()

    def standing(self, more=""):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\n"
            "[trainable]\ncommand = %s ./frozen.py\nenv.GROUP = %s\n"
            "[space]\nx = 1\n[cluster]\nstop_grace = 100ms\nkill_grace = 100ms\n%s\n"
            % (sys.executable, self.group, more)
        )

    def wait_for_the_frost(self, child):
        state = self.group / "freezer.state"
        self.wait_until(lambda: "FROZEN" in state.read_text(), child, "a frozen trial")

    def wait_for_its_name(self, log, child):
        said = "waiting for trial processes that were ended and are still there: %s (python"
        said %= self.frozen()[0]
        self.wait_until(lambda: self.says(log, said), child, "its name and number")

    def test_of_a_run_is_told_and_ended_by_a_further_signal(self):
        run = self.start_on("run", "run.log", "run", self.standing())
        self.wait_for_the_frost(run)
        run.send_signal(signal.SIGINT)
        self.wait_for_its_name("run.log", run)

        run.send_signal(signal.SIGINT)

        self.finish(run, 130)
        checked = self.run_node("fsck", self.directory / "results/x")
        self.assertEqual(checked.code, 0)

    def test_of_a_worker_is_told_and_ended_by_the_third_signal(self):
        head, where = self.head(self.standing("local = false"))
        worker = self.worker(where, "w", "--leave-grace", "100ms")
        self.wait_for_the_frost(worker)
        worker.terminate()
        self.wait_for_its_name("w.log", worker)
        worker.terminate()
        self.wait_until(lambda: self.says("w.log", "once more to leave at once"), worker)

        # Another signal of this kind would count as an echo so soon.
        worker.send_signal(signal.SIGINT)

        self.finish(worker, 130)
        head.kill()
        self.finish(head, None)


if __name__ == "__main__":
    main()
