# SPDX-License-Identifier: BSD-3-Clause
"""A worker that is killed where its head cannot see its processes: its guard tells the head. Needs
root, and a kernel that allows PID namespaces; otherwise says so and exits 77."""
import os
import signal
import sys
from pathlib import Path

from cluster import Cluster
from e2e import TUNE_NODE, main
from test_sweeps import Space, why_not

# Time after which silence alone would tell. [s]
LOST_AFTER = 60


class Farewell(Cluster):
    def setUp(self):
        super().setUp()
        self.space = Space()
        self.addCleanup(self.space.close)

    def inside(self, node):
        return [] if node == "head" else self.space.command("/")

    def workers(self, name):
        """Pids of this test's workers of that name, as seen from here."""
        mine = str(self.directory / ("work-" + name)).encode()
        found = []
        for place in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = place.read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:2] == [TUNE_NODE.encode(), b"worker"] and mine in words:
                found.append(int(place.parent.name))
        return found

    def losses(self):
        return self.rows_if_any("SELECT node, why FROM nodes WHERE state = 'down'")

    def begun(self, node):
        return self.rows_if_any("SELECT trial FROM attempts WHERE node = '%s'" % node)

    def head_of(self):
        return self.head(self.gated("lost_after = %d" % LOST_AFTER))

    def test_the_trials_of_a_killed_worker_go_on_elsewhere_at_once(self):
        head, where = self.head_of()
        # Nobody is at the first address: the guard goes on to the next, as its worker did.
        self.worker("127.0.0.1:1," + where, "one", "--lost-after", LOST_AFTER, cpus=2)
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM results"), head, "a report")
        second = self.worker(where, "two", "--lost-after", LOST_AFTER, "--once", cpus=2)
        self.wait_until(lambda: self.says("two.log", "joined"), head, "the second worker")

        [worker] = self.workers("one")
        os.kill(worker, signal.SIGKILL)
        self.wait_until(lambda: len(self.begun("two")) == 2, head, "the trials elsewhere")
        self.gate.touch()

        self.finish(head)
        self.finish(second)
        self.assertEqual(
            self.losses(), [{"node": "one", "why": "its guard says that it was killed"}]
        )
        self.assert_no_trial_processes()

    def test_a_worker_that_leaves_in_order_is_no_death(self):
        head, where = self.head_of()
        self.worker(where, "one", "--leave-grace", "100ms", cpus=2)
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM results"), head, "a report")

        [worker] = self.workers("one")
        os.kill(worker, signal.SIGTERM)
        second = self.worker(where, "two", "--once", cpus=2)
        self.wait_until(lambda: len(self.begun("two")) == 2, head, "the trials elsewhere")
        self.gate.touch()

        self.finish(head)
        self.finish(second)
        self.assertEqual([row["node"] for row in self.losses()], ["one"])
        self.assertNotIn("guard", self.losses()[0]["why"])


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    main()
