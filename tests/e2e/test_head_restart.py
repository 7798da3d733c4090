# SPDX-License-Identifier: BSD-3-Clause
"""A head dies and begins again within the grace: its workers' trials go on as if nothing had
happened. What the trials themselves noted is compared with the record.

TUNE_HEAD_KILLS sets how often the heads of the large tests are killed, 4 times unless it does."""
import os
import random
import signal
import time
from collections import Counter

from e2e import main
from lasting import WORKERS, Lasting

KILLS = int(os.environ.get("TUNE_HEAD_KILLS", "4"))

# Between two steps of trials that must not be over before their head is killed, although this
# program may notice some steps seconds late on a busy machine. [s]
BUSY_PAUSE = 0.4


class HeadRestart(Lasting):
    # -- A head of one experiment.

    def test_trials_go_on_under_the_next_head(self):
        ini = self.lasting(samples=3, steps=30, pause=BUSY_PAUSE)
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
        ini = self.lasting(samples=3, steps=30, pause=BUSY_PAUSE, more="head_grace = 60s")
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
        nodes = {x["node"]: x for x in self.rows("SELECT node, state, why FROM nodes")}
        self.assertEqual(nodes["two"]["state"], "down", nodes)
        self.assertIn("did not come back to the head", nodes["two"]["why"])
        self.run_node("fsck", "results/x", "--verify")
        self.put_away()

    # -- A standing head.

    def test_a_standing_head_goes_on_by_itself_unless_told_otherwise(self):
        head, where = self.standing(grace="")
        self.begin_workers(where)
        inis = [self.lasting(name=name, samples=3, steps=20, pause=BUSY_PAUSE)
                for name in ("one-x", "two-x")]
        clients = [
            self.start("run", ini, "--head", where, "--certs", self.certs, cwd=self.directory)
            for ini in inis
        ]
        self.wait_until(lambda: len(self.trained()) >= 12, head, "some steps")
        self.kill(head)
        for name in WORKERS:
            self.wait_until(lambda: self.says(name + ".log", "looking for it for up to 10m00s"),
                            what="a word of " + name)

        head, _ = self.standing(grace="")
        for client in clients:
            self.assertIn("it is looked for, up to 10m00s", self.finish(client).err)

        text = self.head_log.read_text()
        self.assertIn("goes on with experiment one-x", text)
        for name in ("one-x", "two-x"):
            rows = self.rows("SELECT * FROM attempts", name)
            self.assertEqual([row["end_class"] for row in rows], ["finished"] * 3)
            self.run_node("fsck", "results/" + name, "--verify")
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.put_away()

    def test_what_somebody_else_goes_on_with_is_left_to_them(self):
        head, where = self.standing()
        self.begin_workers(where, names=WORKERS[:1])
        # The head takes no trials, and `resume` does.
        ini = self.lasting(samples=1, steps=40)
        ini.write_text(ini.read_text().replace("local = false\n", ""))
        self.run_node("run", ini, "--head", where, "--certs", self.certs, "--detach")
        self.wait_until(lambda: len(self.trained()) >= 3, head, "some steps")
        self.kill(head)
        self.put_away()
        resumed = self.start("resume", "results/x")
        opened = "SELECT 1 FROM events WHERE kind = 'opened'"
        self.wait_until(lambda: len(self.rows_if_any(opened)) == 2, resumed, "its head")

        head, _ = self.standing()
        self.finish(resumed)

        self.assertIn("is left to the process that goes on with it now", self.head_log.read_text())
        ends = {row["end_class"] for row in self.rows("SELECT * FROM attempts")}
        self.assertNotIn("user_error", ends)
        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "done")
        for _ in range(2):
            self.kill(head)
            head, _ = self.standing()
            self.assertNotIn("cannot go on by itself", self.head_log.read_text())
        head.send_signal(signal.SIGTERM)
        self.finish(head)

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

    # -- A head that is away for longer.

    def train_without_head(self, scheduler, more="", pause=0.05, further=60):
        """Kills the head and waits until all trials have trained on without it. Returns the number
        of steps that the first head heard of."""
        ini = self.lasting(scheduler, samples=3, steps=400, pause=pause,
                           more="head_grace = 60s\n" + more)
        head, where = self.begin_head("run", ini, what="workers may join")
        self.begin_workers(where)
        self.wait_until(lambda: len(self.trained()) >= 9, head, "some steps")
        self.kill(head)
        heard = len(self.rows("SELECT * FROM results"))
        self.wait_until(lambda: len(self.trained()) >= heard + further,
                        what="steps without a head")
        return heard

    def test_trials_train_on_without_their_head(self):
        heard = self.train_without_head("fifo")

        head, _ = self.begin_head("resume", "results/x", what="workers may join")
        self.finish(head)

        self.assertGreater(len(self.rows("SELECT * FROM results")), heard + 60)
        self.assertEqual(len(self.rows("SELECT * FROM attempts")), 3)
        self.check()
        self.put_away()

    def test_what_a_stopped_trial_trained_beyond_counts_for_nothing(self):
        stop = "\n[stop]\ntraining_iteration = 25"
        # Slowly, so that the first head is gone before it stops them.
        self.train_without_head("stopping", stop, BUSY_PAUSE, 90)

        head, _ = self.begin_head("resume", "results/x", what="workers may join")
        self.finish(head)

        rows = self.rows("SELECT trial, training_iteration AS n FROM results ORDER BY seq")
        heard = {trial: [x["n"] for x in rows if x["trial"] == trial] for trial in range(3)}
        for trial, numbers in heard.items():
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)), trial)
            self.assertLessEqual(len(numbers), 25)
        self.assertEqual(max(len(x) for x in heard.values()), 25)
        self.assertIn("for nothing", self.head_log.read_text())
        ends = self.rows("SELECT end_class FROM attempts")
        self.assertEqual([x["end_class"] for x in ends], ["stopped"] * 3)
        self.run_node("fsck", "results/x", "--verify")
        self.put_away()

    def test_large_reports_that_wait_are_bounded(self):
        # Far more of these fit than the eight that a head may have heard without a word of that.
        note = 100_000
        ini = self.lasting(samples=2, steps=100, pause=0.3, more="head_grace = 60s", note=note)
        head, where = self.begin_head("run", ini, what="workers may join")
        self.begin_workers(where, names=WORKERS[:2])
        of = lambda: Counter(trial for trial, _, _ in self.trained())
        self.wait_until(lambda: min(of()[0], of()[1]) >= 3, head, "steps of both")
        self.kill(head)
        heard = len(self.rows("SELECT * FROM results"))
        before = of()
        self.wait_until(lambda: all(of()[x] >= before[x] + 2 for x in (0, 1)),
                        what="steps without a head")
        seen, since = 0, time.monotonic()
        while time.monotonic() < since + 4:
            time.sleep(0.1)
            if (now := len(self.trained())) != seen:
                seen, since = now, time.monotonic()
        # 4 MiB of each trial, with the report that it waits with; a text may take more memory than
        # it is long.
        self.assertLessEqual(seen - heard, 2 * (2 + (4 << 20) // note))
        self.assertLess(seen, 200)

        head, _ = self.begin_head("resume", "results/x", what="workers may join")
        self.finish(head)

        self.check()
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
