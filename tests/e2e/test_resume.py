# SPDX-License-Identifier: BSD-3-Clause
"""Resuming an experiment: `run FILE --resume[=MODE]` and `resume DIR`. A… and D… in names refer to
lines of docs/ray-behaviours.md."""
import os
import signal
import unittest

from controlled import ControlCase
from e2e import main


class Resume(ControlCase):
    """Trial 0 ended well, 1 failed with a checkpoint, 2 was interrupted, 3 never ran."""

    more = "[checkpoint]\nfrequency = 1\n[failure]\nmax_consecutive_failures = 0"

    def cut_short(self):
        ini = self.stepping(samples=4, slots=1, steps=2, more=self.more)
        child = self.begin(ini, running=1)
        self.let(0, 2)
        self.wait_for_status(child, 0, "TERMINATED")
        self.let(1, 1)
        self.wait_until(lambda: self.rows("SELECT * FROM checkpoints WHERE trial = 1"), child)
        (self.gates / "broken1").touch()
        self.wait_for_status(child, 2, "RUNNING")
        child.kill()
        child.wait()
        self.assert_no_trial_processes()
        self.assertEqual(
            self.statuses(), {0: "TERMINATED", 1: "ERRORED", 2: "RUNNING", 3: "PENDING"}
        )
        (self.gates / "broken1").unlink()
        self.let_all()
        return ini

    def test_a5_1_and_a5_3_and_d1_3_auto_leaves_errored_trials_and_finishes_the_rest(self):
        ini = self.cut_short()

        told = self.run_node("run", ini, "--resume=auto", "-o", "json").json()

        self.assertEqual(
            self.statuses(), {0: "TERMINATED", 1: "ERRORED", 2: "TERMINATED", 3: "TERMINATED"}
        )
        self.assertEqual(told["status"], "done")
        self.assertEqual(self.iterations(0), [1, 2])

    def test_a5_2_and_d1_3_errored_only_runs_nothing_else_and_from_the_checkpoint(self):
        ini = self.cut_short()

        told = self.run_node("run", ini, "--resume=errored_only", "-o", "json").json()

        self.assertEqual(told["status"], "left_off")
        self.assertEqual(
            self.statuses(), {0: "TERMINATED", 1: "TERMINATED", 2: "PENDING", 3: "PENDING"}
        )
        self.assertEqual(self.iterations(1), [1, 2])
        # The remaining trials can still be resumed.
        rest = self.run_node("resume", self.where, "-o", "json").json()
        self.assertEqual(rest["status"], "done")
        self.assertEqual(rest["counts"]["TERMINATED"], 4)

    def test_d1_2_restart_errored_begins_them_anew_and_finishes_the_rest(self):
        self.cut_short()

        told = self.run_node("resume", self.where, "--mode", "restart_errored", "-o", "json").json()

        self.assertEqual(told["status"], "done")
        self.assertEqual(told["counts"]["TERMINATED"], 4)
        self.assertEqual(self.iterations(1), [1, 1, 2])
        lineages = self.rows(
            "SELECT lineage FROM attempts WHERE trial = 1 ORDER BY started"
        )
        self.assertEqual([row["lineage"] for row in lineages], [1, 2])

    def test_a_finished_experiment_with_failures_is_gone_on_with_where_that_is_wanted(self):
        (self.gates / "broken").touch()
        ini = self.stepping(samples=2, steps=1, more=self.more)
        self.run_node("run", ini, code=5)
        (self.gates / "broken").unlink()
        self.let_all()

        kept = self.run_node("run", ini, "--resume", "-o", "json", code=5).json()
        self.assertEqual(kept["counts"]["ERRORED"], 2)
        mended = self.run_node("run", ini, "--resume=errored_only", "-o", "json").json()

        self.assertEqual(mended["status"], "done")
        self.assertEqual(mended["counts"]["TERMINATED"], 2)

    def test_a_finished_experiment_ends_with_the_exit_code_that_it_had(self):
        script = self.ini(
            'case $1 in text) echo "loss=none";; fails) echo "loss=1"; exit 3;; *) echo "loss=$1";; esac\n',
            "trial.sh",
        )
        for values, code, strict in (
            ("fails", 5, 5), ("text", 5, 5), ("nan", 0, 0), ("fails, 2", 0, 4), ("1, 2", 0, 0),
        ):
            with self.subTest(values):
                ini = self.ini(
                    "[experiment]\nmetric = loss\nmode = min\n"
                    "[trainable]\ncommand = sh %s {x}\nmetric.loss = loss=(.*)\n"
                    "[space]\nx = grid(%s)\n" % (script, values),
                    "%s.ini" % values.replace(", ", ""),
                )
                where = self.directory / "results" / ini.stem
                self.run_node("run", ini, code=code)
                for again in (("run", ini, "--resume"), ("resume", where)):
                    self.run_node(*again, code=code)
                    self.run_node(*again, "--strict", code=strict)

    def test_other_limits_hold_from_now_on_and_not_for_what_was_decided(self):
        self.cut_short()

        told = self.run_node(
            "resume", self.where, "-o", "json",
            "--failure.max_failures", "3", "--stop.training_iteration", "1",
        ).json()

        self.assertEqual(
            self.statuses(), {0: "TERMINATED", 1: "ERRORED", 2: "TERMINATED", 3: "TERMINATED"}
        )
        self.assertEqual(told["status"], "done")
        self.assertEqual(self.iterations(0), [1, 2], "it went on for longer than they may now")
        self.assertEqual(self.iterations(3), [1])
        # Under the first rules again; results under the second rules still count.
        again = self.run_node("resume", self.where, "--experiment.num_samples", "5", "-o", "json")
        self.assertEqual(again.json()["counts"]["ERRORED"], 1)
        self.assertEqual(self.iterations(3), [1])

    def test_an_unknown_mode_is_exit_2(self):
        ran = self.run_node("run", "x.ini", "--resume=errored", code=2)

        self.assertIn("auto, errored_only, restart_errored", ran.err)


class Directory(ControlCase):
    """`resume DIR`: everything needed is in the directory."""

    def interrupted(self, samples=3):
        ini = self.stepping(samples=samples, slots=1, steps=1, more="stop_grace = 500ms")
        child = self.begin(ini, running=1)
        child.send_signal(signal.SIGINT)
        self.finish(child, 130)
        ini.unlink()
        self.let_all()

    def test_needs_no_file(self):
        self.interrupted()

        told = self.run_node("resume", self.where, "-o", "json").json()

        self.assertEqual(told["status"], "done")
        self.assertEqual(told["counts"]["TERMINATED"], 3)

    def test_d1_9_may_have_been_moved_and_renamed(self):
        self.interrupted()
        moved = self.directory / "elsewhere" / "y"
        moved.parent.mkdir()
        os.rename(self.directory / self.where, moved)

        told = self.run_node("resume", moved, "-o", "json").json()

        self.assertEqual(told["status"], "done")
        self.assertEqual(told["directory"], str(moved))
        self.assertTrue((moved / "trials" / "00002" / "result.jsonl").exists())

    def left_off(self, more=""):
        """An experiment of a program that does not know of tune-node, whose trial waits for a
        file; it is interrupted."""
        flag = self.directory / "may go on"
        script = self.directory / "wait.sh"
        script.write_text('#!/bin/sh\nuntil [ -e "%s" ]; do sleep 0.05; done\n' % flag)
        script.chmod(0o755)
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            "[trainable]\ncommand = ./wait.sh\n%s[space]\nx = 1\n[cluster]\nstop_grace = 500ms\n"
            % more
        )
        child = self.start("run", ini)
        self.wait_until(
            lambda: self.rows_if_any("SELECT * FROM attempts WHERE started IS NOT NULL"), child
        )
        child.send_signal(signal.SIGINT)
        first = self.finish(child, 130)
        flag.touch()
        return first

    def test_warns_of_nothing_that_nobody_wrote(self):
        first = self.left_off()

        ran = self.run_node("resume", "results/x", code=None)

        self.assertNotIn("has no meaning", first.err)
        self.assertNotIn("has no meaning", ran.err)
        self.assertNotIn(".ini:", ran.err)

    def test_warns_of_what_was_written_once_when_it_was(self):
        first = self.left_off("report_on = ^done\n")

        again = self.run_node("resume", "results/x", "--experiment.num_samples", 2, code=None)

        self.assertIn("x.ini:7: [trainable] report_on: has no meaning", first.err)
        self.assertNotIn("has no meaning", again.err)

    def test_names_no_line_of_what_is_recorded(self):
        self.left_off()
        (self.directory / "wait.sh").chmod(0o644)

        ran = self.run_node("resume", "results/x", code=3)

        self.assertIn("as recorded: [trainable] command: \"", ran.err)
        self.assertIn("wait.sh\" ", ran.err)

    def test_takes_more_samples(self):
        self.interrupted(samples=1)

        told = self.run_node(
            "resume", self.where, "--experiment.num_samples", "4", "-o", "json"
        ).json()

        self.assertEqual(told["counts"]["TERMINATED"], 4)
        # Answers from the time of fewer samples are right for their time.
        self.run_node("fsck", self.where, "--verify")

    def test_refuses_another_space(self):
        self.interrupted()

        ran = self.run_node("resume", self.where, "--space.lr", "uniform(0, 2)", code=8)

        self.assertIn("space.lr", ran.err)

    def test_of_a_finished_experiment_prints_its_summary(self):
        self.interrupted()
        first = self.run_node("resume", self.where, "-o", "json").json()

        again = self.run_node("resume", self.where, "-o", "json").json()

        self.assertEqual(again["counts"], first["counts"])
        self.assertEqual(again["best"]["trial"], first["best"]["trial"])

    def test_of_a_finished_experiment_says_why_it_ended(self):
        ini = self.experiment("tune report 1", more="[stop]\nall_when = loss <= 1")
        first = self.run_node("run", ini)
        self.assertIn("loss 1 <= 1", first.out)

        self.assertIn("loss 1 <= 1", self.run_node("resume", "results/x").out)

    def test_of_a_finished_experiment_names_keys_that_are_not_heeded(self):
        self.run_node("run", self.experiment("tune report 1"))

        told = self.run_node("resume", "results/x", "--stop.loss", "3",
                             "--experiment.time_limit", "9")

        self.assertIn("experiment.time_limit, stop.loss are not heeded, since nothing runs",
                      told.err)
        self.assertNotIn("not heeded", self.run_node("resume", "results/x").err)

    def test_that_holds_no_experiment_is_exit_3(self):
        ran = self.run_node("resume", self.directory, code=3)

        self.assertIn("no experiment here", ran.err)


if __name__ == "__main__":
    main()
