# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests that steer a running experiment from another terminal."""
import sys
from pathlib import Path

from cluster import Cluster
from e2e import Case

STEPPING_TRIAL = Path(__file__).with_name("stepping_trial.py")


class ControlCase(Case):
    """An experiment whose trials take steps when the test lets them."""

    where = "results/x"

    def setUp(self):
        super().setUp()
        self.gates = self.directory / "gates"
        self.gates.mkdir()

    def stepping(self, samples=3, slots=2, steps=3, more="", space="lr = uniform(0, 1)"):
        return self.ini(
            "\n".join(
                [
                    "[experiment]",
                    "metric = loss",
                    "mode = min",
                    "num_samples = %d" % samples,
                    "[trainable]",
                    "command = %s %s %s %d" % (sys.executable, STEPPING_TRIAL, self.gates, steps),
                    "[space]",
                    space,
                    "[failure]",
                    "backoff = 0",
                    "[cluster]",
                    "memory = 4GiB",
                    "cpus = %d" % slots,
                    more if "[search]" in more else more + "\n[search]\ntype = random",
                ]
            )
            + "\n"
        )

    def begin(self, ini, *words, running=None, **how):
        """Starts a run in the background that listens, and waits until so many trials run."""
        child = self.start("run", ini, "-o", "json", *words, **how)
        self.wait_for_head(child)
        if running is not None:
            self.wait_for_statuses(child, RUNNING=running)
        return child

    def wait_for_head(self, child):
        self.wait_until(lambda: self.status(code=None).get("head"), child, "the head's answer")

    def let(self, trial, steps):
        """Lets a trial take so many steps in all."""
        beside = self.gates / "next"
        beside.write_text(str(steps))
        beside.rename(self.gates / str(trial))

    def let_all(self):
        (self.gates / "free").touch()

    def control(self, command, *words, code=0):
        return self.run_node(command, self.where, *words, code=code)

    def status(self, code=0):
        told = self.run_node("status", self.where, "-o", "json", code=code)
        return told.json() if told.code == 0 else {}

    def statuses(self):
        rows = self.rows_if_any("SELECT trial, status FROM trials ORDER BY trial")
        return {row["trial"]: row["status"] for row in rows}

    def wait_for_statuses(self, child, **wanted):
        def there():
            found = list(self.statuses().values())
            return all(found.count(name) == count for name, count in wanted.items())

        self.wait_until(there, child, "trials as in %s" % wanted)

    def wait_for_status(self, child, trial, status):
        self.wait_until(
            lambda: self.statuses().get(trial) == status, child, "trial %d %s" % (trial, status)
        )

    def iterations(self, trial):
        rows = self.rows(
            "SELECT training_iteration FROM results WHERE trial = %d ORDER BY seq" % trial
        )
        return [row["training_iteration"] for row in rows]


class SteppingOnWorkers(Cluster):
    """One trial that takes steps when the test lets it, on any worker."""

    def setUp(self):
        super().setUp()
        self.gates = self.directory / "gates"
        self.gates.mkdir()

    def stepping(self, steps, more=""):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            "[trainable]\ncommand = %s %s %s %d\n[space]\nx = 1\n[failure]\nbackoff = 0\n"
            "[cluster]\nlocal = false\n%s\n"
            % (sys.executable, STEPPING_TRIAL, self.gates, steps, more)
        )

    def let(self, steps):
        beside = self.gates / "next"
        beside.write_text(str(steps))
        beside.rename(self.gates / "0")

    def status(self):
        return [row["status"] for row in self.rows_if_any("SELECT status FROM trials")]

    def reports(self):
        rows = self.rows_if_any("SELECT training_iteration FROM results ORDER BY seq")
        return [row["training_iteration"] for row in rows]
