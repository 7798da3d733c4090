# SPDX-License-Identifier: BSD-3-Clause
"""Whole runs for lines of docs/ray-behaviours.md; other tests of such lines stand beside what they
test."""
import json
import os
import shutil
import signal
import sys

from controlled import ControlCase
from e2e import FAULTY_NODE, ROOT, Case, main

# A trial that tidies up after it was told to stop, which takes as long as its gate is shut.
TIDY = """import os, sys, time
sys.path.insert(0, %r)
import tune_node
trial = tune_node.Trial()
while trial.report(loss=1):
    pass
open("tidying", "w").close()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
open("tidy", "w").close()
""" % str(ROOT / "python")


class Records(Case):
    """A5: the contents of the record."""

    def test_a5_4_a_trial_without_a_checkpoint_keeps_its_last_result(self):
        gate = self.directory / "gate"
        ini = self.experiment("print loss=0.5 wait_for %s print loss=0.25" % gate, report="line")
        child = self.start("run", ini)
        self.wait_until(lambda: self.rows_if_any("SELECT 1 FROM results"), child)
        child.send_signal(signal.SIGINT)
        self.finish(child, 130)

        before = self.run_node("trials", "results/x", "-o", "json").json()
        gate.touch()
        self.run_node("resume", "results/x")

        self.assertEqual(before[0]["status"], "PENDING")
        self.assertEqual(before[0]["iterations"], 1)
        self.assertEqual(before[0]["objectives"], {"loss": 0.5})
        after = self.run_node("trials", "results/x", "-o", "json").json()
        self.assertEqual(after[0]["status"], "TERMINATED")
        self.assertEqual(after[0]["objectives"], {"loss": 0.25})

    def test_a5_7_all_runs_of_an_experiment_share_one_database(self):
        ini = self.experiment("tune report 1", "x = uniform(0, 1)", samples=2)
        self.run_node("run", ini)
        self.run_node("run", ini, "--resume", "--experiment.num_samples", "3")

        found = [path.name for path in (self.directory / "results/x").glob("*.db*")]
        self.assertEqual(found, ["experiment.db"])
        heads = self.rows("SELECT body FROM events WHERE kind = 'opened' ORDER BY seq")
        self.assertEqual([json.loads(row["body"])["epoch"] for row in heads], [1, 2])
        numbers = [row["seq"] for row in self.rows("SELECT seq FROM events ORDER BY seq")]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))


class Reused(ControlCase):
    def test_a7_3_a_trial_takes_over_the_process_of_one_that_was_stopped_from_outside(self):
        gate = self.directory / "gate"
        ini = self.cpp_experiment(
            "counts",
            'gate = "%s"\nx = grid(0, 1)' % gate,
            more="[trainable]\nreuse_actors = true\n[cluster]\ncpus = 1",
        )
        child = self.start("run", ini, "-o", "json", program=FAULTY_NODE)
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT 1 FROM results")) == 2, child, "two reports"
        )

        self.control("stop", "0")
        gate.touch()

        told = self.finish(child).json()
        self.assertEqual(told["counts"]["TERMINATED"], 2)
        attempts = self.rows("SELECT pid, end_class FROM attempts ORDER BY trial")
        self.assertEqual([row["end_class"] for row in attempts], ["stopped", "stopped"])
        self.assertEqual(attempts[0]["pid"], attempts[1]["pid"])
        self.assertEqual(self.iterations(0), [1, 2, 3])
        self.assertEqual(self.iterations(1), [1, 2, 3, 4, 5])


class Ends(ControlCase):
    """A8.10"""

    def tidying(self, gate, more=""):
        (self.directory / "tidy.py").write_text(TIDY)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\n"
            "[trainable]\ncommand = %s ./tidy.py %s\n[space]\nx = 1\n"
            "[stop]\ntraining_iteration = 1\n[cluster]\nmemory = 4GiB\n%s\n"
            % (sys.executable, gate, more)
        )

    def test_a8_10_a_trial_has_time_to_tidy_up(self):
        gate = self.directory / "gate"
        child = self.start("run", self.tidying(gate, "stop_grace = 1h"), "-o", "json")
        self.wait_until(self.trial_file(0, "tidying").exists, child)
        gate.touch()

        told = self.finish(child).json()

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        self.assertTrue(self.trial_file(0, "tidy").exists())

    def test_a8_10_a_trial_that_works_on_after_its_loop_is_not_disturbed(self):
        words = {"stop": "trial.report(loss=1)", "done": "trial.report(loss=1, done=True)"}
        (self.directory / "slow.py").write_text(
            TIDY.partition("while")[0]
            + "{'stop': lambda: trial.report(loss=1),"
            " 'done': lambda: trial.report(loss=1, done=True)}[trial.params['how']]()\n"
            # Longer than the second that it once had.
            "time.sleep(2)\n"
            "open('model', 'w').write('whole')\n"
        )
        ini = self.ini(
            "[experiment]\nmetric = loss\n[trainable]\ncommand = %s ./slow.py\n"
            "[space]\nhow = grid(%s)\n[stop]\ntraining_iteration = 1\n"
            % (sys.executable, ", ".join(words))
        )

        ran = self.run_node("run", ini, "-o", "json")

        self.assertEqual(ran.json()["counts"]["TERMINATED"], 2)
        for trial in (0, 1):
            self.assertEqual(self.trial_file(trial, "model").read_text(), "whole")
        self.assertNotIn("stop_grace", ran.err)

    def test_a8_10_but_not_more_than_it_is_given(self):
        ini = self.tidying(
            self.directory / "gate", "cpus = 2\nstop_grace = 2s\nkill_grace = 100ms\n[experiment]\n"
            "num_samples = 2"
        )

        ran = self.run_node("run", ini, "-o", "json")
        told = ran.json()

        self.assertEqual(told["counts"]["TERMINATED"], 2)
        self.assertEqual(ran.err.count("[cluster] stop_grace gives it more time"), 1, ran)
        why = self.run_node("trials", "results/x", "--why", "0").out
        self.assertIn("did not end within [cluster] stop_grace", why)
        self.assertTrue(self.trial_file(0, "tidying").exists())
        self.assertFalse(self.trial_file(0, "tidy").exists())
        self.assert_no_trial_processes()

    def test_a8_10_a_trial_without_a_result_is_known_by_its_process(self):
        ini = self.experiment("tune hang", more="stop_grace = 100ms\nkill_grace = 100ms")
        child = self.begin(ini, "--cluster.cpus", "1", running=1)
        self.wait_until(lambda: self.rows("SELECT 1 FROM events WHERE kind = 'started'"), child)

        self.control("stop", "0")
        told = self.finish(child, None).json()

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        attempt = self.rows("SELECT trial, pid, node FROM attempts")[0]
        self.assertEqual(attempt["trial"], 0)
        self.assertGreater(attempt["pid"], 1)
        self.assertTrue(attempt["node"])
        self.assertEqual(self.rows("SELECT 1 FROM results"), [])


class Killed(ControlCase):
    """A9.8 and D1: the state in which a killed head leaves the experiment to the next."""

    more = "[checkpoint]\nfrequency = 1"

    def killed_at(self, step, samples=1, steps=5):
        """Kills the head once the checkpoint of a step of trial 0 is registered."""
        child = self.begin(
            self.stepping(samples=samples, slots=1, steps=steps, more=self.more), running=1
        )
        self.let(0, step)
        query = "SELECT * FROM checkpoints WHERE training_iteration = %d" % step
        self.wait_until(lambda: self.rows(query), child)
        child.kill()
        child.wait()
        self.assert_no_trial_processes()
        self.let_all()
        return self.rows("SELECT * FROM checkpoints ORDER BY checkpoint")

    def test_a9_8_all_that_was_reported_is_there_and_goes_on_under_the_same_numbers(self):
        self.killed_at(3, samples=3)
        before = self.run_node("trials", self.where, "-o", "json").json()
        self.assertEqual(before[0]["iterations"], 3)

        told = self.run_node("resume", self.where, "-o", "json").json()

        self.assertEqual(told["counts"]["TERMINATED"], 3)
        after = self.run_node("trials", self.where, "-o", "json").json()
        self.assertEqual([row["trial"] for row in after], ["00000", "00001", "00002"])
        for old, new in zip(before, after):
            self.assertEqual((old["trial"], old["config"]), (new["trial"], new["config"]))
        for trial in range(3):
            self.assertEqual(self.iterations(trial), [1, 2, 3, 4, 5])

    def test_b1_3_and_d1_9_checkpoints_are_found_where_the_directory_went(self):
        self.killed_at(2)
        moved = self.directory / "elsewhere" / "y"
        moved.parent.mkdir()
        os.rename(self.directory / self.where, moved)

        told = self.run_node("resume", moved, "-o", "json").json()

        self.assertEqual(told["directory"], str(moved))
        self.assertTrue(told["best"]["checkpoint"].startswith(str(moved) + "/trials/"))
        self.assertTrue(os.path.isdir(told["best"]["checkpoint"]))
        self.assertIn("from 2", (moved / "trials" / "00000" / "stdout").read_text())
        self.assertFalse((self.directory / self.where).exists())

    def test_d1_5_a_checkpoint_that_is_gone_is_followed_by_the_one_before(self):
        kept = self.killed_at(3)
        shutil.rmtree(self.directory / self.where / kept[-1]["location"])

        told = self.run_node("resume", self.where, "-o", "json").json()

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        ends = self.rows("SELECT end_class FROM attempts ORDER BY started, attempt")
        self.assertEqual([row["end_class"] for row in ends], ["interrupted", "finished"])
        self.assertIn("from 2", self.trial_file(0, "stdout").read_text())
        self.assertEqual(self.iterations(0), [1, 2, 3, 3, 4, 5])

    def test_d1_12_an_experiment_is_resumed_at_its_directory_only(self):
        self.killed_at(1)

        for place in ("results", "results/x/trials", "results/x/trials/00000"):
            ran = self.run_node("resume", self.directory / place, code=3)
            self.assertIn("no experiment here", ran.err)

        self.run_node("resume", self.where)


class Listed(ControlCase):
    def test_a10_2_trials_are_listed_and_shown_one_by_one(self):
        space = 'lr = uniform(0, 1)\nlayers = [64, {"wide": true}]\nname = "a, \\"b\\""'
        child = self.begin(self.stepping(samples=3, space=space), running=2)
        self.let(0, 1)
        self.wait_until(lambda: self.iterations(0) == [1], child)

        listed = self.run_node("trials", self.where, "-o", "json").json()
        one, _ = self.why(0)

        self.assertEqual([row["trial"] for row in listed], ["00000", "00001", "00002"])
        self.assertEqual(
            [row["status"] for row in listed], ["RUNNING", "RUNNING", "PENDING"]
        )
        self.assertEqual(listed[0]["config"]["layers"], [64, {"wide": True}])
        self.assertEqual(listed[0]["config"]["name"], 'a, "b"')
        self.assertEqual(one["trial"], "00000")
        self.assertEqual(one["config"], listed[0]["config"])
        self.run_node("trials", self.where, "--why", "7", code=3)
        self.let_all()
        self.finish(child)


if __name__ == "__main__":
    main()
