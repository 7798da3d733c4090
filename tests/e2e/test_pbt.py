# SPDX-License-Identifier: BSD-3-Clause
"""Population based training of real programs: checkpoints change hands, and the record says so."""
import json
import sys
from pathlib import Path

from e2e import ROOT, Case, main

DESCENDING = Path(__file__).with_name("descending_trial.py")
EXAMPLES = ROOT / "config" / "schedulers"


class Population(Case):
    def descending(self, scheduler, samples, name="x"):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 5\n"
            "[trainable]\ncommand = %s %s 13\n[space]\nlr = uniform(0.01, 0.5)\n"
            "[checkpoint]\nkeep = 1\nfrequency = 1\n[scheduler]\n%s\n"
            % (samples, sys.executable, DESCENDING, scheduler),
            name + ".ini",
        )

    def train(self, synch):
        ini = self.descending(
            "type = pbt\ntime_attr = training_iteration\nperturbation_interval = 3\nsynch = %s"
            % synch,
            6,
        )
        return self.run_node("run", ini, "-o", "json").json()

    def exploits(self):
        query = "SELECT * FROM decisions WHERE action = 'exploit' ORDER BY seq"
        return [dict(row, reason=json.loads(row["reason"])) for row in self.rows(query)]

    def check_exploits(self):
        """Each was carried out as it was decided."""
        for exploit in self.exploits():
            query = "SELECT * FROM attempts WHERE trial = %d AND lineage > 1" % exploit["trial"]
            reason = exploit["reason"]
            config = reason["config"]
            attempts = [x for x in self.rows(query) if json.loads(x["config"]) == config]
            self.assertTrue(attempts, exploit)
            first = attempts[0]
            self.assertEqual(first["donor"], int(reason["donor"]))
            self.assertGreaterEqual(config["lr"], 0.01)
            self.assertLessEqual(config["lr"], 0.5)
            results = self.rows(
                "SELECT training_iteration, metrics FROM results WHERE attempt = '%s' ORDER BY seq"
                % first["attempt"]
            )
            # It goes on where its donor was, with its own rate.
            self.assertEqual(results[0]["training_iteration"], reason["donor_iteration"] + 1)
            before = self.rows(
                "SELECT metrics FROM results WHERE trial = %d AND training_iteration = %d"
                " AND seq < %d ORDER BY seq DESC"
                % (first["donor"], reason["donor_iteration"], exploit["seq"])
            )[0]
            ratio = json.loads(results[0]["metrics"])["loss"] / json.loads(before["metrics"])["loss"]
            self.assertAlmostEqual(ratio, 1 - config["lr"])

    def test_bad_trials_go_on_from_good_ones(self):
        told = self.train("false")

        self.assertEqual(told["counts"]["TERMINATED"], 6)
        self.assertGreater(len(self.exploits()), 0)
        self.check_exploits()

    def test_bad_trials_go_on_from_good_ones_in_rounds(self):
        told = self.train("true")

        self.assertEqual(told["counts"]["TERMINATED"], 6)
        # Four rounds, and ⌈6/4⌉ = 2 in each.
        self.assertEqual(len(self.exploits()), 8)
        self.check_exploits()

    def test_a_trial_s_story_names_its_donor_and_what_changed(self):
        self.train("true")
        last = self.exploits()[-1]

        _, told = self.why(last["trial"])

        self.assertIn("lineage 2", told)
        self.assertIn("of %s" % last["reason"]["donor"], told)
        self.assertIn("goes on as trial %s did" % last["reason"]["donor"], told)

    def test_what_was_found_can_be_replayed(self):
        self.train("true")
        last = self.exploits()[-1]
        lines = self.run_node(
            "trials", self.directory / "results/x", "--policy", last["trial"]
        ).out.splitlines()
        rows = [json.loads(line) for line in lines]
        self.assertEqual(rows[-1][5], last["reason"]["config"])
        (self.directory / "policy.jsonl").write_text("\n".join(lines) + "\n")
        replay = self.descending("type = pbt_replay\npolicy_file = policy.jsonl", 1, "replay")

        told = self.run_node("run", replay, "-o", "json").json()

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        rates = [
            json.loads(x["metrics"])["lr"]
            for x in self.rows("SELECT metrics FROM results ORDER BY seq", "replay")
        ]
        wanted = [rows[0][4]["lr"]]
        for iteration in range(1, 13):
            reached = [row[5]["lr"] for row in rows if row[3] <= iteration]
            wanted.append(reached[-1] if reached else rows[0][4]["lr"])
        self.assertEqual(rates, wanted)

    def found_by_the_example(self, cpus):
        name = "with-%d" % cpus
        self.run_node(
            "run", EXAMPLES / "pbt.ini", "--cluster.cpus", cpus, "--experiment.name", name
        )
        trials = self.rows("SELECT trial, config, origin, best_metrics FROM trials", name)
        policy = self.run_node("trials", self.directory / "results" / name, "--policy", 15).out
        return [dict(row) for row in trials], policy

    def test_rounds_find_the_same_however_many_run_at_once(self):
        trials, policy = self.found_by_the_example(1)

        self.assertEqual(self.found_by_the_example(5), (trials, policy))
        # It is what config/schedulers/pbt-replay.ini begins with.
        self.assertEqual(policy, (EXAMPLES / "pbt-policy.jsonl").read_text())


if __name__ == "__main__":
    main()
