# SPDX-License-Identifier: BSD-3-Clause
"""Each file of config/ runs, and every command works on it and on its result."""
import csv
import io
import json

from e2e import ROOT, Case, main

FILES = sorted((ROOT / "config").rglob("*.ini"))

# Options that make an experiment small enough for a test.
SMALLER = {
    "asha-promotion": [],
    "auto-mlp-digits": ["--experiment.num_samples", "3", "--stop.training_iteration", "3"],
    "auto-svm-digits": ["--experiment.num_samples", "10", "--space.kernel", "linear"],
    "compare": ["--experiment.num_samples", "20", "--experiment.time_limit", "0"],
    "dehb-digits": ["--experiment.num_samples", "6"],
    "external-digits": ["--experiment.num_samples", "3", "--space.epochs", "2",
                        "--scheduler.max_t", "2"],
    "hb-bohb": [],
    "hyperband-svm": ["--experiment.num_samples", "8", "--scheduler.max_t", "3"],
    "median-stopping": [],
    "mlp-digits": ["--experiment.num_samples", "3", "--stop.training_iteration", "3"],
    "moo-digits": ["--experiment.num_samples", "12", "--stop.training_iteration", "3"],
    "parallel-digits": ["--experiment.num_samples", "1", "--space.epochs", "1"],
    "pb2": [],
    "pbt": [],
    "pbt-digits": ["--experiment.num_samples", "4", "--stop.training_iteration", "11"],
    "pbt-replay": [],
    "pbt-replay-digits": [],
    "python-digits": ["--experiment.num_samples", "2", "--space.epochs", "2"],
    "quadratic": [],
    "repeat-digits": ["--experiment.num_samples", "2", "--search.repeat", "2",
                      "--experiment.confirm", "1", "--experiment.confirm_runs", "2",
                      "--space.epochs", "2"],
    "resource-changing": [],
    # test_object_store runs it with a store.
    "s3-digits": ["--experiment.num_samples", "2", "--stop.training_iteration", "2", "--sinks.s3",
                  "off"],
    "shared-patient": ["--experiment.num_samples", "2", "--space.epochs", "2"],
    "shared-urgent": ["--experiment.num_samples", "2", "--space.epochs", "2"],
    "svm-digits": ["--experiment.num_samples", "1", "--space.kernel", "linear"],
    "table": [],
    "warm-mlp-digits": ["--experiment.num_samples", "4", "--stop.training_iteration", "3"],
}

# Files that learn from the results of another file.
EARLIER = {"warm-mlp-digits": "auto-mlp-digits"}


class ConfigFiles(Case):
    def test_every_file_is_known_here(self):
        self.assertEqual({path.stem for path in FILES}, set(SMALLER))

    def run_what_it_learns_from(self, path):
        earlier = EARLIER.get(path.stem)
        if earlier and not (self.directory / "results" / earlier).exists():
            self.run_node("run", ROOT / "config" / (earlier + ".ini"), *SMALLER[earlier])

    def test_run_gives_the_documented_object_and_exit_0(self):
        for path in FILES:
            with self.subTest(path.name):
                self.run_what_it_learns_from(path)
                ran = self.run_node("run", path, "--output", "json", *SMALLER[path.stem])

                told = ran.json()
                self.assertEqual(
                    list(told),
                    ["experiment", "directory", "status", "counts", "planned", "best",
                     "elapsed_s"]
                    + (["pareto"] if path.stem == "moo-digits" else []),
                )
                self.assertEqual(told["experiment"], path.stem)
                self.assertEqual(told["status"], "done")
                self.assertEqual(
                    list(told["counts"]),
                    ["PENDING", "RUNNING", "PAUSED", "TERMINATED", "ERRORED"],
                )
                self.assertGreater(told["counts"]["TERMINATED"], 0)
                self.assertEqual(told["planned"], told["counts"]["TERMINATED"])
                self.assertEqual(sum(told["counts"].values()), told["counts"]["TERMINATED"])
                self.assertEqual(
                    list(told["best"]),
                    ["trial", "config", "metrics", "iteration", "status", "checkpoint",
                     "checkpoint_iteration", "checkpoint_metrics"]
                    + (["runs"] if path.stem == "repeat-digits" else []),
                )
                self.assertGreater(told["elapsed_s"], 0)
                self.check_record(path.stem, told)

    def test_the_one_that_learns_from_another_tries_its_best_first(self):
        earlier, path = (ROOT / "config" / x for x in ("auto-mlp-digits.ini", "warm-mlp-digits.ini"))
        ran = self.run_node("run", earlier, "--output", "json", *SMALLER[earlier.stem]).json()
        self.run_node("run", path, *SMALLER[path.stem])

        first = self.rows("SELECT * FROM trials ORDER BY trial", path.stem)[0]

        self.assertEqual(first["origin"],
                         "earlier 1: results/auto-mlp-digits, trial " + ran["best"]["trial"])
        config = json.loads(first["config"])
        self.assertLess(config["layers"], min(3, 128 / config["hidden"]) + 1)

    def check_record(self, name, told):
        directory = self.directory / "results" / name
        self.assertEqual(told["directory"], str(directory))
        trials = self.rows("SELECT * FROM trials ORDER BY trial", name)
        self.assertEqual({row["status"] for row in trials}, {"TERMINATED"})
        best = next(row for row in trials if row["trial_id"] == told["best"]["trial"])
        self.assertEqual(json.loads(best["best_config"]), told["best"]["config"])
        self.assertEqual(json.loads(best["best_metrics"]), told["best"]["metrics"])
        self.assertEqual(self.rows("SELECT status FROM experiment", name)[0]["status"], "done")
        for row in trials:
            lines = (directory / "trials" / row["trial_id"] / "result.jsonl").read_text()
            last = json.loads(lines.splitlines()[-1])
            self.assertEqual(last["training_iteration"], row["iterations"])
        self.check_trials_command(name, trials)

    def check_trials_command(self, name, trials):
        where = "results/" + name
        whole = self.run_node("trials", where, "--output", "json").json()
        lines = self.run_node("trials", where, "--output", "jsonl").out.splitlines()
        table = self.run_node("trials", where, "--limit", "0").out
        sheet = list(csv.DictReader(io.StringIO(self.run_node("trials", where, "-o", "csv").out)))

        ids = [row["trial_id"] for row in trials]
        self.assertEqual([row["trial"] for row in whole], ids)
        self.assertEqual([json.loads(line) for line in lines], whole)
        self.assertEqual([row["trial"] for row in sheet], ids)
        for row, config in zip(whole, (json.loads(row["best_config"]) for row in trials)):
            self.assertEqual(row["config"], config)
        for trial in ids:
            self.assertIn(trial, table)

    def test_dry_run_shows_configurations_and_makes_nothing(self):
        for path in FILES:
            with self.subTest(path.name):
                self.run_what_it_learns_from(path)
                there = list(self.directory.glob("results/*"))
                shown = self.run_node("run", path, "--dry-run")
                told = self.run_node("run", path, "--dry-run", "--output", "json").json()

                self.assertIn("Nothing was run.", shown.out)
                # An external searcher's configurations come from its process, which is not started.
                if path.stem == "external-digits":
                    self.assertEqual(told["configurations"], [])
                else:
                    self.assertGreater(len(told["configurations"]), 0)
                self.assertEqual(list(self.directory.glob("results/*")), there)
                self.assertLessEqual({x.name for x in self.directory.iterdir()}, {"results"})
                self.assertEqual(len(there), 1 if path.stem in EARLIER else 0)

    def test_config_commands_accept_it(self):
        for path in FILES:
            with self.subTest(path.name):
                self.run_what_it_learns_from(path)
                self.run_node("config", "check", path)
                explained = self.run_node("config", "explain", path).out
                printed = self.run_node("config", "print", path).out

                self.assertIn("metric", explained)
                self.assertIn("[experiment]", printed)

    def test_a_printed_configuration_means_the_same(self):
        # Relative paths are relative to the file's directory.
        (self.directory / "config" / "schedulers").mkdir(parents=True)
        policies = "config/pbt-digits-policy.jsonl", "config/schedulers/pbt-policy.jsonl"
        for name in ("data", "python", "examples", *policies):
            (self.directory / name).symlink_to(ROOT / name)
        for path in FILES:
            with self.subTest(path.name):
                self.run_what_it_learns_from(path)
                first = self.run_node("run", path, "--dry-run", "-o", "json").json()
                copy = self.directory / path.relative_to(ROOT)
                copy.write_text(self.run_node("config", "print", path).out)
                self.run_node("config", "check", copy)

                again = self.run_node("run", copy, "--dry-run", "-o", "json").json()

                self.assertEqual(again["configurations"], first["configurations"])


class Lists(Case):
    def test_list_names_what_can_be_chosen(self):
        wanted = {
            "searchers": {"random", "sobol", "auto", "gp", "tpe", "cma_es", "bohb", "dehb", "none"},
            "schedulers": {"fifo", "asha", "hyperband", "hb_bohb", "median_stopping"},
            "stoppers": {"when", "all_when", "plateau", "experiment_plateau"},
            "trainables": {"quadratic", "digits_mlp"},
            "sinks": {"trial_files", "runtime_log"},
        }
        for what, names in wanted.items():
            with self.subTest(what):
                told = self.run_node("list", what, "--output", "json").json()
                lines = self.run_node("list", what, "--output", "jsonl").out.splitlines()
                sheet = self.run_node("list", what, "--output", "csv").out
                table = self.run_node("list", what).out

                self.assertLessEqual(names, {entry["name"] for entry in told})
                self.assertEqual([json.loads(line) for line in lines], told)
                for name in names:
                    self.assertIn(name, sheet)
                    self.assertIn(name, table)


if __name__ == "__main__":
    main()
