# SPDX-License-Identifier: BSD-3-Clause
"""Trials of several bundles: the description of the bundles that they get, and a process in
each."""
import json
import os
import signal
import sys

from cluster import Cluster
from e2e import ROOT, Case, main, processes_of

EXAMPLE = ROOT / "config" / "parallel-digits.ini"

# rank.py: shows what it was given, then does what its words say for its rank.
RANK = """
import json, os, sys, time
rank = int(os.environ.get("RANK", 0))
names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR",
         "MASTER_PORT", "TUNE_TRIAL_BUNDLES", "TUNE_TRIAL_NODES", "TUNE_TRIAL_ADDRESSES",
         "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS")
print(json.dumps({name: os.environ.get(name) for name in names}), flush=True)
sys.path.insert(0, %r)
import tune_node
trial = tune_node.Trial()
""" % str(ROOT / "python")


class Ranks(Case):
    def ranks(self, script, more, samples=1, keys=""):
        """An experiment whose trials run this script."""
        (self.directory / "rank.py").write_text(RANK + script)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n"
            "command = %s {ini_dir}/rank.py\n%s\n[space]\nx = 1\n[failure]\nbackoff = 0\n"
            "[cluster]\ncpus = 8\n%s\n" % (samples, sys.executable, keys, more)
        )

    def told(self, rank=0):
        """The environment that a rank saw in its last attempt."""
        name = "stdout" + (".rank%d" % rank if rank else "")
        return json.loads(self.trial_file(0, name).read_text().splitlines()[-1])

    def test_a_trial_is_told_of_all_its_bundles(self):
        more = '[resources]\ncpu = 1\ngpu = 1\nbundles = [{"cpu": 2, "gpu": 1}]\n'
        ini = self.ranks("trial.report(loss=1)", more)

        self.run_node("run", ini, "--cluster.gpus", "2")

        told = self.told()
        self.assertEqual(
            json.loads(told["TUNE_TRIAL_BUNDLES"]),
            [
                {"node": "local", "address": "127.0.0.1", "cpus": 1.0, "gpus": 1.0, "memory": 0,
                 "devices": told["CUDA_VISIBLE_DEVICES"]},
                {"node": "local", "address": "127.0.0.1", "cpus": 2.0, "gpus": 1.0, "memory": 0,
                 "devices": {"0": "1", "1": "0"}[told["CUDA_VISIBLE_DEVICES"]]},
            ],
        )
        self.assertEqual(told["TUNE_TRIAL_NODES"], "local,local")
        self.assertEqual(told["TUNE_TRIAL_ADDRESSES"], "127.0.0.1,127.0.0.1")
        # One process has all bundles.
        self.assertIsNone(told["RANK"])

    def test_each_rank_finds_its_place_as_under_torchrun(self):
        ini = self.ranks("rank or trial.report(loss=1)",
                         "[resources]\ncpu = 2\ngpu = 1", keys="ranks = 3")

        self.run_node("run", ini, "--cluster.gpus", "3")

        all_told = [self.told(rank) for rank in range(3)]
        for rank, told in enumerate(all_told):
            self.assertEqual(told["RANK"], str(rank))
            self.assertEqual(told["WORLD_SIZE"], "3")
            self.assertEqual(told["LOCAL_RANK"], str(rank))
            self.assertEqual(told["LOCAL_WORLD_SIZE"], "3")
            self.assertEqual(told["GROUP_RANK"], "0")
            self.assertEqual(told["MASTER_ADDR"], "127.0.0.1")
            self.assertGreater(int(told["MASTER_PORT"]), 1023)
            self.assertEqual(told["MASTER_PORT"], all_told[0]["MASTER_PORT"])
            self.assertEqual(told["OMP_NUM_THREADS"], "2")
            # The device of a rank is the one at its index in this list.
            own = json.loads(told["TUNE_TRIAL_BUNDLES"])[rank]["devices"]
            self.assertEqual(told["CUDA_VISIBLE_DEVICES"].split(",")[rank], own)

    def test_ranks_may_be_as_different_as_bundles_are(self):
        more = '[resources]\ncpu = 1\nbundles = [{"cpu": 3}]'
        ini = self.ranks("rank or trial.report(loss=1)", more, keys="ranks = bundles")

        self.run_node("run", ini)

        self.assertEqual(self.told(0)["OMP_NUM_THREADS"], "1")
        self.assertEqual(self.told(1)["OMP_NUM_THREADS"], "3")

    def test_a_rank_that_fails_ends_its_attempt_and_nothing_of_it_is_left(self):
        script = (
            "if rank == 1:\n    sys.exit('no luck')\n"
            "while trial.report(loss=1):\n    time.sleep(0.01)\n"
        )
        ini = self.ranks(script, "", keys="ranks = 3")

        self.run_node("run", ini, code=5)

        (attempt,) = self.rows("SELECT * FROM attempts")
        self.assertEqual(attempt["end_class"], "user_error")
        self.assertIn("rank 1 on node local", attempt["detail"])
        self.assertIn("no luck", attempt["detail"])
        self.assert_no_trial_processes()

    def test_a_trial_whose_rank_failed_is_tried_again_with_all_its_ranks(self):
        script = (
            "flag = %r\n"
            "if rank == 1 and not os.path.exists(flag):\n    open(flag, 'w').close()\n"
            "    sys.exit('no luck')\n"
            "while rank == 0 and not os.path.exists(flag):\n    time.sleep(0.01)\n"
            "rank or trial.report(loss=1)\n" % str(self.directory / "failed once")
        )
        ini = self.ranks(script, "[failure]\nmax_failures = 1", keys="ranks = 2")
        ini.write_text(ini.read_text().replace("[failure]\nbackoff = 0\n", "", 1)
                       .replace("max_failures = 1", "max_failures = 1\nbackoff = 0"))

        self.run_node("run", ini)

        ends = [row["end_class"] for row in self.rows("SELECT * FROM attempts ORDER BY attempt")]
        self.assertEqual(ends[-1], "finished")
        self.assertLessEqual(len(ends), 2)
        self.assert_no_trial_processes()

    def test_the_others_end_when_rank_0_has(self):
        script = "while rank:\n    time.sleep(0.1)\ntrial.report(loss=1)\n"
        ini = self.ranks(script, "", samples=2, keys="ranks = 3")

        self.run_node("run", ini)

        ends = [row["end_class"] for row in self.rows("SELECT * FROM attempts")]
        self.assertEqual(ends, ["finished", "finished"])
        self.assert_no_trial_processes()

    def test_what_stops_a_trial_stops_all_its_ranks(self):
        script = (
            "while rank:\n    time.sleep(0.1)\n"
            "while trial.report(loss=1):\n    pass\n"
        )
        ini = self.ranks(script, "[stop]\ntraining_iteration = 3", keys="ranks = 2")

        self.run_node("run", ini)

        (attempt,) = self.rows("SELECT * FROM attempts")
        self.assertEqual(attempt["end_class"], "stopped")
        self.assertEqual(len(self.rows("SELECT * FROM results")), 3)
        self.assert_no_trial_processes()

    def test_a_run_that_is_interrupted_leaves_no_rank(self):
        script = "while rank:\n    time.sleep(0.1)\nwhile trial.report(loss=1):\n    time.sleep(0.01)\n"
        ini = self.ranks(script, "", keys="ranks = 3")
        run = self.start("run", ini)
        self.wait_until(lambda: len(processes_of(self.directory)) >= 3, run, "three ranks")
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM results"), run, "a report")

        run.send_signal(signal.SIGINT)

        self.finish(run, 130)
        self.assert_no_trial_processes()

    def test_reports_of_other_ranks_count_for_nothing(self):
        script = "for i in range(3):\n    trial.report(loss=rank)\n"
        ini = self.ranks(script, "", keys="ranks = 2")

        self.run_node("run", ini)

        self.assertEqual(len(self.rows("SELECT * FROM results")), 3)

    def test_ranks_that_make_no_sense_are_refused(self):
        one_more = '[resources]\nbundles = [{"cpu": 1}]'
        for keys, more, why in (
            ("ranks = 0", "", "must be a whole number from 1 to 1024, or bundles"),
            ("ranks = many", "", "must be a whole number from 1 to 1024, or bundles"),
            ("ranks = 3", one_more, "a trial has 2 bundles"),
        ):
            with self.subTest(keys):
                told = self.run_node("config", "check", self.ranks("", more, keys=keys), code=3)
                self.assertIn(why, told.err)
        ini = self.ini("[experiment]\nmetric = loss\nmode = min\n[trainable]\nname = quadratic\n"
                       "ranks = 2\n[space]\nx = 1\n")
        told = self.run_node("config", "check", ini, code=3)
        self.assertIn("ranks = 2: has no meaning for kind = ", told.err)

    def test_two_ranks_learn_bit_by_bit_what_one_process_does(self):
        small = ("--experiment.num_samples", "1", "--space.epochs", "2", "--cluster.cpus", "2")
        self.run_node("run", EXAMPLE, *small)
        self.run_node("run", EXAMPLE, *small, "--experiment.name", "alone", "--trainable.ranks", "1")

        query = "SELECT metrics FROM results ORDER BY training_iteration"
        together = [json.loads(x["metrics"]) for x in self.rows(query, "parallel-digits")]
        alone = [json.loads(x["metrics"]) for x in self.rows(query, "alone")]
        self.assertEqual([x["gradients"] for x in together], [x["gradients"] for x in alone])
        self.assertEqual([x["loss"] for x in together], [x["loss"] for x in alone])
        self.assertEqual(len(together), 2)


class RanksOnNodes(Cluster):
    """Ranks on several nodes."""

    def rows_of(self, experiment):
        query = "SELECT metrics FROM results ORDER BY training_iteration"
        return [json.loads(x["metrics"]) for x in self.rows(query, experiment)]

    def test_two_nodes_learn_bit_by_bit_what_one_process_does(self):
        small = ("--experiment.num_samples", "1", "--space.epochs", "2")
        head, where = self.head(EXAMPLE, *small, "--cluster.local", "false",
                                "--resources.strategy", "strict_spread")
        workers = [self.worker(where, name, "--once") for name in ("one", "two")]

        self.finish(head)

        for worker in workers:
            self.finish(worker)
        self.run_node("run", EXAMPLE, *small, "--experiment.name", "alone", "--trainable.ranks", "1")
        together, alone = self.rows_of("parallel-digits"), self.rows_of("alone")
        self.assertEqual([x["gradients"] for x in together], [x["gradients"] for x in alone])
        self.assertEqual(len(together), 2)
        self.assert_no_trial_processes()

    def spread(self, script, more=""):
        (self.directory / "rank.py").write_text(RANK + script)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n[trainable]\n"
            "command = %s {ini_dir}/rank.py\nranks = 2\n[resources]\nstrategy = strict_spread\n"
            "[space]\nx = 1\n[failure]\nbackoff = 0\n[cluster]\nlocal = false\n%s\n"
            % (sys.executable, more)
        )

    def waiting(self):
        """Rank 0 reports until the gate is open; the other rank waits for its end."""
        return self.spread(
            "gate = %r\nprint(os.getpid(), flush=True)\nwhile rank:\n    time.sleep(0.1)\n"
            "while trial.report(loss=1) and not os.path.exists(gate):\n    time.sleep(0.02)\n"
            % str(self.gate)
        )

    def test_the_output_of_each_rank_comes_to_the_head(self):
        self.open_gate()
        head, where = self.head(self.waiting())
        workers = [self.worker(where, name, "--once") for name in ("one", "two")]

        self.finish(head)

        for worker in workers:
            self.finish(worker)
        for rank, name in ((0, "stdout"), (1, "stdout.rank1")):
            told = json.loads(self.trial_file(0, name).read_text().splitlines()[0])
            self.assertEqual((told["RANK"], told["LOCAL_RANK"]), (str(rank), "0"))
            self.assertEqual(told["GROUP_RANK"], str(rank))
            self.assertEqual(set(told["TUNE_TRIAL_NODES"].split(",")), {"one", "two"})

    def test_what_each_rank_wrote_comes_to_the_head_from_its_node(self):
        self.open_gate()
        ini = self.spread(
            "rank or trial.report(loss=1)\n"
            "for name in ('first', 'second'):\n"
            "    with open('%s_of_%d' % (name, rank), 'w') as file:\n"
            "        file.write('%d' % rank * 100000)\n"
        )
        more = ("--trainable.ranks", "3", "--experiment.num_samples", "4")
        head, where = self.head(ini, *more)
        workers = [
            self.worker(where, name, "--once", "--own-storage") for name in ("one", "two", "three")
        ]

        said = self.finish(head)

        for worker in workers:
            self.finish(worker)
        self.assertNotIn("not all here", said.err)
        for trial in range(4):
            for rank in range(3):
                for name in ("first", "second"):
                    text = self.trial_file(trial, "%s_of_%d" % (name, rank)).read_text()
                    self.assertEqual(text, str(rank) * 100000)

    def test_a_rank_whose_node_is_lost_ends_its_attempt_everywhere(self):
        head, where = self.head(self.waiting())
        workers = {name: self.worker(where, name) for name in ("one", "two")}
        self.wait_for_attempts(1, head)
        self.wait_until(lambda: len(self.ranks_alive()) == 2, head, "two ranks")
        first = self.attempts()[0]["node"]
        (other,) = set(workers) - {first}

        os.kill(workers[other].pid, signal.SIGKILL)
        self.worker(where, "three")
        self.wait_for_attempts(2, head)
        self.open_gate()

        self.finish(head)
        ends = [row["end_class"] for row in self.attempts()]
        self.assertEqual(ends, ["node_lost", "finished"])
        self.assert_no_trial_processes()

    def test_what_a_rank_printed_comes_where_the_node_of_rank_0_is_lost(self):
        printed = self.directory / "printed"
        ini = self.spread(
            "gate = %r\nprint('rank', rank, 'prints', flush=True)\n"
            "open(%r + str(rank), 'w').close()\n"
            "while rank:\n    time.sleep(0.1)\n"
            "while trial.report(loss=1) and not os.path.exists(gate):\n    time.sleep(0.02)\n"
            % (str(self.gate), str(printed))
        )
        words = self.directory / "printed1"
        head, where = self.head(ini)
        workers = {name: self.worker(where, name) for name in ("one", "two")}
        self.wait_for_attempts(1, head)
        self.wait_until(words.exists, head, "words of rank 1")
        words.unlink()

        os.kill(workers[self.attempts()[0]["node"]].pid, signal.SIGKILL)
        self.worker(where, "three")
        self.wait_for_attempts(2, head)
        self.wait_until(words.exists, head, "words of rank 1 in the next attempt")
        self.open_gate()

        self.finish(head)
        self.assertEqual([row["end_class"] for row in self.attempts()], ["node_lost", "finished"])
        self.assertEqual(self.trial_file(0, "stdout.rank1").read_text().count("rank 1 prints"), 2)

    def test_a_trial_that_is_paused_goes_on_with_all_its_ranks(self):
        ini = self.spread(
            "gate = %r\nplace = 0\n"
            "if trial.restore_dir:\n"
            "    place = int(open(os.path.join(trial.restore_dir, 'place')).read())\n"
            "print('begins at', place, flush=True)\n"
            "while rank:\n    time.sleep(0.1)\n"
            "def save(directory):\n"
            "    open(os.path.join(directory, 'place'), 'w').write(str(place))\n"
            "while not os.path.exists(gate):\n    place += 1\n    time.sleep(0.02)\n"
            "    if not trial.report(loss=place, save=save):\n        break\n"
            % str(self.gate)
        )
        head, where = self.head(ini)
        workers = [self.worker(where, name, "--once") for name in ("one", "two")]
        self.wait_for_attempts(1, head)
        place = self.directory / "results" / "x"
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM results"), head, "a report")

        self.run_node("pause", place, "0")
        self.wait_until(
            lambda: self.rows("SELECT status FROM trials") == [{"status": "PAUSED"}], head, "a pause"
        )
        self.wait_until(lambda: not self.ranks_alive(), head, "the end of both ranks")
        (row,) = self.rows("SELECT max(training_iteration) AS n FROM results")
        self.run_node("unpause", place, "0")
        self.wait_for_attempts(2, head)
        self.wait_until(lambda: len(self.ranks_alive()) == 2, head, "two ranks again")
        self.open_gate()

        self.finish(head)
        for worker in workers:
            self.finish(worker)
        self.assertEqual([x["end_class"] for x in self.attempts()], ["paused", "finished"])
        for name in ("stdout", "stdout.rank1"):
            text = self.trial_file(0, name).read_text()
            self.assertEqual(
                [x for x in text.splitlines() if x.startswith("begins")],
                ["begins at 0", "begins at %d" % row["n"]],
            )
        self.assert_no_trial_processes()

    def ranks_alive(self):
        return [pid for pid in processes_of(self.directory) if self.is_rank(pid)]

    @staticmethod
    def is_rank(pid):
        try:
            with open("/proc/%d/environ" % pid, "rb") as file:
                return b"\0RANK=" in b"\0" + file.read()
        except OSError:
            return False

    def test_a_rank_that_fails_on_one_node_ends_the_one_on_another(self):
        ini = self.spread(
            "if rank:\n    sys.exit('no luck')\n"
            "while trial.report(loss=1):\n    time.sleep(0.02)\n"
        )
        head, where = self.head(ini)
        for name in ("one", "two"):
            self.worker(where, name, "--once")

        self.finish(head, 5)

        (attempt,) = self.attempts()
        self.assertEqual(attempt["end_class"], "user_error")
        self.assertRegex(attempt["detail"], "^rank 1 on node (one|two): exited with status 1\n *no luck")
        self.assert_no_trial_processes()


if __name__ == "__main__":
    main()
