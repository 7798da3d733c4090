# SPDX-License-Identifier: BSD-3-Clause
"""Processes are killed in the middle of an exploit: after it was decided, and before the trial has
reported from its donor's checkpoint. That costs time, and changes nothing else."""
import json
import sys
from pathlib import Path

from cluster import Cluster
from e2e import main

TRIAL = Path(__file__).with_name("population_trial.py")

WORKERS = ("one", "two", "three", "four")


class Exploitation(Cluster):
    def setUp(self):
        super().setUp()
        # Gates of the present run; the undisturbed run has its own.
        self.gates = None

    # -- The experiment.

    def population(self, name, trials, steps, more):
        """A population whose trials are judged every three steps."""
        self.gates = self.directory / ("gates-" + name)
        self.gates.mkdir()
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 5\n"
            "[trainable]\ncommand = %s %s %d %s\n[space]\nlr = uniform(0.01, 0.5)\n"
            "[checkpoint]\nkeep = 1\n[failure]\nbackoff = 0\n"
            "[scheduler]\ntype = pbt\ntime_attr = training_iteration\nperturbation_interval = 3\n%s\n"
            % (trials, sys.executable, TRIAL, steps, self.gates, more),
            name + ".ini",
        )

    def rounds(self, name, where):
        return self.population(name, 4, 12, "synch = true\n[cluster]\n" + where)

    def pair(self, name, where):
        return self.population(name, 2, 8, "[cluster]\n" + where)

    def hold(self, gate):
        (self.gates / ("hold-" + gate)).touch()

    def release(self):
        for gate in self.gates.glob("hold-*"):
            gate.unlink()
        for gate in self.gates.glob("limit*"):
            gate.unlink()

    def limit(self, steps, trial=None):
        beside = self.gates / "next"
        beside.write_text(str(steps))
        beside.rename(self.gates / ("limit" if trial is None else "limit-%d" % trial))

    # -- What the record says.

    def exploits(self, experiment):
        rows = self.rows_if_any(
            "SELECT trial, reason FROM decisions WHERE action = 'exploit' ORDER BY seq", experiment
        )
        return [(row["trial"], json.loads(row["reason"])) for row in rows]

    def attempts_of(self, trial, experiment):
        """Attempts that began with what the trial's first exploit gave it."""
        return self.rows(
            "SELECT * FROM attempts WHERE trial = %d AND lineage = 2 AND donor IS NOT NULL"
            " ORDER BY started" % trial,
            experiment,
        )

    def outcome(self, experiment):
        """Everything that does not depend on time: reports by trial, lineage and iteration;
        trials."""
        reports = {}
        for row in self.rows("SELECT * FROM results ORDER BY seq", experiment):
            key = (row["trial"], row["lineage"], row["training_iteration"])
            # Repeated iterations must give the same metrics.
            self.assertEqual(reports.setdefault(key, row["metrics"]), row["metrics"], key)
        trials = self.rows(
            "SELECT trial, status, config, lineage, iterations, metrics, best_iteration, best_metrics"
            " FROM trials ORDER BY trial",
            experiment,
        )
        return reports, [dict(row) for row in trials]

    def check_same(self, experiment, undisturbed):
        """Checks that nothing but the times has changed."""
        self.assertEqual(self.exploits(experiment), self.exploits(undisturbed))
        for told, wanted in zip(self.outcome(experiment), self.outcome(undisturbed)):
            self.assertEqual(told, wanted)
        trials = self.rows("SELECT status FROM trials", experiment)
        self.assertEqual({row["status"] for row in trials}, {"TERMINATED"})
        self.check_checkpoints(experiment)
        self.run_node("fsck", "results/" + experiment, "--verify")

    def check_checkpoints(self, experiment):
        """Checks that no checkpoint was lost: those that attempts began with were good, and the
        remaining ones can be read."""
        rows = self.rows("SELECT * FROM checkpoints", experiment)
        self.assertEqual([row for row in rows if row["state"] == "bad"], [])
        root = self.directory / "results" / experiment
        for row in rows:
            if row["state"] == "good":
                self.assertTrue((root / row["location"] / "state").is_file(), row)

    def check_exploit(self, experiment, trial, ends):
        """Checks that the exploit was carried out once, by attempts that ended like this and had
        the same beginning."""
        decided = next(reason for who, reason in self.exploits(experiment) if who == trial)
        attempts = self.attempts_of(trial, experiment)
        self.assertEqual([row["end_class"] for row in attempts], ends)
        for row in attempts:
            self.assertEqual(row["donor"], int(decided["donor"]))
            self.assertEqual(json.loads(row["config"]), decided["config"])
        self.assertEqual(len({row["start_checkpoint"] for row in attempts}), 1)
        first = self.rows(
            "SELECT min(training_iteration) AS first FROM results WHERE trial = %d AND lineage = 2"
            % trial,
            experiment,
        )[0]["first"]
        self.assertEqual(first, decided["donor_iteration"] + 1)
        _, told = self.why(trial, experiment)
        self.assertIn("goes on as trial %s did" % decided["donor"], told)

    # -- Getting there.

    def wait_for_gate(self, gate, trial, head):
        self.wait_until(
            lambda: (self.gates / ("at-%s-%d" % (gate, trial))).exists(),
            head,
            "trial %d at the gate %s" % (trial, gate),
        )

    def into_a_round(self, head, experiment):
        """Runs into the middle of the first round's exploit. @returns its target and donor."""
        self.wait_until(lambda: self.exploits(experiment), head, "an exploit")
        target, reason = self.exploits(experiment)[0]
        self.wait_for_gate("restore", target, head)
        return target, int(reason["donor"])

    def into_a_pair(self, head, experiment, gate):
        """Like `into_a_round`, for a population whose trials do not wait for each other."""
        query = "SELECT trial FROM trials ORDER BY json_extract(config, '$.lr') DESC"
        self.wait_until(lambda: len(self.rows_if_any(query, experiment)) == 2, head, "both trials")
        donor, target = [row["trial"] for row in self.rows(query, experiment)]
        # One after the other: the target is judged once the donor's checkpoint exists.
        for steps in (3, 6):
            self.limit(steps, donor)
            self.wait_for_decision(donor, steps, experiment, head)
            if steps == 6:
                saved = "SELECT * FROM checkpoints WHERE trial = %d" % donor
                self.wait_until(lambda: self.rows(saved, experiment), head, "its checkpoint")
            self.limit(steps, target)
            self.wait_for_decision(target, steps, experiment, head)
        self.wait_for_gate(gate, target, head)
        self.assertEqual(self.exploits(experiment)[0][0], target)
        return target, donor

    def wait_for_decision(self, trial, iteration, experiment, head):
        query = "SELECT * FROM decisions WHERE trial = %d AND training_iteration = %d" % (
            trial, iteration
        )
        self.wait_until(lambda: self.rows_if_any(query, experiment), head, "a look at " + str(trial))

    def undisturbed_rounds(self):
        ini = self.rounds("calm", "cpus = 4")
        self.run_node("run", ini)
        self.assertGreaterEqual(len(self.exploits("calm")), 3)

    def undisturbed_pair(self):
        ini = self.pair("calm", "cpus = 2")
        self.limit(0)
        self.hold("leave")
        head = self.start("run", ini)
        self.into_a_pair(head, "calm", "leave")
        self.release()
        self.finish(head)

    def workers(self, where, names, *words):
        return {name: self.worker(where, name, *words) for name in names}

    def node_of(self, trial, experiment, head):
        query = "SELECT node FROM attempts WHERE trial = %d AND ended IS NULL" % trial
        self.wait_until(lambda: self.rows(query, experiment), head, "where trial %d is" % trial)
        return self.rows(query, experiment)[0]["node"]

    def kill_node(self, name, workers, head, experiment):
        workers[name].kill()
        query = "SELECT * FROM nodes WHERE node = '%s' AND state = 'down'" % name
        self.wait_until(lambda: self.rows(query, experiment), head, "the loss of " + name)
        self.finish(workers.pop(name), None)

    def put_away(self, workers):
        for worker in workers.values():
            worker.terminate()
            self.finish(worker)
        self.assert_no_trial_processes()

    # -- Workers.

    def kill_in_a_round(self, whose, *words):
        self.undisturbed_rounds()
        head, where = self.head(self.rounds("x", "local = false\npolicy = spread"))
        self.limit(3)
        self.hold("restore")
        workers = self.workers(where, WORKERS, *words)
        target, donor = self.into_a_round(head, "x")
        # All trials but the target go on, and wait at their gates.
        running = "SELECT * FROM attempts WHERE ended IS NULL"
        self.wait_until(lambda: len(self.rows(running)) == 4, head, "all four")
        name = self.node_of(target if whose == "target" else donor, "x", head)
        self.assertNotEqual(self.node_of(target, "x", head), self.node_of(donor, "x", head))

        self.kill_node(name, workers, head, "x")
        self.release()
        self.finish(head)

        self.check_same("x", "calm")
        lost = ["node_lost"] if whose == "target" else []
        self.check_exploit("x", target, lost + ["paused"])
        self.assertEqual(len(self.lost_attempts()), 1)
        self.put_away(workers)

    def lost_attempts(self, experiment="x"):
        return self.rows("SELECT * FROM attempts WHERE end_class = 'node_lost'", experiment)

    def test_the_target_s_node_dies_in_a_round(self):
        self.kill_in_a_round("target")

    def test_the_target_s_node_dies_in_a_round_far_from_the_head_s_storage(self):
        self.kill_in_a_round("target", "--own-storage")

    def test_the_donor_s_node_dies_in_a_round(self):
        self.kill_in_a_round("donor")

    def test_the_donor_s_node_dies_in_a_round_far_from_the_head_s_storage(self):
        self.kill_in_a_round("donor", "--own-storage")

    def kill_in_a_pair(self, whose, gate):
        self.undisturbed_pair()
        head, where = self.head(self.pair("x", "local = false\npolicy = spread"))
        self.limit(0)
        self.hold(gate)
        workers = self.workers(where, ("one", "two"), "--own-storage")
        target, donor = self.into_a_pair(head, "x", gate)
        name = self.node_of(target if whose == "target" else donor, "x", head)

        self.kill_node(name, workers, head, "x")
        self.release()
        self.finish(head)

        self.check_same("x", "calm")
        lost = ["node_lost"] if (whose, gate) == ("target", "restore") else []
        self.check_exploit("x", target, lost + ["finished"])
        self.assertEqual(len(self.lost_attempts()), 1)
        self.put_away(workers)

    def test_the_target_s_node_dies_before_it_has_let_go(self):
        self.kill_in_a_pair("target", "leave")

    def test_the_donor_s_node_dies_before_the_target_has_let_go(self):
        self.kill_in_a_pair("donor", "leave")

    def test_the_target_s_node_dies_while_it_is_restored(self):
        self.kill_in_a_pair("target", "restore")

    def test_the_donor_s_node_dies_while_the_target_is_restored(self):
        self.kill_in_a_pair("donor", "restore")

    # -- The head.

    def kill_head(self, head, ini):
        head.kill()
        self.finish(head, None)
        self.release()
        told = self.run_node("run", ini, "--resume", "-o", "json").json()
        self.assertEqual(told["status"], "done")

    def test_the_head_dies_in_a_round(self):
        self.undisturbed_rounds()
        ini = self.rounds("x", "cpus = 4")
        self.hold("restore")
        head = self.start("run", ini)
        target, _ = self.into_a_round(head, "x")

        self.kill_head(head, ini)

        self.check_same("x", "calm")
        self.check_exploit("x", target, ["interrupted", "paused"])

    def test_the_head_dies_before_the_target_has_let_go(self):
        self.undisturbed_pair()
        ini = self.pair("x", "cpus = 2")
        self.limit(0)
        self.hold("leave")
        head = self.start("run", ini)
        target, _ = self.into_a_pair(head, "x", "leave")

        self.kill_head(head, ini)

        self.check_same("x", "calm")
        self.check_exploit("x", target, ["finished"])

    def test_the_head_dies_in_a_round_and_its_workers_wait_for_the_next(self):
        self.undisturbed_rounds()
        ini = self.rounds("x", "local = false\npolicy = spread")
        head, where = self.head(ini)
        self.hold("restore")
        workers = self.workers(where, WORKERS)
        target, _ = self.into_a_round(head, "x")

        head.kill()
        self.finish(head, None)
        head, _ = self.head(ini, "--resume", port=int(where.rsplit(":", 1)[1]))
        self.release()
        self.finish(head)

        self.check_same("x", "calm")
        self.assertIn(
            [row["end_class"] for row in self.attempts_of(target, "x")],
            (["paused"], ["interrupted", "paused"]),
        )
        self.put_away(workers)


if __name__ == "__main__":
    main()
