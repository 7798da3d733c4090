# SPDX-License-Identifier: BSD-3-Clause
"""Experiments in virtual time, and the check of a record, as used from the command line."""
import sqlite3

from e2e import ROOT, Case, main

TABLE = ROOT / "config" / "table.ini"


class Simulate(Case):
    def simulate(self, *words, code=0):
        return self.run_node("simulate", TABLE, *words, code=code)

    def test_finds_what_a_real_run_finds_and_writes_nothing(self):
        told = self.simulate("--scheduler.type", "fifo", "--output", "json").json()
        self.assertEqual(list(self.directory.iterdir()), [])

        ran = self.run_node("run", TABLE, "--scheduler.type", "fifo", "--output", "json").json()

        self.assertEqual(told["status"], "done")
        self.assertEqual(told["counts"], ran["counts"])
        self.assertEqual(told["best"]["trial"], ran["best"]["trial"])
        self.assertEqual(told["best"]["metrics"], ran["best"]["metrics"])
        self.assertIsNone(told["directory"])

    def test_keeps_constraints_as_a_real_run_does(self):
        words = ["--scheduler.type", "fifo", "--experiment.constraints", "accuracy <= -1000"]

        told = self.simulate(*words, "--output", "json").json()["best"]
        ran = self.run_node("run", TABLE, *words, "--output", "json").json()["best"]

        self.assertGreater(told["violation"], 0)
        self.assertEqual(told["violation"], ran["violation"])
        self.assertIn("no trial keeps all constraints", self.simulate(*words).out)

    def test_takes_its_time_from_the_table_and_its_nodes_from_the_caller(self):
        one = self.simulate("--scheduler.type", "fifo", "--output", "json").json()
        four = self.simulate("--scheduler.type", "fifo", "--nodes", "4", "--output", "json").json()

        self.assertAlmostEqual(one["elapsed_s"], one["simulated"]["computed_s"], places=2)
        self.assertEqual(four["simulated"]["most_running"], 4)
        self.assertLess(four["elapsed_s"], one["elapsed_s"] / 3)

    def test_counts_of_an_iteration_that_a_limit_cut_short_what_has_passed(self):
        told = self.simulate("--scheduler.type", "fifo", "--experiment.time_limit", "3s",
                             "--experiment.max_concurrent_trials", "1", "--output", "json").json()

        self.assertEqual(told["status"], "time_limit")
        self.assertLessEqual(told["simulated"]["computed_s"], told["elapsed_s"])
        self.assertLessEqual(told["simulated"]["mean_running"], 1)

    def test_equal_seeds_give_equal_runs_also_on_nodes_that_come_and_go(self):
        words = ["--nodes", "3", "--node-mtbf", "5s", "--node-repair", "2s", "--latency", "10ms"]
        words += ["--output", "json"]

        once = self.simulate(*words, "--seed", "7")
        again = self.simulate(*words, "--seed", "7")
        other = self.simulate(*words, "--seed", "8")

        self.assertEqual(once.out, again.out)
        self.assertNotEqual(once.out, other.out)
        self.assertEqual(sum(once.json()["counts"].values()), 36)

    def test_tells_people_what_it_comes_to(self):
        told = self.simulate("--nodes", "2", "--cpus", "4")

        self.assertIn("best: trial", told.out)
        self.assertIn("simulated: 2 nodes with 4 CPU each", told.out)
        self.assertNotIn("directory", told.out)

    def test_tells_when_a_target_was_reached(self):
        fifo = ["--scheduler.type", "fifo"]

        far = self.simulate(*fifo, "--target", "0.97", "--output", "json").json()
        near = self.simulate(*fifo, "--target", "0.9", "--output", "json").json()
        never = self.simulate(*fifo, "--target", "1.1", "--output", "json").json()

        times = [x["simulated"]["target_s"] for x in (near, far)]
        self.assertLess(0, times[0])
        self.assertLess(times[0], times[1])
        self.assertLess(times[1], far["elapsed_s"])
        self.assertIsNone(never["simulated"]["target_s"])
        self.assertNotIn("target_s", self.simulate("--output", "json").json()["simulated"])
        self.assertIn("target 0.9: reached after ", self.simulate(*fifo, "--target", "0.9").out)
        self.assertIn("target 2: not reached", self.simulate(*fifo, "--target", "2").out)
        self.simulate("--target", "much", code=2)

    def test_refuses_what_it_cannot_simulate(self):
        told = self.run_node("simulate", ROOT / "config" / "quadratic.ini", code=3)
        self.assertIn("kind = table", told.err)
        self.simulate("--nodes", "0", code=2)
        self.simulate("--trial-failure", "2", code=2)
        self.simulate("--output", "csv", code=2)


class Fsck(Case):
    def fsck(self, *words, code):
        return self.run_node("fsck", self.directory / "results" / "table", *words, code=code)

    def spoil(self, sql):
        with sqlite3.connect(self.directory / "results" / "table" / "experiment.db") as db:
            db.execute(sql)

    def test_finds_nothing_where_nothing_is_wrong(self):
        self.run_node("run", TABLE)

        self.assertIn("nothing found", self.fsck(code=0).out)
        verified = self.fsck("--verify", "--output", "json", code=0).json()
        self.assertGreater(verified["verified"], 100)
        self.assertEqual(verified["findings"], [])

    def test_names_the_row_that_is_not_what_the_log_gives(self):
        self.damaged.add("table")
        self.run_node("run", TABLE)
        self.spoil("UPDATE t_trials SET status = 'RUNNING' WHERE trial = 3")

        told = self.fsck(code=7)
        self.assertIn('trials 00003, trial 00003: status is "RUNNING"', told.out)
        finding = self.fsck("--output", "json", code=7).json()["findings"][0]
        self.assertEqual((finding["table"], finding["row"]), ("trials", "00003"))
        self.assertEqual(finding["promise"], "replay")

    def test_misses_decisions_and_attempts(self):
        self.damaged.add("table")
        self.run_node("run", TABLE)
        self.spoil("DELETE FROM t_decisions WHERE id = (SELECT min(id) FROM t_decisions)")
        self.spoil("UPDATE t_attempts SET end_class = 'killed' WHERE trial = 5")

        told = self.fsck(code=7).out
        self.assertIn("number of decisions is", told)
        self.assertIn("end_class is", told)

    def test_notices_an_event_that_is_missing_or_changed(self):
        self.damaged.add("table")
        self.run_node("run", TABLE)
        self.spoil("UPDATE t_events SET body = replace(body, '1', '2') WHERE kind = 'placed'")
        self.assertIn("t_events", self.fsck(code=7).err)
        self.spoil("DELETE FROM t_results WHERE seq = (SELECT min(seq) FROM t_results)")
        self.fsck(code=7)

    def test_is_refused_where_there_is_nothing(self):
        self.fsck(code=3)


if __name__ == "__main__":
    main()
