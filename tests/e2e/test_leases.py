# SPDX-License-Identifier: BSD-3-Clause
"""Trials whose worker dies, freezes, or becomes unreachable."""
import json
import signal
import time

from cluster import Cluster
from e2e import main
from relay import Relay

# [s]
LOST_AFTER = 3
# A margin for a busy machine.
SLACK = 60


class Leases(Cluster):
    def setUp(self):
        super().setUp()
        self.relays = []

    def tearDown(self):
        for relay in self.relays:
            relay.close()
        super().tearDown()

    def head_of(self, samples=1, lost_after=LOST_AFTER):
        return self.head(self.gated("lost_after = %d" % lost_after, samples))

    def worker_of(self, where, name, *words, lost_after=LOST_AFTER, **how):
        return self.worker(where, name, "--lost-after", lost_after, *words, **how)

    def relay(self, where):
        relay = Relay(*where.rsplit(":", 1))
        self.relays.append(relay)
        return relay

    def times(self, kind, node):
        rows = self.rows_if_any("SELECT t, body FROM events WHERE kind = '%s' ORDER BY seq" % kind)
        return [row["t"] for row in rows if json.loads(row["body"])["node"] == node]

    def downs(self, node):
        return self.times("node_down", node)

    def wait_for(self, kind, node, head, count=1):
        self.wait_until(lambda: len(self.times(kind, node)) >= count, head, kind + " of " + node)
        return self.times(kind, node)[count - 1]

    def wait_for_loss(self, node, head):
        return self.wait_for("node_down", node, head)

    def now(self):
        """The experiment's time, according to the record."""
        return self.rows("SELECT max(t) AS t FROM events")[0]["t"]

    def reports_grow(self, node, head):
        count = len(self.rows("SELECT seq FROM results WHERE node = '%s'" % node))
        query = "SELECT seq FROM results WHERE node = '%s'" % node
        self.wait_until(lambda: len(self.rows(query)) > count + 3, head, "reports of " + node)

    def ends(self):
        return [(row["node"], row["end_class"]) for row in self.attempts()]

    def assert_heard_once(self, node, down):
        """Checks that nothing of the lost node was accepted after its loss, and nothing twice."""
        late = self.rows(
            "SELECT r.t FROM results r JOIN attempts a USING (trial, attempt)"
            " WHERE a.node = '%s' AND a.end_class = 'node_lost' AND r.t > %r" % (node, down)
        )
        self.assertEqual(late, [])
        twice = self.rows(
            "SELECT trial, attempt, training_iteration FROM results GROUP BY 1, 2, 3"
            " HAVING count(*) > 1"
        )
        self.assertEqual(twice, [])

    def test_a_killed_worker_is_noticed_and_its_trials_run_elsewhere_at_once(self):
        head, where = self.head_of()
        first = self.worker_of(where, "one")
        self.wait_for_attempts(1, head)
        second = self.worker_of(where, "two", "--once")
        self.wait_until(lambda: self.says("two.log", "joined"), head, "the second worker")
        before = self.now()

        first.kill()
        down = self.wait_for_loss("one", head)
        self.wait_for_attempts(1, head, node="two")
        self.open_gate()

        self.finish(head)
        started = [row["started"] for row in self.attempts(node="two")][0]
        print("killed: noticed after %.2f s, placed %.3f s later" % (down - before, started - down))
        self.assertLess(down - before, LOST_AFTER + SLACK)
        self.assertLess(started - down, SLACK)
        self.assertEqual(self.ends(), [("one", "node_lost"), ("two", "finished")])
        (lost,) = self.rows("SELECT why FROM nodes WHERE node = 'one'")
        # The head sees it by itself, unless the worker's guard is quicker.
        self.assertIn(lost["why"], ("its process has ended", "its guard says that it was killed"))
        self.finish(second)
        self.assert_no_trial_processes()

    def test_a_worker_that_was_frozen_for_longer_than_its_lease_is_fenced_when_it_wakes(self):
        head, where = self.head_of()
        first = self.worker_of(where, "one")
        self.wait_for_attempts(1, head)
        second = self.worker_of(where, "two", "--once")
        self.wait_until(lambda: self.says("two.log", "joined"), head, "the second worker")
        before = self.now()

        first.send_signal(signal.SIGSTOP)
        down = self.wait_for_loss("one", head)
        self.wait_for_attempts(1, head, node="two")
        first.send_signal(signal.SIGCONT)
        self.wait_until(
            lambda: self.says("one.log", "back at the head") or self.says("one.log", "off: "),
            first,
            "its awakening",
        )
        self.reports_grow("two", head)
        self.open_gate()

        self.finish(head)
        print("frozen: noticed after %.2f s" % (down - before))
        self.assertLess(down - before, LOST_AFTER + SLACK)
        self.assertEqual(self.ends(), [("one", "node_lost"), ("two", "finished")])
        self.assert_heard_once("one", down)
        first.terminate()
        self.finish(first)
        self.finish(second)
        self.assert_no_trial_processes()

    def test_a_worker_that_was_frozen_for_a_moment_loses_nothing(self):
        head, where = self.head_of(lost_after=6)
        worker = self.worker_of(where, "one", "--once", lost_after=6)
        self.wait_for_attempts(1, head)

        worker.send_signal(signal.SIGSTOP)
        time.sleep(2)
        worker.send_signal(signal.SIGCONT)
        self.reports_grow("one", head)
        self.open_gate()

        self.finish(head)
        self.assertEqual(self.ends(), [("one", "finished")])
        self.assertEqual(self.downs("one"), [])
        self.finish(worker)

    def test_a_connection_that_breaks_costs_nothing_where_it_is_made_anew_in_time(self):
        head, where = self.head_of(samples=2, lost_after=10)
        relay = self.relay(where)
        worker = self.worker_of(relay.where, "one", "--once", cpus=2, lost_after=10)
        self.wait_for_attempts(2, head)

        for _ in range(3):
            relay.cut()
            self.wait_until(lambda: self.says("one.log", "back at the head"), worker, "its return")
            (self.directory / "one.log").write_text("")
            self.reports_grow("one", head)
        self.open_gate()

        self.finish(head)
        self.assertEqual(self.ends(), [("one", "finished")] * 2)
        self.assertEqual(self.downs("one"), [])
        numbers = self.rows(
            "SELECT training_iteration AS i FROM results WHERE trial = 0 ORDER BY seq"
        )
        self.assertEqual([x["i"] for x in numbers], list(range(1, len(numbers) + 1)))
        printed = self.trial_file(0, "stdout").read_text()
        self.assertEqual(printed, "none\n")
        self.finish(worker)

    def test_a_worker_that_is_lost_again_and_again_has_to_wait(self):
        head, where = self.head_of()
        relay = self.relay(where)
        worker = self.worker_of(relay.where, "one")
        self.wait_for("node_up", "one", head)
        for count in (1, 2, 3):
            relay.stall("up", "down")
            down = self.wait_for("node_down", "one", head, count)
            relay.mend()
            if count < 3:
                self.wait_for("node_up", "one", head, count + 1)

        why = "SELECT why FROM nodes WHERE node = 'one'"
        self.assertIn("lost 3 times of late, it gets no trials for 10 s", self.rows(why)[0]["why"])
        up = self.wait_for("node_up", "one", head, 4)
        self.open_gate()

        self.finish(head)
        self.assertGreater(up - down, 9.5)
        self.assertTrue(self.says("x.head.log", "no trial goes there for"))
        self.assertEqual(self.rows("SELECT status FROM trials"), [{"status": "TERMINATED"}])
        worker.terminate()
        self.finish(worker)
        self.assert_no_trial_processes()

    def lose_direction(self, *directions):
        head, where = self.head_of()
        relay = self.relay(where)
        first = self.worker_of(relay.where, "one")
        self.wait_for_attempts(1, head)
        second = self.worker_of(where, "two", "--once")
        self.wait_until(lambda: self.says("two.log", "joined"), head, "the second worker")
        before = self.now()

        relay.stall(*directions)
        down = self.wait_for_loss("one", head)
        self.wait_for_attempts(1, head, node="two")
        relay.mend()
        self.reports_grow("two", head)
        # Messages that were held back arrive now.
        self.wait_until(
            lambda: self.says("one.log", "back at the head") or self.says("one.log", "off: "),
            first,
            "its return",
        )
        self.open_gate()

        self.finish(head)
        print("%s: noticed after %.2f s" % (directions, down - before))
        # A worker that receives nothing is still heard until it gives the connection up.
        longest = LOST_AFTER * (1.6 if directions == ("down",) else 1)
        self.assertLess(down - before, longest + SLACK)
        self.assertEqual(self.ends(), [("one", "node_lost"), ("two", "finished")])
        self.assert_heard_once("one", down)
        first.terminate()
        self.finish(first)
        self.finish(second)
        self.assert_no_trial_processes()

    def test_a_line_that_fails_both_ways_is_noticed_and_nothing_is_heard_twice(self):
        self.lose_direction("up", "down")

    def test_a_line_that_fails_towards_the_head_is_noticed_and_nothing_is_heard_twice(self):
        self.lose_direction("up")

    def test_a_line_that_fails_towards_the_worker_is_noticed_and_nothing_is_heard_twice(self):
        self.lose_direction("down")


if __name__ == "__main__":
    main()
