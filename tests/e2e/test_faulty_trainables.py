# SPDX-License-Identifier: BSD-3-Clause
"""C++ trainables that fail in every way, in a process of their own and on a thread."""
import json

from e2e import FAULTY_NODE, Case, main, peak_memory

ALL = "learns, throws, aborts, crashes, leaves, hangs, silent, not_numbers"
QUICK = [
    "--failure.progress_timeout", "3s", "--failure.max_consecutive_failures", "0",
    "--cluster.kill_grace", "500ms",
]


class FaultyTrainables(Case):
    def test_each_fault_costs_one_trial_and_is_told(self):
        usual = self.memory_of_a_small_run(FAULTY_NODE)
        ini = self.cpp_experiment("moody", "kind = grid(%s)" % ALL)
        child = self.start("run", ini, *QUICK, "-o", "json", program=FAULTY_NODE)
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT 1 FROM trials WHERE status = 'ERRORED'")) >= 2,
            child,
        )
        self.assertLess(peak_memory(child.pid) - usual, 50 << 20)

        ran = self.finish(child)

        trials = {
            json.loads(row["config"])["kind"]: row for row in self.rows("SELECT * FROM trials")
        }
        attempts = {row["trial"]: row for row in self.rows("SELECT * FROM attempts")}
        wanted = {
            "throws": ("user_error", None, "the learning rate exploded"),
            "aborts": ("user_error", -6, "ended by SIGABRT"),
            "crashes": ("user_error", -11, "ended by SIGSEGV"),
            "leaves": ("user_error", 3, "exited with status 3"),
            "hangs": ("timeout", -15, "no report within the progress timeout"),
        }
        for kind, (how, status, text) in wanted.items():
            with self.subTest(kind):
                trial = trials[kind]
                attempt = attempts[trial["trial"]]
                self.assertEqual(trial["status"], "ERRORED", ran)
                self.assertEqual(attempt["end_class"], how)
                if status is not None:
                    self.assertEqual(attempt["exit_status"], status)
                story, shown = self.why(trial["trial"], program=FAULTY_NODE)
                error = self.trial_file(trial["trial"], "error.txt").read_text()
                for place in (trial["error"], attempt["detail"], error, shown, ran.err):
                    self.assertIn(text, place)
                self.assertIn(text, json.dumps(story))
        for kind in ("aborts", "crashes", "leaves"):
            self.assertIn("about to", trials[kind]["error"])
        self.assertEqual(trials["learns"]["iterations"], 3)
        self.assertEqual(trials["learns"]["status"], "TERMINATED")
        self.assert_odd_but_legal(trials)
        self.assert_no_trial_processes()

    def assert_odd_but_legal(self, trials):
        # A trial without a report counts neither as an error nor as a success.
        silent = trials["silent"]
        self.assertEqual((silent["status"], silent["iterations"]), ("TERMINATED", 0))
        odd = trials["not_numbers"]
        self.assertEqual((odd["status"], odd["iterations"]), ("TERMINATED", 3))
        reports = self.rows(
            "SELECT metrics FROM results WHERE trial = %d ORDER BY seq" % odd["trial"]
        )
        self.assertEqual(
            [json.loads(row["metrics"])["loss"] for row in reports], ["nan", "inf", "-inf"]
        )

    def test_a_process_that_is_reused_is_lost_only_with_the_trial_that_crashes_it(self):
        ini = self.cpp_experiment(
            "moody",
            "kind = grid(learns, not_numbers, crashes, throws, hangs, silent)",
            more="[trainable]\nreuse_actors = true\n[cluster]\ncpus = 1\n",
        )

        ran = self.run_node("run", ini, *QUICK, "-o", "json", program=FAULTY_NODE)

        counts = ran.json()["counts"]
        self.assertEqual((counts["TERMINATED"], counts["ERRORED"]), (3, 3), ran)
        attempts = self.rows("SELECT * FROM attempts ORDER BY trial")
        self.assertEqual(
            [x["end_class"] for x in attempts],
            ["finished", "finished", "user_error", "user_error", "timeout", "finished"],
        )
        pids = [x["pid"] for x in attempts]
        # The first three shared one process, each later one had its own.
        self.assertEqual(pids[:3], 3 * pids[:1])
        self.assertEqual(len(set(pids)), 4)
        self.assertEqual([x["exit_status"] for x in attempts], [None, None, -11, 1, -15, None])
        self.assert_no_trial_processes()

    def test_b3_9_a_trainable_that_never_reports_has_not_succeeded(self):
        ini = self.cpp_experiment("silent")

        told = self.run_node("run", ini, "-o", "json", program=FAULTY_NODE, code=5).json()

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        self.assertIsNone(told["best"])

    def test_on_a_thread_exceptions_and_hangs_cost_one_trial_each(self):
        ini = self.cpp_experiment(
            "moody", "kind = grid(throws, hangs, silent, not_numbers, learns)", isolation="thread"
        )

        ran = self.run_node("run", ini, *QUICK, "-o", "json", program=FAULTY_NODE)

        self.assertEqual(ran.json()["counts"]["ERRORED"], 2, ran)
        errors = [row["error"] for row in self.rows("SELECT error FROM trials ORDER BY trial")]
        self.assertIn("the learning rate exploded", errors[0])
        self.assertIn("no report within the progress timeout", errors[1])

    def acting(self, steps, pause=0, breaks=0, samples=1):
        space = "steps = %d\npause_ms = %d\nbreaks = %d" % (steps, pause, breaks)
        more = "max_failures = 1\n[checkpoint]\nfrequency = 1\n"
        return self.cpp_experiment("paces", space, more, samples, isolation="thread")

    def test_an_actor_that_breaks_goes_on_from_its_checkpoint(self):
        ran = self.run_node("run", self.acting(5, breaks=3), "-o", "json", program=FAULTY_NODE)

        self.assertEqual(ran.json()["counts"]["TERMINATED"], 1, ran)
        attempts = self.rows("SELECT * FROM attempts ORDER BY started")
        # It was asked to end with a last checkpoint, like a class.
        self.assertEqual([x["end_class"] for x in attempts], ["user_error", "stopped"])
        self.assertEqual(attempts[0]["detail"], "the actor broke")
        told = self.rows("SELECT training_iteration AS n FROM results ORDER BY seq")
        iterations = [x["n"] for x in told]
        self.assertEqual(iterations, [1, 2, 3, 4, 5])

    def test_an_actor_goes_on_from_its_checkpoint_where_its_program_was_killed(self):
        child = self.start("run", self.acting(40, pause=20), program=FAULTY_NODE)
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT 1 FROM checkpoints")) >= 3, child
        )
        child.kill()
        child.wait()
        saved = self.rows("SELECT max(training_iteration) AS n FROM checkpoints")[0]["n"]

        ran = self.run_node("resume", "results/x", "-o", "json", program=FAULTY_NODE)

        self.assertEqual(ran.json()["counts"]["TERMINATED"], 1, ran)
        told = self.rows("SELECT training_iteration AS at, metrics FROM results ORDER BY seq")
        for row in told:
            self.assertEqual(json.loads(row["metrics"])["n"], row["at"])
        self.assertEqual(told[-1]["at"], 40)
        # Steps before the checkpoint are not repeated.
        again = [x["at"] for x in told if x["at"] <= saved]
        self.assertEqual(again, sorted(set(again)))


if __name__ == "__main__":
    main()
