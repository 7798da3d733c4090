# SPDX-License-Identifier: BSD-3-Clause
"""A head that sleeps while its worker does not: whatever ends meanwhile, or is ended, ends once,
and nothing that has begun begins again."""
import contextlib
import os
import shutil
import signal

from chain_log import TRIAL, ChainLog
from cluster import Cluster
from e2e import leaders_of, main

# [s]
LOST_AFTER = 2
# Trials at a time.
SLOTS = 2

# The worker's messages when it begins to look for its head, and when it gives it up.
AWAY = "and what runs goes on meanwhile"
OFF = "off: "
# Those when it has found it.
HERE = ("joined as node", "back at the head")


class SleepingHead(Cluster):
    def begin(self, samples, steps):
        """Starts a head, and a worker whose trials have reported more than once."""
        shutil.copy(TRIAL, self.directory / "chain.sh")
        (self.directory / "say").mkdir()
        self.log = ChainLog(self.directory / "say" / "log")
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 7\n"
            '[trainable]\ncommand = ./chain.sh {x} %d 0 "%s"\n'
            "[space]\nx = randint(1, 2000000000)\n[checkpoint]\nfrequency = 10\n"
            "[failure]\nbackoff = 0\nmax_killed = unlimited\nmax_node_losses = unlimited\n"
            "[cluster]\nlocal = false\nlost_after = %d\n"
            % (samples, steps, self.log.path, LOST_AFTER)
        )
        self.leader, where = self.head(ini)
        self.node = self.worker(where, "one", "--lost-after", LOST_AFTER, cpus=SLOTS)
        self.wait_for_reports(2)

    def wait_for_reports(self, further):
        """Waits until as many trials as run at a time have made so many further reports; their
        attempts may not have begun yet."""
        query = "SELECT trial, count(*) AS n FROM results GROUP BY 1"
        before = {row["trial"]: row["n"] for row in self.rows_if_any(query)}

        def are_there():
            rows = self.rows_if_any(query)
            grown = [x for x in rows if x["n"] >= before.get(x["trial"], 0) + further]
            return len(grown) >= SLOTS or self.is_over()

        self.wait_until(are_there, what="%d reports of each trial" % further)

    def is_over(self):
        """Whether the head has ended, or the worst has happened: an attempt has begun twice."""
        return self.leader.poll() is not None or self.log.begun_twice()

    def kill_a_trial(self):
        for pid in leaders_of(self.directory)[:1]:
            # It may end by itself at any time.
            with contextlib.suppress(ProcessLookupError):
                gone = os.pidfd_open(pid)
                self.addCleanup(os.close, gone)
                signal.pidfd_send_signal(gone, signal.SIGKILL)
            self.wait_until(lambda x=pid: x not in leaders_of(self.directory), what="a death")

    def count(self, word):
        return (self.directory / "one.log").read_text().count(word)

    def is_at_its_head(self):
        """Whether the worker is, by its last word of that."""
        said = (self.directory / "one.log").read_text()
        return said.rfind(AWAY) < max(said.rfind(x) for x in HERE)

    def sleep_until(self, word, meanwhile=lambda: None, then=lambda: None):
        """Lets the head sleep until its worker has printed this once more."""
        # A worker that still looks for it would not say so again.
        self.wait_until(lambda: self.is_at_its_head() or self.is_over(), what="its worker")
        before = self.count(word)
        self.leader.send_signal(signal.SIGSTOP)
        meanwhile()
        self.wait_until(lambda: self.count(word) > before, self.node, word)
        then()
        self.leader.send_signal(signal.SIGCONT)

    def end(self, samples):
        self.wait_until(self.is_over, what="the end")
        self.assertEqual(self.log.begun_twice(), [])
        self.finish(self.leader)
        self.node.terminate()
        self.finish(self.node)
        self.assert_no_trial_processes()
        self.assertEqual(self.log.trained_beside(), [])
        self.assertEqual(self.log.trained_on(), [])
        statuses = self.rows("SELECT status, count(*) AS n FROM trials GROUP BY 1")
        self.assertEqual(statuses, [{"status": "TERMINATED", "n": samples}])
        there = self.rows("SELECT trial, attempt, training_iteration FROM results")
        self.assertEqual(self.log.answered() - {tuple(row.values()) for row in there}, set())

    def test_what_the_worker_ended_meanwhile_goes_on_in_new_attempts(self):
        self.begin(samples=2, steps=60)
        query = "SELECT 1 FROM checkpoints WHERE training_iteration = 10"
        self.wait_until(lambda: len(self.rows(query)) == SLOTS, self.leader, "checkpoints")

        self.sleep_until(OFF, then=self.assert_no_trial_processes)

        self.end(2)
        ends = [row["end_class"] for row in self.attempts()]
        self.assertEqual(len(ends), 2 * SLOTS)
        self.assertEqual(ends[SLOTS:], ["finished"] * SLOTS)
        again = [int(x.what) for x in self.log.lines("begin")[SLOTS:]]
        self.assertEqual({x % 10 for x in again}, {0})
        self.assertGreater(min(again), 0)

    def test_a_trial_that_died_while_the_worker_still_believed_in_its_head_ends_once(self):
        self.begin(samples=8, steps=60)

        for _ in range(3):
            self.sleep_until(AWAY, meanwhile=self.kill_a_trial)
            self.wait_for_reports(2)

        self.end(8)

    def test_a_trial_that_died_while_the_worker_looked_for_its_head_ends_once(self):
        self.begin(samples=8, steps=60)

        for _ in range(3):
            self.sleep_until(AWAY, then=self.kill_a_trial)
            self.wait_for_reports(2)

        self.end(8)

    def test_trials_that_end_while_their_head_sleeps_end_once(self):
        self.begin(samples=8, steps=20)

        for word in (AWAY, OFF, AWAY):
            self.sleep_until(word)
            self.wait_for_reports(2)

        self.end(8)


if __name__ == "__main__":
    main()
