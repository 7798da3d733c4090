# SPDX-License-Identifier: BSD-3-Clause
"""Directories that cannot be used, and resources that cannot be had."""
import json
import os
import signal
import subprocess
import unittest
from pathlib import Path

from e2e import Case, main


class Directories(Case):
    def test_an_existing_experiment_is_left_alone(self):
        ini = self.experiment("tune report 1")
        self.run_node("run", ini)
        before = self.rows("SELECT * FROM trials")

        ran = self.run_node("run", ini, code=8)

        self.assertIn("results/x holds an experiment already", ran.err)
        self.assertEqual(self.rows("SELECT * FROM trials"), before)

    def test_storage_below_a_file_is_told_in_one_line(self):
        (self.directory / "results").write_text("a file")
        ini = self.experiment("tune report 1")

        ran = self.run_node("run", ini, code=7)

        self.assertEqual(len(ran.err.splitlines()), 1, ran)
        self.assertIn(str(self.directory / "results"), ran.err)

    def test_storage_where_nothing_can_be_made_is_told(self):
        ini = self.experiment("tune report 1")

        ran = self.run_node("run", ini, "--experiment.storage", "/proc/x", code=7)

        self.assertIn("/proc/x", ran.err)

    def test_a_result_that_cannot_be_written_is_told(self):
        ini = self.experiment("tune report 1")
        with open("/dev/full", "w") as full:
            ran = self.finish(self.start("run", ini, "-o", "json", stdout=full), 7)

        self.assertIn("the result could not be written to stdout", ran.err)

    def test_a_path_too_long_for_the_database_is_told_before_anything_is_made(self):
        ini = self.experiment("tune report 1")
        storage = "/".join(["a" * 100] * 6)

        ran = self.run_node("run", ini, "--experiment.storage", storage, code=7)

        self.assertIn("choose a shorter [experiment] storage or name", ran.err)
        self.assertEqual(len(ran.err.splitlines()), 1)
        self.assertFalse((self.directory / ("a" * 100)).exists())

    @unittest.skipIf(os.geteuid() != 0, "only root can mount")
    def test_a_full_disk_ends_the_run_with_exit_7(self):
        disk = self.directory / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tune-e2e", disk], capture_output=True
        )
        if mounted.returncode != 0:
            self.skipTest("no mounting here")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        ini = self.experiment("tune reports 100000000", "x = uniform(0, 1)", samples=2)

        ran = self.run_node("run", ini, "--experiment.storage", disk, code=7)

        self.assertIn("full", ran.err.lower())
        self.assert_no_trial_processes()
        self.assertTrue(Path(disk, "x", "experiment.db").exists())


class Finished(Case):
    """`--resume` on a finished experiment."""

    def test_d1_1_is_shown_as_it_was(self):
        ini = self.experiment("tune report 1", "x = uniform(0, 1)", samples=2)
        first = self.run_node("run", ini, "-o", "json").json()

        again = self.run_node("run", ini, "--resume", "-o", "json").json()

        self.assertEqual(again["best"], first["best"])
        self.assertEqual(again["counts"], first["counts"])

    def test_shows_the_checkpoint_of_the_best_by_its_full_path(self):
        ini = self.experiment(
            "tune reports 4", "x = uniform(0, 1)", samples=2, more="[checkpoint]\nfrequency = 2"
        )
        first = self.run_node("run", ini, "-o", "json").json()

        again = self.run_node("run", ini, "--resume", "-o", "json").json()

        self.assertTrue(os.path.isabs(first["best"]["checkpoint"]), first)
        self.assertTrue(os.path.isdir(first["best"]["checkpoint"]), first)
        self.assertEqual(again["best"], first["best"])

    def test_refuses_another_configuration_with_the_difference(self):
        ini = self.experiment("tune report 1", "x = uniform(0, 1)")
        self.run_node("run", ini)

        for key, value, says in (
            ("experiment.mode", "max", 'experiment.mode was "min", is "max"'),
            ("experiment.seed", "3", 'experiment.seed was "0", is "3"'),
            ("space.x", "uniform(0, 2)", 'space.x was "uniform(0, 1)"'),
        ):
            with self.subTest(key):
                ran = self.run_node("run", ini, "--resume", "--" + key, value, code=8)

                self.assertIn(says, ran.err)
                self.assertEqual(ran.out, "")

    def test_goes_on_with_more_samples(self):
        ini = self.experiment("tune report 1", "x = uniform(0, 1)", samples=2)
        self.run_node("run", ini)
        configs = "SELECT config FROM trials ORDER BY trial"
        before = self.rows(configs)

        told = self.run_node(
            "run", ini, "--resume", "--experiment.num_samples", "5", "-o", "json"
        ).json()
        self.run_node("run", ini, "--experiment.num_samples", "5", "--experiment.name", "y")

        self.assertEqual(told["status"], "done")
        self.assertEqual(told["counts"]["TERMINATED"], 5)
        self.assertEqual(self.rows(configs)[:2], before)
        self.assertEqual(self.rows(configs), self.rows(configs, "y"))


    def test_resuming_sweeps_checkpoints_that_nobody_registered(self):
        ini = self.experiment("tune reports 4", more="[checkpoint]\nfrequency = 4")
        kept = self.run_node("run", ini, "-o", "json").json()["best"]["checkpoint"]
        strays = [
            Path(kept).with_name(name) for name in ("checkpoint_000008", "checkpoint_000009.tmp")
        ]
        for stray in strays:
            stray.mkdir()

        self.run_node("run", ini, "--resume", "--experiment.num_samples", "2")

        self.assertTrue(os.path.isdir(kept))
        self.assertEqual([stray for stray in strays if stray.exists()], [])


class Checkpoints(Case):
    def test_as_many_are_kept_as_the_file_says(self):
        ini = self.ini(
            "[experiment]\nmetric = validation_loss\nmode = min\nnum_samples = 3\nseed = 1\n"
            "[trainable]\nname = digits_mlp\n"
            "[space]\nlr = loguniform(0.001, 0.1)\n"
            "[stop]\ntraining_iteration = 6\n"
            "[checkpoint]\nfrequency = 1\nkeep = 2\nscore_attribute = validation_loss\n"
        )

        told = self.run_node("run", ini, "-o", "json").json()

        self.assertEqual(told["counts"]["TERMINATED"], 3)
        root = self.directory / "results" / "x"
        there = {str(path.relative_to(root)) for path in root.glob("trials/*/*/checkpoint_*")}
        rows = self.rows("SELECT trial, training_iteration, location, state FROM checkpoints")
        self.assertEqual({row["location"] for row in rows if row["state"] == "good"}, there)
        self.assertEqual(len(rows), 18)  # a trial that ends where a checkpoint is due has that one,
                                         # too
        self.assertLessEqual({row["state"] for row in rows}, {"good", "doomed", "gone"})
        losses = {
            (row["trial"], row["training_iteration"]): json.loads(row["metrics"])["validation_loss"]
            for row in self.rows("SELECT trial, training_iteration, metrics FROM results")
        }
        for trial in range(3):
            kept = {
                row["training_iteration"] for row in rows
                if row["trial"] == trial and row["state"] == "good"
            }
            ranked = sorted(range(1, 7), key=lambda i: (losses[trial, i], -i))
            # The checkpoint of the best trial's best report is one of these.
            self.assertEqual(kept, set(ranked[:2]), trial)


    def test_those_that_a_program_hands_over_are_ranked_by_their_report(self):
        trial = self.directory / "trial.sh"
        trial.write_text(
            "#!/bin/sh\necho '{\"tune\":1}' >&$TUNE_TRIAL_REPORT_FD\n"
            "for loss in 3 1 2; do\n  mkdir c$loss\n"
            '  echo "{\\"metrics\\":{\\"loss\\":$loss},\\"checkpoint\\":\\"c$loss\\"}"'
            " >&$TUNE_TRIAL_REPORT_FD\n"
            '  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"\ndone\n'
        )
        trial.chmod(0o755)
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            "[trainable]\ncommand = ./trial.sh\n[space]\nx = 1\n"
            "[checkpoint]\nkeep = 1\nscore_attribute = loss\n"
        )

        self.run_node("run", ini)

        rows = self.rows("SELECT training_iteration, state FROM checkpoints ORDER BY seq")
        # The newest checkpoint is no longer needed once the trial has ended.
        self.assertEqual([row["state"] == "good" for row in rows], [False, True, False])

class Resources(Case):
    def test_a8_11_an_impossible_request_names_itself_and_the_cluster(self):
        ini = self.experiment("tune report 1")

        ran = self.run_node(
            "run", ini, "--cluster.cpus", "2", "--resources.cpu", "64", code=3
        )

        self.assertIn("command line --resources.cpu: [resources] cpu = 64", ran.err)
        self.assertEqual(len(ran.err.splitlines()), 1)
        self.assertIn("2 CPU", ran.err)
        self.assertEqual(ran.out, "")
        self.assertFalse((self.directory / "results").exists())

    def test_an_impossible_request_of_the_file_names_its_line(self):
        ini = self.experiment("tune report 1", more="gpus = 0\n[resources]\ngpu = 1")
        line = ini.read_text().splitlines().index("gpu = 1") + 1

        for words in ([], ["--dry-run"]):
            with self.subTest(words):
                ran = self.run_node("run", ini, *words, code=3)

                self.assertIn("x.ini:%d: [resources] gpu = 1: no node can hold" % line, ran.err)
                self.assertEqual(len(ran.err.splitlines()), 1)
                self.assertFalse((self.directory / "results").exists())

    def test_a_finished_experiment_is_shown_also_where_it_could_not_run(self):
        ini = self.experiment("tune report 1")
        self.run_node("run", ini)

        self.run_node("run", ini, "--resume", "--cluster.cpus", "0")

    def test_where_nobody_can_join_nothing_waits(self):
        ini = self.experiment("tune report 1", more="queue_trials = true")

        ran = self.run_node("run", ini, "--cluster.cpus", "2", "--resources.cpu", "64", code=3)

        self.assertIn("queue_trials = true waits for workers, but none can join without [cluster] "
                      "listen (--listen HOST:PORT)", ran.err)
        self.assertFalse((self.directory / "results").exists())

    def test_with_queue_trials_it_waits(self):
        ini = self.experiment("tune report 1", more="queue_trials = true", samples=3)
        child = self.start(
            "run", ini, "--cluster.cpus", "2", "--resources.cpu", "64", "-o", "json",
            "--listen", "127.0.0.1:0", "--insecure-plaintext"
        )
        self.wait_until(
            lambda: self.rows_if_any("SELECT 1 FROM events WHERE kind = 'chosen'"), child
        )

        child.send_signal(signal.SIGINT)

        told = self.finish(child, 130).json()
        self.assertEqual(told["counts"]["ERRORED"], 0)
        self.assertGreater(told["counts"]["PENDING"], 0)

    def test_two_halves_share_a_gpu(self):
        ini = self.experiment(
            "show_gpu tune slot 2 touch {trial_dir}/here wait_for {trial_dir}/../../go report 1",
            "x = uniform(0, 1)", samples=6,
        )
        child = self.start(
            "run", ini, "--cluster.cpus", "8", "--cluster.gpus", "1", "--resources.gpu", "0.5"
        )
        self.wait_until(
            lambda: len(list(self.directory.glob("results/x/trials/*/here"))) >= 2, child
        )
        self.wait_until(
            lambda: self.rows_if_any("SELECT 1 FROM events WHERE kind = 'started'")[1:], child
        )
        running = self.rows("SELECT 1 FROM trials WHERE status = 'RUNNING'")
        self.assertEqual(len(running), 2)

        (self.directory / "results" / "x" / "go").touch()

        self.finish(child)
        self.assertEqual(len(self.rows("SELECT 1 FROM trials WHERE status = 'TERMINATED'")), 6)
        shown = [self.trial_file(i, "stdout").read_text().strip() for i in range(6)]
        self.assertEqual(set(shown), {"gpu 0"})

    def test_without_gpus_trials_see_none(self):
        ini = self.experiment("show_gpu tune report 1")

        self.run_node("run", ini, "--cluster.gpus", "1")

        self.assertEqual(self.trial_file(0, "stdout").read_text().strip(), "gpu")

    def test_at_most_as_many_as_max_concurrent_trials_run(self):
        ini = self.experiment("tune slot 2 reports 3", "x = uniform(0, 1)", samples=8)

        self.run_node(
            "run", ini, "--cluster.cpus", "8", "--experiment.max_concurrent_trials", "2"
        )

        trials = self.rows("SELECT 1 FROM trials WHERE status = 'TERMINATED'")
        self.assertEqual(len(trials), 8)


if __name__ == "__main__":
    main()
