# SPDX-License-Identifier: BSD-3-Clause
"""A head is killed and begins again while the network to its workers, or a worker, is in trouble:
see test_namespaces.py for what a network needs."""
import contextlib
import random
import shutil
import signal
import sys
import time
from collections import Counter

from e2e import main
from lasting import Lasting
from test_namespaces import NODES, Network, why_not

PAIR = ("one", "two")


class RestartInTrouble(Lasting):
    network = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.network = Network()
        cls.addClassCleanup(cls.network.close)

    def inside(self, node):
        return self.network.spaces[node].inside

    def address(self):
        return NODES["head"]

    def begin(self, scheduler="fifo", **how):
        """Starts a head and two workers with an experiment, and waits for some steps."""
        head, where = self.standing()
        self.begin_workers(where, names=PAIR)
        ini = self.lasting(scheduler, **{"samples": 2, "steps": 120, **how})
        submitted = self.start_on(
            *("head", "submit.log", "run", ini, "--head", where, "--certs", self.certs, "--detach")
        )
        self.finish(submitted)
        self.wait_until(lambda: len(self.trained()) >= 10, head, "some steps")
        return head

    def next_head(self, head):
        """Kills the head; the next one begins at once."""
        self.kill(head)
        return self.standing()[0]

    def lose_some(self, name, percent):
        """Loses so many in 100 of the packets that come to a node."""
        space = self.network.spaces[name]
        space.run("nft add table ip losses")
        space.run("nft add chain ip losses come { type filter hook input priority 0 ; }")
        space.run("nft add rule ip losses come ip saddr 10.77.0.0/24"
                  " numgen random mod 100 < %d drop" % percent)

    def check_what_was_heard(self):
        """Checks that each report in the record was made, and is there once. Trials may have been
        begun again."""
        self.assertEqual(self.rows("SELECT DISTINCT status FROM trials"),
                         [{"status": "TERMINATED"}])
        heard = self.rows("SELECT trial, attempt, training_iteration AS n FROM results")
        heard = Counter((x["trial"], x["attempt"], x["n"]) for x in heard)
        self.assertEqual(heard - self.trained(), Counter())
        self.run_node("fsck", "results/x", "--verify")

    def end(self, head):
        self.wait_until(lambda: self.is_over(), head, "the end")
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.put_away()

    def test_a_cable_that_is_cut_and_mended_around_the_restart_costs_nothing(self):
        head = self.begin()
        self.addCleanup(self.network.mend, "two")
        self.network.cut("two")
        head = self.next_head(head)
        self.wait_until(lambda: self.says(self.head_log.name, "one is back"), head, "one")
        self.network.mend("two")
        self.wait_until(lambda: self.says(self.head_log.name, "two is back"), head, "two")

        self.end(head)

        self.check()
        self.assertEqual(len(self.rows("SELECT * FROM attempts")), 2)

    def test_a_cable_that_is_mended_too_late_costs_the_trials_behind_it(self):
        head = self.begin()
        self.addCleanup(self.network.mend, "two")
        self.network.cut("two")
        head = self.next_head(head)
        lost = "SELECT * FROM attempts WHERE node = 'two' AND end_class = 'preempted'"
        self.wait_until(lambda: self.rows_if_any(lost), head, "the end of the wait")
        self.network.mend("two")
        self.wait_until(lambda: self.says(self.head_log.name, "two is back"), head, "two")

        self.end(head)

        rows = self.rows("SELECT node, end_class FROM attempts")
        ends = Counter((x["node"], x["end_class"]) for x in rows)
        self.assertEqual(ends["one", "preempted"], 0)
        self.assertEqual(ends["two", "preempted"], 1)
        self.assertEqual(sum(ends.values()), 3)
        self.check_what_was_heard()

    def test_words_that_are_lost_one_way_come_after_all(self):
        for of, to in (("head", "one"), ("one", "head")):
            with self.subTest(of=of):
                self.log.write_text("")
                head = self.begin(name="x-" + of)
                self.network.deafen(of, to)
                try:
                    head = self.next_head(head)
                    log = self.head_log.name
                    self.wait_until(lambda: self.says(log, "two is back"), head, "two")
                finally:
                    self.network.undeafen(of, to)
                self.wait_until(lambda: self.is_over("x-" + of), head, "the end")
                self.check("x-" + of)
                head.send_signal(signal.SIGTERM)
                self.finish(head)
                self.put_away()
                self.workers = {}

    def test_packets_that_are_lost_at_random_around_a_restart_double_nothing(self):
        if shutil.which("nft") is None:
            self.skipTest("there is no nft")
        head = self.begin(pause=0.2, steps=60)
        with contextlib.ExitStack() as line:
            for name in ("head", *PAIR):
                self.lose_some(name, 30)
                line.callback(self.network.spaces[name].run, "nft delete table ip losses")
            head = self.next_head(head)
            # Nodes may be lost meanwhile; some of what is trained comes through all the same.
            count = len(self.rows("SELECT seq FROM results"))
            self.wait_until(
                lambda: len(self.rows("SELECT seq FROM results")) > count + 3, head,
                "reports over a bad line"
            )

        self.end(head)

        print("attempts: %d" % len(self.rows("SELECT * FROM attempts")))
        self.check_what_was_heard()

    def test_a_head_that_begins_again_behind_a_very_slow_cable_costs_nothing(self):
        head = self.begin(pause=0.6, steps=60)
        for name in ("head", *PAIR):
            space = self.network.spaces[name]
            space.run("tc qdisc replace dev eth0 root tbf rate 100kbit burst 2kb limit 100kb")
            self.addCleanup(space.run, "tc qdisc delete dev eth0 root")
        for _ in range(2):
            head = self.next_head(head)
            for name in PAIR:
                self.wait_until(lambda x=name: self.says(self.head_log.name, x + " is back"), head,
                                name)

        self.end(head)

        self.check()
        self.assertEqual(len(self.rows("SELECT * FROM attempts")), 2)

    def test_a_worker_that_is_stopped_around_the_restart_costs_nothing(self):
        head = self.begin()
        self.workers["two"].send_signal(signal.SIGSTOP)
        head = self.next_head(head)
        self.wait_until(lambda: self.says(self.head_log.name, "one is back"), head, "one")
        self.workers["two"].send_signal(signal.SIGCONT)

        self.end(head)

        self.check()
        self.assertEqual(len(self.rows("SELECT * FROM attempts")), 2)

    def test_a_worker_that_flaps_while_heads_come_and_go_costs_nothing(self):
        head = self.begin()
        for _ in range(4):
            self.workers["two"].send_signal(signal.SIGSTOP)
            head = self.next_head(head)
            time.sleep(1)
            self.workers["two"].send_signal(signal.SIGCONT)
            self.wait_until(lambda: self.says(self.head_log.name, "two is back"), head, "two")

        self.end(head)

        self.check()

    def test_checkpoints_that_travel_over_a_slow_cable_outlive_their_head(self):
        chance = random.Random(5)
        for name in ("head", *PAIR):
            space = self.network.spaces[name]
            space.run("tc qdisc replace dev eth0 root tbf rate 40mbit burst 64kb limit 256kb")
            self.addCleanup(space.run, "tc qdisc delete dev eth0 root")
        head = self.begin("pbt", samples=4, steps=80, pause=0.2, size=4_000_000)
        kills = 0
        while not self.is_over() and kills < 6:
            time.sleep(chance.uniform(0.5, 2.5))
            if self.is_over():
                break
            head = self.next_head(head)
            kills += 1

        self.end(head)

        print("killed %d times" % kills)
        self.check()


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    main()
