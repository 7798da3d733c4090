# SPDX-License-Identifier: BSD-3-Clause
"""A second head on the same storage waits, and takes the place of the first when that is gone, or
stopped; the first does no harm when it wakes."""
import contextlib
import json
import os
import random
import signal
import socket
import sqlite3
import time

from e2e import main
from lasting import Lasting


class Standby(Lasting):
    def setUp(self):
        super().setUp()
        self.where = {}
        for name in ("a", "b"):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.where[name] = "127.0.0.1:%d" % free.getsockname()[1]
        self.both = self.where["a"] + "," + self.where["b"]

    def start_head(self, name, *words, lost_after="3s"):
        return self.start_on(
            *("head", name + ".log", "head", "--listen", self.where[name], "--certs", self.certs),
            *("--storage", self.directory / "results", "--work", self.directory / ("work-" + name)),
            *("--no-local", "--lost-after", lost_after, "--head-grace", "60s", *words)
        )

    def begin(self):
        """Starts two heads, of which the first leads, and three workers that know both."""
        first = self.start_head("a", "--standby")
        self.wait_until(lambda: self.says("a.log", "experiments may come"), first, "the first")
        second = self.start_head("b", "--standby")
        self.wait_until(lambda: self.says("b.log", "stands by: "), second, "the second")
        self.begin_workers(self.both, cpus=2)
        return first, second

    def follow(self, ini):
        return self.start("run", ini, "--head", self.both, "--certs", self.certs,
                          cwd=self.directory)

    def takes_over(self, second):
        self.wait_until(lambda: self.says("b.log", "goes on with experiment x"), second, "takeover")

    def test_takes_the_place_of_one_that_was_killed(self):
        first, second = self.begin()
        client = self.follow(self.lasting("pbt", samples=6, steps=40))
        self.wait_until(lambda: len(self.trained()) >= 30, first, "some steps")

        self.kill(first)
        self.takes_over(second)
        self.finish(client)

        self.check()
        second.send_signal(signal.SIGTERM)
        self.finish(second)
        self.put_away()

    # -- A first one that is stopped.

    def is_locked(self):
        """Whether somebody has a transaction open that changes the record."""
        record = sqlite3.connect(self.directory / "results" / "x" / "experiment.db", timeout=0,
                                 isolation_level=None)
        with contextlib.closing(record):
            try:
                record.execute("BEGIN IMMEDIATE")
                record.execute("ROLLBACK")
            except sqlite3.OperationalError:
                return True
            return False

    def stop(self, head, in_transaction):
        """Stops the process where it has a transaction open, or where it has none."""
        chance = random.Random(7)
        while True:
            os.kill(head.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, head.pid, os.WSTOPPED)
            if self.is_locked() == in_transaction:
                return
            os.kill(head.pid, signal.SIGCONT)
            # It gets on, to some place or other.
            time.sleep(chance.uniform(0, 0.02))

    def move_away(self):
        """Makes the stopped head one of another machine, as far as the second can tell."""
        beat = self.directory / "results" / ".tune_lead" / "beat"
        sign = json.loads(beat.read_text())
        sign["process"] = "another-" + sign["process"]
        other = beat.with_name("other")
        other.write_text(json.dumps(sign))
        other.replace(beat)

    def begin_and_stop(self, in_transaction):
        """Stops the first head under an experiment. Returns both, and the client that follows."""
        first, second = self.begin()
        client = self.follow(self.lasting("pbt", samples=6, steps=60))
        self.wait_until(lambda: len(self.trained()) >= 30, first, "some steps")
        self.stop(first, in_transaction)
        return first, second, client

    def test_kills_one_that_is_stopped_in_a_transaction_and_goes_on(self):
        first, second, client = self.begin_and_stop(in_transaction=True)

        self.takes_over(second)
        self.finish(first, -signal.SIGKILL)
        self.finish(client)

        self.assertTrue(self.says("b.log", "killed pid %d" % first.pid))
        self.assertFalse(self.says("b.log", "cannot go on"))
        self.check()
        second.send_signal(signal.SIGTERM)
        self.finish(second)
        self.put_away()

    def test_takes_the_place_of_one_that_is_stopped_elsewhere_and_fences_it(self):
        first, second, client = self.begin_and_stop(in_transaction=False)
        self.move_away()

        self.takes_over(second)
        seen = len(self.rows_if_any("SELECT * FROM results"))
        self.wait_until(lambda: len(self.rows_if_any("SELECT * FROM results")) > seen + 10, second,
                        "reports to the second")
        first.send_signal(signal.SIGCONT)
        self.finish(first, 8)
        self.finish(client)

        self.assertIn("has taken over the experiments in", (self.directory / "a.log").read_text())
        self.assertTrue(self.says("b.log", "is not ended from here: it is on another machine"))
        self.check()
        second.send_signal(signal.SIGTERM)
        self.finish(second)
        self.put_away()

    def test_goes_on_once_one_that_is_stopped_elsewhere_lets_the_record_go(self):
        first, second, client = self.begin_and_stop(in_transaction=True)
        self.move_away()

        self.wait_until(lambda: self.says("b.log", "experiment x cannot go on yet: "), second,
                        "a first try")
        self.assertTrue(self.says("b.log", "database is locked: process %d (tune-node)" % first.pid))
        # The others are kept waiting no longer.
        self.run_node("run", self.lasting(name="y", samples=3, steps=3), "--head", self.both,
                      "--certs", self.certs)
        first.send_signal(signal.SIGCONT)
        self.finish(first, 8)
        self.finish(client)

        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "done")
        # What workers had of it has ended, and is tried again, which is no failure.
        self.assertEqual({x["failures"] for x in self.rows("SELECT failures FROM trials")}, {0})
        self.run_node("fsck", "results/x", "--verify")
        second.send_signal(signal.SIGTERM)
        self.finish(second)
        self.put_away()

    def test_leads_when_the_first_ends_in_order(self):
        first, second = self.begin()
        first.send_signal(signal.SIGTERM)
        self.finish(first)
        self.wait_until(lambda: self.says("b.log", "experiments may come"), second, "the second")

        ini = self.lasting(samples=3, steps=3)
        self.run_node("run", ini, "--head", self.both, "--certs", self.certs)

        self.check()
        second.send_signal(signal.SIGTERM)
        self.finish(second)
        self.put_away()

    def test_a_head_that_does_not_stand_by_is_refused_beside_another(self):
        first = self.start_head("a")
        self.wait_until(lambda: self.says("a.log", "experiments may come"), first, "the first")

        second = self.start_head("b")
        self.finish(second, 8)

        text = (self.directory / "b.log").read_text()
        self.assertIn("pid %d" % first.pid, text)
        self.assertIn("--standby", text)
        first.send_signal(signal.SIGTERM)
        self.finish(first)

    def test_one_that_waits_goes_when_it_is_told(self):
        first = self.start_head("a")
        self.wait_until(lambda: self.says("a.log", "experiments may come"), first, "the first")
        second = self.start_head("b", "--standby")
        self.wait_until(lambda: self.says("b.log", "stands by: "), second, "the second")

        second.send_signal(signal.SIGTERM)

        self.finish(second, 143)
        first.send_signal(signal.SIGTERM)
        self.finish(first)


if __name__ == "__main__":
    main()
