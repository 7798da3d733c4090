# SPDX-License-Identifier: BSD-3-Clause
"""Population based training of real programs: checkpoints change hands, and the record shows
it."""
import collections
import json
import re
import signal
import sys
from pathlib import Path

from e2e import FAULTY_NODE, ROOT, TUNE_NODE, Case, CertifiedCase, main

DESCENDING = Path(__file__).with_name("descending_trial.py")
EXAMPLES = ROOT / "config" / "schedulers"


class Descents(CertifiedCase):
    program = TUNE_NODE
    trainable = "command = %s %s 13" % (sys.executable, DESCENDING)
    # Parameters beside `lr`.
    space = ""
    checkpoints = "frequency = 1\n"

    def descending(self, scheduler, samples, name="x", more=""):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 5\n"
            "[trainable]\n%s\n[space]\nlr = uniform(0.01, 0.5)\n%s"
            "[checkpoint]\nkeep = 1\n%s[scheduler]\n%s\n%s"
            % (samples, self.trainable, self.space, self.checkpoints, scheduler, more),
            name + ".ini",
        )

    def run_node(self, *words, **how):
        how.setdefault("program", self.program)
        return super().run_node(*words, **how)

    def population(self, synch, more=""):
        return self.descending(
            "type = pbt\ntime_attr = training_iteration\nperturbation_interval = 3\nsynch = %s"
            % synch,
            6,
            more=more,
        )

    def train(self, synch):
        return self.run_node("run", self.population(synch), "-o", "json").json()

    def exploits(self):
        query = "SELECT * FROM decisions WHERE action = 'exploit' ORDER BY seq"
        return [dict(row, reason=json.loads(row["reason"])) for row in self.rows(query)]

    def check_exploits(self):
        """Checks that each exploit was carried out as decided."""
        exploits = collections.Counter()
        for exploit in self.exploits():
            # Two exploits may lead to the same configuration, but each has a lineage of its own.
            exploits[exploit["trial"]] += 1
            query = "SELECT * FROM attempts WHERE trial = %d AND lineage = %d" % (
                exploit["trial"],
                exploits[exploit["trial"]] + 1,
            )
            reason = exploit["reason"]
            config = reason["config"]
            attempts = self.rows(query)
            self.assertTrue(attempts, exploit)
            first = attempts[0]
            self.assertEqual(json.loads(first["config"]), config)
            # The checkpoint is the donor's own, or one that the donor took over before.
            taken = self.rows(
                "SELECT donor FROM attempts WHERE trial = %d AND donor IS NOT NULL"
                % int(reason["donor"])
            )
            owners = {int(reason["donor"])} | {row["donor"] for row in taken}
            self.assertIn(first["donor"], owners)
            self.assertGreaterEqual(config["lr"], 0.01)
            self.assertLessEqual(config["lr"], 0.5)
            results = self.rows(
                "SELECT training_iteration, metrics FROM results WHERE attempt = '%s' ORDER BY seq"
                % first["attempt"]
            )
            if not results:
                # Its donor had finished.
                last = self.rows("SELECT max(training_iteration) AS last FROM results")[0]["last"]
                self.assertEqual(reason["donor_iteration"], last)
                continue
            # The target goes on where its donor was, with its own rate.
            self.assertEqual(results[0]["training_iteration"], reason["donor_iteration"] + 1)
            before = self.rows(
                "SELECT metrics FROM results WHERE trial = %d AND training_iteration = %d"
                " AND seq < %d ORDER BY seq DESC"
                % (first["donor"], reason["donor_iteration"], exploit["seq"])
            )[0]
            ratio = json.loads(results[0]["metrics"])["loss"] / json.loads(before["metrics"])["loss"]
            self.assertAlmostEqual(ratio, 1 - config["lr"])


class Population(Descents):
    def test_bad_trials_go_on_from_good_ones(self):
        told = self.train("false")

        self.assertEqual(told["counts"]["TERMINATED"], 6)
        self.assertGreater(len(self.exploits()), 0)
        self.check_exploits()

    def test_bad_trials_go_on_from_good_ones_in_rounds(self):
        told = self.train("true")

        self.assertEqual(told["counts"]["TERMINATED"], 6)
        # Four rounds with ⌈6/4⌉ = 2 exploits each.
        self.assertEqual(len(self.exploits()), 8)
        self.check_exploits()

    def test_a_trial_s_story_names_its_donor_and_what_changed(self):
        self.train("true")
        last = self.exploits()[-1]

        _, told = self.why(last["trial"], program=self.program)

        self.assertIn("lineage 2", told)
        self.assertIn("of %s" % last["reason"]["donor"], told)
        self.assertIn("goes on as trial %s did" % last["reason"]["donor"], told)
        # Whole configurations are in the database only.
        self.assertNotIn("donor_config", told)

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


class Models(Descents):
    def test_bad_trials_go_on_with_what_a_model_finds(self):
        how = (
            "type = pb2\ntime_attr = training_iteration\nperturbation_interval = 1\n"
            "quantile_fraction = 0.5"
        )
        self.trainable = "command = %s %s 30" % (sys.executable, DESCENDING)
        self.space = "pause_ms = 20\n"
        told = self.run_node(
            "run", self.descending(how, 8, more="[cluster]\ncpus = 8\n"), "-o", "json"
        ).json()

        self.assertEqual(told["counts"]["TERMINATED"], 8)
        changes = [x["how"] for exploit in self.exploits() for x in exploit["reason"]["changes"]]
        self.assertIn("by the model", changes)
        self.check_exploits()


class Examples(Case):
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
        # config/schedulers/pbt-replay.ini begins with this policy.
        self.assertEqual(policy, (EXAMPLES / "pbt-policy.jsonl").read_text())


class Functions(Population):
    """The same with functions, which bring their checkpoints with their reports."""

    program = FAULTY_NODE
    trainable = "name = descends\nisolation = thread"
    checkpoints = ""


class ByReports:
    """Tests for all trainables that bring checkpoints with reports and cannot save on request."""

    def test_rounds_wait_for_reports_that_bring_a_checkpoint(self):
        self.space = "every = 2\n"

        told = self.train("true")

        self.assertEqual(told["counts"]["TERMINATED"], 6)
        self.assertGreater(len(self.exploits()), 0)
        self.check_exploits()
        self.assertEqual({x["reason"]["donor_iteration"] % 2 for x in self.exploits()}, {0})
        # All trials were to pause at iteration 3, and did so at 4.
        paused = self.rows(
            "SELECT d.trial FROM decisions d WHERE action = 'pause_waits' AND training_iteration = 3"
        )
        self.assertEqual(sorted(x["trial"] for x in paused), [0, 1, 2, 3, 4, 5])

    def test_donors_give_their_newest_checkpoint_however_old(self):
        self.space = "every = 5\n"

        told = self.train("false")

        self.assertEqual(told["counts"]["TERMINATED"], 6)
        self.assertGreater(len(self.exploits()), 0)
        self.check_exploits()

    def test_one_that_never_brings_a_checkpoint_is_told_of(self):
        self.space = "every = 0\n"

        told = self.run_node("run", self.population("true"), "-o", "json")

        self.assertEqual(told.json()["counts"]["TERMINATED"], 6)
        self.assertEqual(self.exploits(), [])
        lacking = "its checkpoint was wanted, but no report brought one"
        reasons = {x["reason"] for x in self.rows("SELECT reason FROM trials")}
        self.assertEqual(reasons, {lacking})
        self.assertEqual(told.err.count("cannot be asked to save, and has to hand"), 1)


class FunctionsInProcesses(ByReports, Functions):
    trainable = "name = descends"

    def test_a_head_that_is_killed_is_gone_on_with(self):
        self.space = "pause_ms = 30\n"
        head = self.start("run", self.population("true"), "--quiet", program=self.program)
        for wanted in ("pause", "exploit"):
            query = "SELECT * FROM decisions WHERE action = '%s'" % wanted
            before = len(self.rows_if_any(query))
            self.wait_until(lambda: len(self.rows_if_any(query)) > before, head, wanted)
            head.send_signal(signal.SIGKILL)
            head.wait()
            self.assert_no_trial_processes()
            head = self.start("resume", "results/x", "-o", "json", program=self.program)

        told = self.finish(head).json()

        self.assertEqual(told["counts"]["TERMINATED"], 6)
        # A trial that lost steps it had not saved may come to a round one report later.
        self.assertGreaterEqual(len(self.exploits()), 4)
        self.check_exploits()

    def test_checkpoints_change_hands_between_workers(self):
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            head = self.start(
                "run", self.population("true", "[cluster]\nlocal = false\n"), "-o", "json",
                "--listen", "127.0.0.1:0", "--certs", self.certs, stderr=err, program=self.program
            )
        self.wait_until(lambda: "workers may join" in log.read_text(), head, "an open port")
        where = re.search(r"--join (\S+)", log.read_text()).group(1)
        for name in ("one", "two"):
            self.start(
                *("worker", "--join", where, "--name", name, "--cpus", 2, "--once"),
                *("--certs", self.certs, "--work", self.directory / ("work-" + name)),
                program=self.program
            )

        told = self.finish(head).json()

        self.assertEqual(told["counts"]["TERMINATED"], 6)
        self.assertEqual(len(self.exploits()), 8)
        self.check_exploits()
        self.assertEqual({x["node"] for x in self.rows("SELECT node FROM attempts")}, {"one", "two"})


class Programs(ByReports, Population):
    """The same with programs that say that they cannot save."""

    checkpoints = ""
    trainable = "command = %s %s 13 hand_over" % (sys.executable, DESCENDING)


if __name__ == "__main__":
    main()
