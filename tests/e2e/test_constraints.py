# SPDX-License-Identifier: BSD-3-Clause
"""Constraints: every "best" means the same, and violates no limit without need."""
import sys
from pathlib import Path

from e2e import Case, main

HERE = Path(__file__).resolve().parent


class Constraints(Case):
    def limited(self, constraints, metric="loss:min", more="", name="x.ini"):
        line = "constraints = %s\n" % constraints if constraints else ""
        return self.ini(
            "[experiment]\nmetric = %s\nnum_samples = 1\n%s"
            "[trainable]\ncommand = %s %s {x}\n[space]\nx = grid(0, 1, 2)\n"
            "[checkpoint]\nfrequency = 1\n%s"
            % (metric, line, sys.executable, HERE / "limited_trial.py", more),
            name,
        )

    def results(self):
        return self.directory / "results" / "x"

    def test_all_that_is_called_best_keeps_them(self):
        best = self.run_node("run", self.limited("latency <= 20"), "-o", "json").json()["best"]

        # Trial 0 has the least loss, and the second report of trial 1 is better than its first.
        self.assertEqual(best["trial"], "00001")
        self.assertEqual(best["metrics"], {"loss": 1.0, "latency": 20.0, "deep": {"loss": -1.0}})
        self.assertEqual(best["iteration"], 1)
        self.assertEqual(best["checkpoint_iteration"], 1)
        self.assertEqual(best["violation"], 0)
        for words in (["resume", self.results()], ["status", self.results()]):
            self.assertEqual(self.run_node(*words, "-o", "json").json()["best"], best, words)
        rows = self.run_node("trials", self.results(), "--sort", "objective", "-o", "json").json()
        self.assertEqual([(x["trial"], x["violation"]) for x in rows],
                         [("00001", 0), ("00002", 0), ("00000", 10)])
        self.run_node("run", self.limited("latency <= 20"), "--experiment.name", "none",
                      "--trainable.command", "false", code=5)
        silent = self.run_node("trials", "results/none", "-o", "json").json()
        self.assertEqual([x["violation"] for x in silent], [None] * len(silent))
        by_value = self.run_node("trials", self.results(), "--sort", "loss:asc", "-o", "json")
        self.assertEqual([x["trial"] for x in by_value.json()], ["00000", "00001", "00002"])
        story = self.run_node("trials", self.results(), "--why", "1", "-o", "json").json()
        self.assertEqual(story["best_checkpoint"]["iteration"], 1)
        self.assertEqual(
            self.run_node("list", "experiments", "results", "-o", "json").json()[0]["best"], 1
        )
        again = self.run_node("rerun", self.results(), "-o", "json").json()
        self.assertEqual(again["trial"], "00001")
        text = self.run_node("status", self.results()).out
        self.assertNotIn("no trial keeps", text)

    def test_where_no_trial_keeps_them_the_least_violation_is_best_and_said(self):
        ran = self.run_node("run", self.limited("latency <= 5, loss > 9"))

        self.assertIn("best: trial 00002 at iteration 1", ran.out)
        self.assertIn("no trial keeps all constraints; it misses the least: latency <= 5 by 5, "
                      "loss > 9 by 7", ran.out)
        status = self.run_node("status", self.results(), "-o", "json").json()
        self.assertEqual(status["best"]["violation"], 12)

    def test_the_front_is_made_of_trials_that_keep_them(self):
        ini = self.limited("latency <= 20", metric="loss:min, latency:min")

        ran = self.run_node("run", ini, "-o", "json").json()

        self.assertEqual(ran["pareto"], ["00001", "00002"])
        waited = self.run_node("wait", self.results(), "-o", "json").json()
        self.assertEqual(waited["pareto"], ["00001", "00002"])
        rows = self.run_node("trials", self.results(), "--pareto", "-o", "json").json()
        self.assertEqual([x["trial"] for x in rows], ["00001", "00002"])

    def test_the_points_of_another_experiment_are_its_best(self):
        self.run_node("run", self.limited("latency <= 20"))
        more = "[search]\npoints_from = results/x\npoints_from_best = 1\n"
        ini = self.limited("", more=more, name="y.ini")
        ini.write_text(ini.read_text().replace("grid(0, 1, 2)", "uniform(0, 2)"))

        self.run_node("run", ini)

        self.assertEqual([row["x"] for row in self.rows(
            "SELECT json_extract(config, '$.x') AS x FROM trials", "y")], [1.0])

    def test_a_metric_that_is_never_reported_is_warned_of(self):
        ran = self.run_node("run", self.limited("latancy <= 20"))

        self.assertIn("[experiment] constraints: the first report has no metric \"latancy\"", ran.err)
        self.assertIn("did you mean \"latency\"?", ran.err)

    def test_a_fault_names_file_key_value_and_what_is_allowed(self):
        ran = self.run_node("run", self.limited("latency == 20"), code=3)

        self.assertIn("x.ini:4", ran.err)
        self.assertIn("constraints = latency == 20", ran.err)
        self.assertIn("a constraint is one of <=, <, >= and >", ran.err)

    def test_a_best_by_a_nested_metric_is_found_again(self):
        best = self.run_node("run", self.limited("", "deep/loss:min"), "-o", "json").json()["best"]

        self.assertEqual(best["trial"], "00002")
        status = self.run_node("status", self.results(), "-o", "json").json()["best"]
        self.assertEqual(status["trial"], "00002")


if __name__ == "__main__":
    main()
