# SPDX-License-Identifier: BSD-3-Clause
"""Terminals of trials (`[trainable] pty = true`) on a machine with few terminals. The terminals
are visible to this test only; it needs root, and says so and exits 77 if it may not mount."""
import os
import subprocess

import own_mounts
from e2e import Case

INI = """[experiment]
metric = loss
mode = min
num_samples = 2
[trainable]
command = sh -c "test -t 1 && echo loss={x}; until [ -e '%s' ]; do sleep 0.1; done"
metric.loss = loss={number}
pty = true
[space]
x = uniform(0, 1)
[cluster]
cpus = 2
"""


class Terminals(Case):
    """A machine with a given number of terminals."""

    def give(self, count):
        words = "newinstance,ptmxmode=0666,mode=620,max=%d" % count
        for command in (
            ["mount", "-t", "devpts", "-o", words, "devpts", "/dev/pts"],
            ["mount", "--bind", "/dev/pts/ptmx", "/dev/ptmx"],
        ):
            subprocess.run(command, check=True)
        self.addCleanup(subprocess.run, ["umount", "/dev/pts"], check=True)
        self.addCleanup(subprocess.run, ["umount", "/dev/ptmx"], check=True)

    def begin(self, **how):
        self.gate = self.directory / "go on"
        return self.start("run", self.ini(INI % self.gate), "-o", "json", **how)

    def test_a_trial_waits_for_the_one_that_another_trial_has(self):
        self.give(1)

        log = self.directory / "log"
        with open(log, "w", encoding="utf-8") as err:
            ran = self.begin(stderr=err)
        # As often as a node that is never ready is asked.
        self.wait_until(lambda: "for 16 s" in log.read_text(), ran, "a third refusal")
        self.gate.touch()

        told = self.finish(ran)

        self.assertIn("other trials have them", log.read_text())
        self.assertEqual(told.json()["counts"]["TERMINATED"], 2)

    def test_where_other_programs_have_all_of_them_the_node_is_not_ready(self):
        self.give(1)
        for taken in os.openpty():
            self.addCleanup(os.close, taken)

        told = self.finish(self.begin(), 75)

        self.assertIn("the machine has no more of them (kernel.pty.max", told.err)


if __name__ == "__main__":
    own_mounts.main()
