# SPDX-License-Identifier: BSD-3-Clause
"""PBT in real training, the short form of bench/compare_pbt.py: a schedule is found, is useful,
and can be trained again."""
import argparse
import json
import sys

from e2e import ROOT, TUNE_NODE, Case, main

sys.path.insert(0, str(ROOT / "bench"))
import compare_pbt  # noqa: E402

# Accuracy that even a bad choice reaches in so short a time, on validation and test images.
FLOOR = 0.9


class Comparison(Case):
    def test_pbt_and_random_search_train_as_long_and_learn_to_read(self):
        words = argparse.Namespace(trials=8, epochs=15)
        told = {}
        for name in ("pbt", "random search"):
            run = compare_pbt.train(TUNE_NODE, words, compare_pbt.ways(words)[name], 1)
            told[name] = run

            self.assertEqual(run["epochs"], 8 * 15)
            self.assertGreater(run["accuracy"], FLOOR)
            self.assertGreater(run["test_accuracy"], FLOOR)

        # Two of eight at 5 and at 10 epochs; at 15 all end.
        self.assertEqual(told["pbt"]["exploits"], 4)
        self.assertEqual(told["random search"]["exploits"], 0)
        self.assertEqual(told["random search"]["schedule"], [])

    def figures(self, pbt, random, epochs=100):
        return {
            "pbt": {"median_test_accuracy": pbt, "epochs": [100]},
            "random search": {"median_test_accuracy": random, "epochs": [epochs]},
        }

    def test_it_complains_where_pbt_is_worse(self):
        self.assertEqual(compare_pbt.complaint(self.figures(0.970, 0.974)), "")
        self.assertEqual(compare_pbt.complaint(self.figures(0.980, 0.960)), "")
        worse = compare_pbt.complaint(self.figures(0.970, 0.976))
        self.assertEqual(worse, "PBT is worse by 0.60 points")
        self.assertIn("number of epochs", compare_pbt.complaint(self.figures(0.9, 0.9, 99)))


class Schedule(Case):
    def train(self):
        """@returns the experiment's directory, and the trial whose schedule has most changes."""
        self.run_node(
            *("run", ROOT / "config/pbt-digits.ini", "--experiment.num_samples", 8),
            *("--stop.training_iteration", 20, "--quiet")
        )
        attempts = self.rows("SELECT * FROM attempts WHERE donor IS NOT NULL", "pbt-digits")
        return "results/pbt-digits", max(row["trial"] for row in attempts)

    def policy(self, directory, trial):
        return self.run_node("trials", directory, "--policy", trial).out

    def test_the_learning_rate_changes_while_a_network_trains_and_the_record_says_why(self):
        directory, trial = self.train()

        rows = [json.loads(line) for line in self.policy(directory, trial).splitlines()]
        rates = [rows[0][4]["lr"]] + [row[5]["lr"] for row in rows]
        self.assertGreater(len(set(rates)), 1)
        # Parameters that are not mutated stay as they were.
        for row in rows:
            self.assertEqual({**row[4], "lr": 0}, {**row[5], "lr": 0})
        reported = {
            json.loads(x["metrics"])["lr"]
            for x in self.rows("SELECT metrics FROM results WHERE trial = %d" % trial, "pbt-digits")
        }
        self.assertIn(rates[-1], reported)
        last = self.rows(
            "SELECT donor FROM attempts WHERE trial = %d AND donor IS NOT NULL"
            " ORDER BY started DESC" % trial,
            "pbt-digits",
        )[0]["donor"]
        self.assertEqual(int(rows[-1][1]), last)
        _, story = self.why(trial, "pbt-digits")
        self.assertIn("goes on as trial %05d did at iteration %d" % (last, rows[-1][3]), story)

    def test_it_can_be_trained_again_to_the_last_digit(self):
        directory, trial = self.train()
        (self.directory / "policy.jsonl").write_text(self.policy(directory, trial))

        self.run_node(
            *("run", ROOT / "config/pbt-replay-digits.ini", "--stop.training_iteration", 20),
            *("--scheduler.policy_file", self.directory / "policy.jsonl", "--quiet")
        )

        query = "SELECT training_iteration, metrics FROM results ORDER BY seq"
        again = {x["training_iteration"]: x["metrics"] for x in self.rows(query, "pbt-replay-digits")}
        self.assertEqual(sorted(again), list(range(1, 21)))
        every = {(x["training_iteration"], x["metrics"]) for x in self.rows(query, "pbt-digits")}
        self.assertLessEqual(set(again.items()), every)
        newest = "SELECT metrics FROM trials WHERE trial = %d"
        self.assertEqual(
            self.rows(newest % 0, "pbt-replay-digits"), self.rows(newest % trial, "pbt-digits")
        )


if __name__ == "__main__":
    main()
