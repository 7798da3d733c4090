# SPDX-License-Identifier: BSD-3-Clause
"""Heads, workers and trials that are stopped for a while, and two heads in one directory."""
import json
import os
import re
import signal
import time

from cluster import Cluster
from e2e import Case, main

# Iterations that a running trial makes while another one sleeps.
A_WHILE = 5
# Seconds in which a question to a stopped head must be answered.
SOON = 20


class TwoHeads(Case):
    """Row a of the faults: two heads in one directory."""

    def setUp(self):
        super().setUp()
        self.gate = self.directory / "go on"
        self.home = self.directory / "results" / "x"

    def start_first(self):
        """Starts a head, and stops it while its trial waits."""
        self.file = self.experiment("tune report 1 wait_for '%s' report 0.5" % self.gate)
        head = self.start("run", self.file, "-o", "json")
        self.wait_until(lambda: self.reports("1.1") == [1], head, "a report")
        head.send_signal(signal.SIGSTOP)
        return head

    def reports(self, attempt):
        query = "SELECT training_iteration AS n FROM results WHERE attempt = '%s' ORDER BY seq"
        return [row["n"] for row in self.rows_if_any(query % attempt)]

    def epoch(self):
        return self.rows("SELECT epoch FROM experiment")[0]["epoch"]

    def test_a_second_one_is_refused_while_the_first_is_stopped(self):
        first = self.start_first()

        second = self.run_node("run", self.file, "--resume", code=8)

        self.assertIn("pid %d on " % first.pid, second.err)
        self.assertEqual(self.epoch(), 1)
        first.send_signal(signal.SIGCONT)
        self.gate.touch()
        self.assertEqual(self.finish(first).json()["counts"]["TERMINATED"], 1)
        self.assertEqual(self.reports("1.1"), [1, 2])

    def test_who_asks_a_stopped_one_for_something_hears_of_that_soon(self):
        first = self.start_first()
        began = time.monotonic()

        told = self.run_node("stop", self.home, 0, code=6)

        self.assertLess(time.monotonic() - began, SOON)
        self.assertIn("process %d, is stopped" % first.pid, told.err)
        first.send_signal(signal.SIGCONT)
        asked = "SELECT * FROM events WHERE kind = 'stop_asked'"
        self.wait_until(lambda: self.rows(asked), first, "what it was asked for meanwhile")
        self.gate.touch()
        self.finish(first)

    def test_a_second_one_takes_over_when_the_stopped_first_is_killed(self):
        first = self.start_first()
        first.kill()
        self.finish(first, None)
        self.gate.touch()

        second = self.run_node("run", self.file, "--resume", "-o", "json").json()

        self.assertEqual(second["counts"]["TERMINATED"], 1)
        self.assertEqual(self.epoch(), 2)
        ends = self.rows("SELECT attempt, end_class FROM attempts ORDER BY started")
        self.assertEqual(
            [tuple(row.values()) for row in ends], [("1.1", "interrupted"), ("2.1", "finished")]
        )
        self.assert_no_trial_processes()

    def test_a_first_one_that_lost_its_lock_is_fenced_at_its_next_write(self):
        first = self.start_first()
        # As when a file server forgets who holds a lock.
        (self.home / "lock").unlink()
        second = self.start("run", self.file, "--resume", "-o", "json")
        self.wait_until(lambda: self.reports("2.1") == [1], second, "a report to the second")

        second.send_signal(signal.SIGSTOP)
        first.send_signal(signal.SIGCONT)
        self.gate.touch()
        fenced = self.finish(first, 7)
        second.send_signal(signal.SIGCONT)
        told = self.finish(second).json()

        self.assertIn("another head has taken over (epoch 2, ours is 1)", fenced.err)
        self.assertEqual(told["counts"]["TERMINATED"], 1)
        self.assertEqual(self.reports("1.1"), [1])
        self.assertEqual(self.reports("2.1"), [1, 2])
        self.assertEqual(self.epoch(), 2)
        lines = self.trial_file(0, "result.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(x)["attempt"] for x in lines], ["1.1", "2.1", "2.1"])
        self.assert_no_trial_processes()


class Frozen(Cluster):
    """Row Q with a short sleep: nothing happens."""

    def leader(self, node):
        query = "SELECT pid FROM results WHERE node = '%s' ORDER BY seq DESC LIMIT 1"
        return self.rows(query % node)[0]["pid"]

    def wait_a_while(self, node, head):
        """Waits until the trials on this node have progressed."""
        query = "SELECT count(*) AS n FROM results WHERE node = '%s'" % node
        before = self.rows(query)[0]["n"]
        self.wait_until(
            lambda: self.rows(query)[0]["n"] >= before + A_WHILE, head, "further reports"
        )

    def begin(self):
        head, where = self.head(self.gated(samples=2))
        workers = {name: self.worker(where, name, "--once") for name in ("one", "two")}
        self.wait_for_attempts(2, head)
        return head, workers

    def end(self, head, workers):
        self.open_gate()
        self.finish(head)
        for worker in workers.values():
            self.finish(worker)
        self.assertEqual([row["end_class"] for row in self.attempts()], ["finished"] * 2)
        self.assertEqual(self.rows("SELECT * FROM events WHERE kind = 'node_down'"), [])
        self.assert_no_trial_processes()

    def test_a_trial_that_was_stopped_for_a_while_goes_on(self):
        head, workers = self.begin()
        pid = self.leader("one")

        os.kill(pid, signal.SIGSTOP)
        self.wait_a_while("two", head)
        os.kill(pid, signal.SIGCONT)

        self.wait_a_while("one", head)
        self.end(head, workers)

    def test_a_worker_that_was_stopped_for_a_while_goes_on(self):
        head, workers = self.begin()

        workers["one"].send_signal(signal.SIGSTOP)
        self.wait_a_while("two", head)
        workers["one"].send_signal(signal.SIGCONT)

        self.wait_a_while("one", head)
        self.end(head, workers)

    def test_a_head_that_was_stopped_for_a_while_goes_on(self):
        head, workers = self.begin()

        head.send_signal(signal.SIGSTOP)
        # Meanwhile a second head tries to begin, and a worker tries to join.
        said = (self.directory / "x.head.log").read_text()
        where = re.search(r"--join (\S+)", said).group(1)
        late = self.worker(where, "late", "--once")
        self.run_node("run", self.directory / "x.ini", "--resume", code=8)
        head.send_signal(signal.SIGCONT)

        self.wait_until(lambda: self.says("late.log", "joined"), late, "the late one")
        self.wait_a_while("one", head)
        self.end(head, dict(workers, late=late))


if __name__ == "__main__":
    main()
