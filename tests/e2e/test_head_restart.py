# SPDX-License-Identifier: BSD-3-Clause
"""A head dies and begins again within the grace: its workers' trials go on as if nothing had
happened. What the trials themselves noted is compared with the record.

TUNE_HEAD_KILLS sets how often the heads of the large tests are killed, 4 times unless it does."""
import os
import random
import signal
import socket
import sys
import time
from collections import Counter
from pathlib import Path

from cluster import Cluster
from e2e import main

TRIAL = Path(__file__).with_name("lasting_trial.py")
KILLS = int(os.environ.get("TUNE_HEAD_KILLS", "4"))
WORKERS = ("one", "two", "three")

SCHEDULERS = {
    "fifo": "",
    "asha": "type = asha\nform = promotion\ngrace_period = 2\nreduction_factor = 3\nmax_t = 18\n",
    "pbt": "type = pbt\ntime_attr = training_iteration\nperturbation_interval = 4\n",
    "hyperband": "type = hyperband\nmax_t = 9\nreduction_factor = 3\n",
}


class HeadRestart(Cluster):
    def setUp(self):
        super().setUp()
        self.log = self.directory / "trained.log"
        self.log.touch()
        # The address is part of what the heads of one experiment have in common.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.heads = 0
        self.workers = {}

    # -- What runs.

    def lasting(self, scheduler="fifo", name="x", samples=6, steps=18, pause=0.1, more=""):
        rule = SCHEDULERS[scheduler]
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 11\n"
            "[trainable]\ncommand = %s %s %d %s %g\n[space]\nlr = uniform(0.01, 0.5)\n"
            "[failure]\nbackoff = 0\n%s[cluster]\nlocal = false\nlost_after = 3s\n%s\n"
            % (samples, sys.executable, TRIAL, steps, self.directory, pause,
               "[scheduler]\n" + rule if rule else "", more),
            name + ".ini",
        )

    def begin_head(self, *words, what="experiments may come"):
        """Starts a head at the port of the one before. Returns it and its address."""
        self.heads += 1
        log = "head-%d.log" % self.heads
        of = "--" if words[0] == "head" else "--cluster."
        head = self.start_on(
            *("head", log, *words, of + "listen", "127.0.0.1:%d" % self.port),
            *(of + "certs", self.certs)
        )
        self.head_log = self.directory / log
        self.wait_until(lambda: self.says(log, what), head, "an open port")
        return head, "127.0.0.1:%d" % self.port

    def standing(self, grace="60s", *more):
        return self.begin_head(
            *("head", "--storage", self.directory / "results", "--no-local", "--lost-after", "3s"),
            *("--work", self.directory / "work-head", "--head-grace", grace, *more)
        )

    def begin_workers(self, where, *words, names=WORKERS, cpus=1):
        for name in names:
            self.workers[name] = self.worker(where, name, "--lost-after", "3s", *words, cpus=cpus)

    def kill(self, head):
        head.kill()
        self.finish(head, None)

    # -- What came of it.

    def lines(self):
        return [line.split() for line in self.log.read_text().splitlines()]

    def trained(self):
        """Steps by trial, attempt and iteration."""
        return Counter((int(x[1]), x[2], int(x[3])) for x in self.lines() if x[0] == "step")

    def is_over(self, name="x"):
        rows = self.rows_if_any("SELECT status FROM experiment", name)
        return bool(rows) and rows[0]["status"] not in ("running", None)

    def check(self, name="x", ends=("finished", "stopped", "paused")):
        """Checks that nothing was lost, doubled or begun again."""
        self.assertEqual(self.rows("SELECT status FROM experiment", name)[0]["status"], "done")
        # A launch that was on its way as the head died is given up before anything began.
        attempts = self.rows(
            "SELECT * FROM attempts WHERE detail IS NULL OR detail NOT LIKE '%had not reached node%'"
            " ORDER BY started", name
        )
        odd = [tuple(row) for row in attempts if row["end_class"] not in ends]
        self.assertEqual(odd, [])
        begun = Counter((int(x[1]), x[2]) for x in self.lines() if x[0] == "begin")
        self.assertEqual([x for x, count in begun.items() if count > 1], [])
        self.assertEqual(set(begun), {(row["trial"], row["attempt"]) for row in attempts})
        results = self.rows("SELECT * FROM results ORDER BY seq", name)
        heard = Counter((x["trial"], x["attempt"], x["training_iteration"]) for x in results)
        self.assertEqual(heard, self.trained())
        places = Counter((x["trial"], x["lineage"], x["training_iteration"]) for x in results)
        self.assertEqual([x for x, count in places.items() if count > 1], [])
        self.run_node("fsck", "results/" + name, "--verify")

    def check_output(self, name="x"):
        """Checks that all that the trials printed is there once."""
        printed = {}
        for word, trial, _, iteration, _ in self.lines():
            lines = printed.setdefault(int(trial), [])
            if word == "begin":
                lines.append("begins at " + iteration)
            elif word == "step":
                lines.append("step " + iteration)
        for trial, lines in printed.items():
            text = self.trial_file(trial, "stdout", name).read_text()
            self.assertEqual(text.splitlines(), lines, trial)

    def put_away(self):
        for worker in self.workers.values():
            worker.terminate()
        for worker in self.workers.values():
            self.finish(worker, None)
        self.assert_no_trial_processes()

    # -- A head of one experiment.

    def test_trials_go_on_under_the_next_head(self):
        ini = self.lasting(samples=3, steps=30)
        head, where = self.begin_head("run", ini, "--cluster.head_grace", "60s",
                                      what="workers may join")
        self.begin_workers(where)
        self.wait_until(lambda: len(self.trained()) > 12, head, "some steps")
        self.kill(head)
        before = len(self.trained())

        head, _ = self.begin_head("resume", "results/x", what="workers may join")
        self.wait_until(lambda: self.says(self.head_log.name, "three is back"), head, "workers")
        self.assertLess(before, 90)
        self.finish(head)

        self.check()
        self.check_output()
        self.assertEqual(len(self.rows("SELECT * FROM attempts")), 3)
        self.put_away()


    def test_what_ended_while_there_was_no_head_counts(self):
        hold = self.directory / "hold"
        hold.touch()
        ini = self.lasting(samples=3, steps=4, more="head_grace = 60s")
        head, where = self.begin_head("run", ini, what="workers may join")
        self.begin_workers(where, "--own-storage")
        heard = lambda: len(self.rows_if_any("SELECT * FROM results"))
        self.wait_until(lambda: heard() == 12, head, "all reports")
        self.kill(head)
        hold.unlink()
        ends = lambda: [x for x in self.lines() if x[0] == "end"]
        self.wait_until(lambda: len(ends()) == 3, what="the end of all trials")

        head, _ = self.begin_head("resume", "results/x", what="workers may join")
        self.finish(head)

        self.assertEqual(len(ends()), 3)
        self.check()
        self.check_output()
        for trial in range(3):
            self.assertEqual(self.trial_file(trial, "result").read_text(), "4")
        self.put_away()

    def test_after_the_grace_everything_ends(self):
        ini = self.lasting(samples=3, steps=1000, more="head_grace = 4s")
        head, where = self.begin_head("run", ini, what="workers may join")
        self.begin_workers(where)
        self.wait_until(lambda: len(self.trained()) >= 6, head, "some steps")
        self.kill(head)
        for name in WORKERS:
            log = "%s.log" % name
            self.wait_until(lambda: self.says(log, "off: "), what="the end of " + name)
        self.assert_no_trial_processes()
        jobs = [self.directory / ("work-" + name) / "jobs" for name in WORKERS]
        self.wait_until(lambda: not any(any(x.iterdir()) for x in jobs), what="empty directories")

        head, _ = self.begin_head("resume", "results/x", what="workers may join")
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM attempts")) == 6, head, "new attempts"
        )
        head.send_signal(signal.SIGTERM)
        self.finish(head, 143)

        old = self.rows("SELECT end_class FROM attempts ORDER BY started LIMIT 3")
        self.assertEqual({row["end_class"] for row in old}, {"preempted"})
        self.run_node("fsck", "results/x", "--verify")
        self.put_away()

    def test_another_head_takes_nothing_back(self):
        ini = self.lasting(samples=3, steps=1000, more="head_grace = 60s")
        head, where = self.begin_head("run", ini, what="workers may join")
        self.begin_workers(where)
        self.wait_until(lambda: len(self.trained()) >= 6, head, "some steps")
        self.kill(head)
        (self.directory / "results" / "x").rename(self.directory / "results" / "gone")
        other = self.lasting(name="y", samples=3, steps=3, more="head_grace = 60s")

        head, _ = self.begin_head("run", other, what="workers may join")
        self.finish(head)

        self.assertEqual(len(self.rows("SELECT * FROM attempts", "y")), 3)
        self.assert_no_trial_processes()
        self.put_away()

    def test_a_worker_that_dies_meanwhile_costs_its_own_trials_only(self):
        ini = self.lasting(samples=3, steps=30, more="head_grace = 60s")
        head, where = self.begin_head("run", ini, what="workers may join")
        self.begin_workers(where)
        self.wait_until(lambda: len(self.trained()) >= 9, head, "some steps")
        self.kill(head)
        gone = self.workers.pop("two")
        gone.kill()
        self.finish(gone, None)

        head, _ = self.begin_head("resume", "results/x", what="workers may join")
        self.finish(head)

        ends = Counter(x["end_class"] for x in self.rows("SELECT end_class FROM attempts"))
        self.assertEqual(ends, {"finished": 3, "preempted": 1})
        self.run_node("fsck", "results/x", "--verify")
        self.put_away()

    # -- A standing head.

    def test_a_standing_head_goes_on_by_itself(self):
        head, where = self.standing()
        self.begin_workers(where)
        inis = [self.lasting(name=name, samples=3, steps=20) for name in ("one-x", "two-x")]
        clients = [
            self.start("run", ini, "--head", where, "--certs", self.certs, cwd=self.directory)
            for ini in inis
        ]
        self.wait_until(lambda: len(self.trained()) >= 12, head, "some steps")
        self.kill(head)

        head, _ = self.standing()
        for client in clients:
            self.finish(client)

        text = self.head_log.read_text()
        self.assertIn("goes on with experiment one-x", text)
        for name in ("one-x", "two-x"):
            rows = self.rows("SELECT * FROM attempts", name)
            self.assertEqual([row["end_class"] for row in rows], ["finished"] * 3)
            self.run_node("fsck", "results/" + name, "--verify")
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.put_away()

    def test_what_was_left_off_in_order_stays_so(self):
        head, where = self.standing()
        self.begin_workers(where)
        ini = self.lasting(samples=3, steps=300)
        self.run_node("run", ini, "--head", where, "--certs", self.certs, "--detach")
        self.wait_until(lambda: len(self.trained()) >= 6, head, "some steps")
        head.send_signal(signal.SIGTERM)
        self.finish(head)

        head, _ = self.standing()

        self.assertNotIn("goes on with", self.head_log.read_text())
        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "interrupted")
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.put_away()

    # -- Again and again.

    def kill_again_and_again(self, scheduler):
        chance = random.Random(scheduler)
        head, where = self.standing()
        self.begin_workers(where, cpus=2)
        kills = experiments = 0
        while kills < KILLS:
            experiments += 1
            self.log.write_text("")
            name = "x%d" % experiments
            ini = self.lasting(scheduler, name, samples=9, steps=18, pause=0.3)
            self.run_node("run", ini, "--head", where, "--certs", self.certs, "--detach")
            while kills < KILLS and not self.is_over(name):
                time.sleep(chance.uniform(0.1, 2.5))
                if self.is_over(name):
                    break
                self.kill(head)
                kills += 1
                time.sleep(chance.choice((0, 0, 0.5, 2)))
                head, _ = self.standing()
            self.wait_until(lambda: self.is_over(name), head, "the end of " + name)
            self.check(name)
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.put_away()

    def test_killed_again_and_again_under_pbt(self):
        self.kill_again_and_again("pbt")

    def test_killed_again_and_again_under_asha(self):
        self.kill_again_and_again("asha")

    def test_killed_again_and_again_under_synchronous_hyperband(self):
        self.kill_again_and_again("hyperband")


if __name__ == "__main__":
    main()
