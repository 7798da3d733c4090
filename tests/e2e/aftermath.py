# SPDX-License-Identifier: BSD-3-Clause
"""What must be true of an experiment in the end, whichever processes were killed or slept
meanwhile."""
import json
import subprocess

from chain_log import chain
from e2e import DEADLINE, clean_environment

ENDS = ("finished", "stopped")


class Aftermath:
    """Mixed into a `Cluster` that has run trials of chain_trial.sh. The class says what it has
    run: `program`, `scheduler`, the number of `trials`, whether they `pause`, and the `losses`,
    that is, the ways in which an attempt other than its trial's last may end."""

    def check_trials(self):
        trials = self.rows("SELECT * FROM trials")
        self.assertEqual(len(trials), self.trials)
        self.assertEqual({row["status"] for row in trials}, {"TERMINATED"})
        ends = {row["trial"]: row["ended"] for row in trials}
        attempts = self.rows("SELECT * FROM attempts")
        last = {row["trial"]: row for row in sorted(attempts, key=lambda row: row["started"])}
        self.assertEqual(len(last), self.trials)
        for row in attempts:
            if row is last[row["trial"]]:
                # A trial that was told to stop may have been lost with its head; one whose last report
                # the next head judges ends by that; a paused one when its scheduler says so.
                self.assertIn(row["end_class"], ENDS + self.losses, row)
                since = ends[row["trial"]]
                was_lost = row["end_class"] in self.losses and row["ended"] < since
                self.assertTrue(
                    row["ended"] == since or was_lost or self.has_paused(row, since), row)
            else:
                self.assertIn(row["end_class"], self.losses, row)
                self.assertLess(row["ended"], ends[row["trial"]], row)

    def has_paused(self, attempt, ended):
        """Whether the attempt paused before its trial ended."""
        return self.pauses and attempt["ended"] < ended

    def check_results(self):
        twice = self.rows(
            "SELECT trial, attempt, training_iteration, count(*) AS n FROM results"
            " GROUP BY attempt, training_iteration HAVING n > 1"
        )
        self.assertEqual(twice, [])
        # A trial that took over another's state also has that state's start in its configuration.
        query = "SELECT r.*, a.config FROM results r JOIN attempts a USING (trial, attempt)"
        for row in self.rows(query):
            metrics = json.loads(row["metrics"])
            place = row["training_iteration"]
            self.assertEqual(metrics["place"], place)
            self.assertEqual(metrics["loss"], chain(json.loads(row["config"])["x"], place))

    def check_checkpoints(self):
        """Every directory of a checkpoint has a row, and none is incomplete."""
        known = {
            row["location"]
            for row in self.rows("SELECT location FROM checkpoints WHERE state = 'good'")
        }
        root = self.directory / "results" / "x"
        there = {str(x.relative_to(root)) for x in root.rglob("checkpoint_*")}
        self.assertEqual(known, there)

    def check_record(self, *words):
        told = subprocess.run(
            [self.program, "fsck", self.directory / "results" / "x", *words],
            capture_output=True, text=True, timeout=DEADLINE, env=clean_environment(), check=False,
        )
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)

    def results_of(self, told):
        """The results that two heads of the same experiment must agree on."""
        best = dict(told["best"], checkpoint=None)
        return told["status"], told["counts"], best

    def check_against_undisturbed(self, told):
        """Under FIFO: configurations, last reports and best result are the same as in an
        undisturbed run."""
        calm = self.run_node(
            "run", self.directory / "x.ini", "-o", "json", "--experiment.name", "calm",
            program=self.program,
        ).json()
        self.assertEqual(self.results_of(told), self.results_of(calm))
        query = "SELECT trial, config, iterations, metrics, best_iteration, best_metrics FROM trials"
        self.assertEqual(self.rows(query), self.rows(query, "calm"))

    def check(self, told):
        self.check_trials()
        self.check_results()
        self.check_checkpoints()
        self.check_record()
        self.check_record("--verify")
        # What the last head had in memory must agree with what the record gives.
        again = self.run_node(
            "run", self.directory / "x.ini", "--resume", "-o", "json", program=self.program
        ).json()
        self.assertEqual(self.results_of(told), self.results_of(again))
        if self.scheduler == "fifo":
            self.check_against_undisturbed(told)
