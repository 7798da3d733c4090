# SPDX-License-Identifier: BSD-3-Clause
"""Trials whose worker is told to leave."""
import signal

from controlled import SteppingOnWorkers
from e2e import main


class Leaving(SteppingOnWorkers):
    def begin(self, more=""):
        """Runs a trial that has reported once on the worker "first", which is about to leave."""
        head, where = self.head(self.stepping(4, more))
        first = self.worker(where, "first", "--own-storage", "--leave-grace", "100s")
        self.let(1)
        self.wait_until(lambda: self.reports() == [1], head)
        first.send_signal(signal.SIGTERM)
        self.wait_until(
            lambda: self.rows("SELECT * FROM events WHERE kind = 'node_leaving'"), head, "its word"
        )
        return head, where, first

    def go_on_elsewhere(self, head, where):
        second = self.worker(where, "second", "--own-storage", "--once")
        self.let(9)
        self.finish(head)
        self.finish(second)

    def test_a_trial_saves_at_its_next_report_and_goes_on_elsewhere(self):
        head, where, first = self.begin()

        self.let(2)
        # Long before its time is up, since nothing keeps it.
        self.finish(first)
        self.go_on_elsewhere(head, where)

        self.assertEqual(self.reports(), [1, 2, 3, 4])
        self.assertEqual(
            [(row["node"], row["end_class"]) for row in self.attempts()],
            [("first", "preempted"), ("second", "finished")],
        )
        self.assertEqual(self.rows("SELECT failures FROM trials"), [{"failures": 0}])
        printed = self.trial_file(0, "stdout").read_text().split("\n")
        self.assertEqual(printed[2:4], ["step 2", "from 2"])

    def test_one_that_is_told_twice_hands_it_back_from_its_newest_checkpoint(self):
        head, where, first = self.begin("[checkpoint]\nfrequency = 1")
        self.wait_until(lambda: self.rows("SELECT * FROM checkpoints"), head, "a checkpoint")

        first.send_signal(signal.SIGTERM)
        self.finish(first)
        self.go_on_elsewhere(head, where)

        self.assertEqual(self.reports(), [1, 2, 3, 4])
        self.assertEqual([x["end_class"] for x in self.attempts()], ["preempted", "finished"])

    def test_a_pause_is_not_left_in_the_memory_of_a_worker_that_goes(self):
        head, where, first = self.begin("[checkpoint]\npause_storage = memory")
        self.run_node("pause", "results/x", "0")

        self.let(2)
        self.finish(first)
        self.wait_until(lambda: self.status() == ["PAUSED"], head, "the pause")
        self.run_node("unpause", "results/x", "0")
        self.go_on_elsewhere(head, where)

        self.assertEqual(self.reports(), [1, 2, 3, 4])
        rows = self.rows("SELECT location FROM checkpoints")
        self.assertEqual([x for x in rows if x["location"].startswith("memory:")], [])


if __name__ == "__main__":
    main()
