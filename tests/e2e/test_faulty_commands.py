# SPDX-License-Identifier: BSD-3-Clause
"""Programs that fail in every way: the experiment goes on, and the record says what happened."""
import json
import os
import shutil
import time

from e2e import Case, main, peak_memory

MEGABYTE = 1 << 20


class FaultyCommands(Case):
    def run_beside_good(self, fault, report=None, more="", code=0):
        """Runs a faulty and a good trial: 00000 does `fault`, 00001 reports three times."""
        good = "reports 3" if report is None else "prints 3"
        script = self.directory / "trial.sh"
        script.write_text(
            "case $1 in bad) shift; exec \"$@\" %s;; *) shift; exec \"$@\" %s;; esac\n"
            % (fault, good)
        )
        ini = self.experiment("", "what = grid(bad, good)", report, more)
        text = ini.read_text().replace("command = ", "command = sh %s {what} " % script)
        ini.write_text(text)
        ran = self.run_node("run", ini, "--output", "json", code=code)
        trials = self.rows("SELECT * FROM trials ORDER BY trial")
        self.assertEqual(len(trials), 2)
        self.assertEqual(trials[1]["status"], "TERMINATED", ran)
        self.assertEqual(trials[1]["iterations"], 3)
        self.assertEqual(ran.json()["best"]["trial"], "00001")
        return ran, trials[0]

    def failed_attempt(self):
        attempts = self.rows("SELECT * FROM attempts WHERE trial = 0")
        self.assertEqual(len(attempts), 1)
        return attempts[0]

    def assert_recorded(self, ran, trial, end_class, status, *texts):
        """Checks that database, the trial's file, `trials --why` and stderr tell the same
        story."""
        self.assertEqual(trial["status"], "ERRORED", ran)
        attempt = self.failed_attempt()
        self.assertEqual(attempt["end_class"], end_class)
        self.assertEqual(attempt["exit_status"], status)
        file = self.trial_file(0, "error.txt").read_text()
        story, shown = self.why(0)
        self.assertIn(end_class, file.splitlines()[0])
        self.assertIn(end_class, json.dumps(story))
        for text in texts:
            self.assertIn(text, attempt["detail"])
            self.assertIn(text, trial["error"])
            self.assertIn(text, file)
            self.assertIn(text, shown)
            self.assertIn(text, ran.err)
        self.assertIn(end_class, shown)

    def long_parameter(self, bytes_each, count=1):
        """Runs a command that fails since its parameters are this long. Returns the reason."""
        names = ["p%d" % i for i in range(count)]
        ini = self.experiment(
            "tune report 1 " + " ".join("{%s}" % x for x in names),
            "\n".join("%s = %s" % (x, "y" * (bytes_each - i)) for i, x in enumerate(names)),
        )
        ran = self.run_node("run", ini, "-o", "json", code=5)
        attempt = self.failed_attempt()
        self.assertEqual(attempt["end_class"], "user_error", ran)
        return attempt["detail"]

    def test_a_parameter_that_is_too_long_for_a_word_is_named_with_its_size(self):
        detail = self.long_parameter(150_000)

        self.assertIn('parameter "p0" has 150000 bytes, and Linux takes at most 131071', detail)
        self.assertIn("{params_file}", detail)

    def test_parameters_that_are_too_long_together_are_told_with_the_longest(self):
        limit = min(os.sysconf("SC_ARG_MAX"), 6 << 20)
        detail = self.long_parameter(100_000, limit // 100_000 + 2)

        self.assertIn("the words and the environment of the command have ", detail)
        self.assertIn('the longest parameter, "p0", has 100000 bytes', detail)

    def test_a_parameter_with_a_nul_byte_is_refused_with_its_key(self):
        ini = self.experiment("tune report 1 {x}", 'x = "a\\u0000b"')

        ran = self.run_node("run", ini, code=3)

        self.assertIn('"x": a text must not have a NUL byte', ran.err)

    def test_an_exception_is_told_with_its_last_lines(self):
        ran, trial = self.run_beside_good("tune report 1 raise 'the rate exploded'")

        self.assert_recorded(
            ran, trial, "user_error", 1, "exited with status 1", "RuntimeError: the rate exploded"
        )

    def test_an_abort_is_told_by_its_signal(self):
        ran, trial = self.run_beside_good("tune report 1 err 'last words' abort")

        self.assert_recorded(ran, trial, "user_error", -6, "ended by SIGABRT", "last words")

    def test_a_crash_is_told_by_its_signal(self):
        ran, trial = self.run_beside_good("tune report 1 err 'last words' crash")

        self.assert_recorded(ran, trial, "user_error", -11, "ended by SIGSEGV", "last words")

    def test_a_kill_from_outside_is_a_class_of_its_own(self):
        ran, trial = self.run_beside_good("tune report 1 err 'last words' kill")

        self.assert_recorded(ran, trial, "killed", -9, "ended by SIGKILL", "last words")

    def test_an_exit_status_is_told(self):
        ran, trial = self.run_beside_good("tune err 'last words' exit 3")

        self.assert_recorded(
            ran, trial, "user_error", 3, "exited with status 3", "last words"
        )

    def test_a_program_that_never_reports_has_failed(self):
        ran, trial = self.run_beside_good("tune print 'all is well'")

        self.assert_recorded(
            ran, trial, "user_error", 0, "exited 0 but metric 'loss' never appeared",
        )

    def test_a_program_that_never_prints_the_metric_has_failed(self):
        ran, trial = self.run_beside_good("print 'all is well'", "line")

        self.assert_recorded(
            ran, trial, "user_error", 0, "exited 0 but metric 'loss' never appeared", "all is well"
        )

    def test_a_report_without_the_objective_is_not_a_success(self):
        ran, trial = self.run_beside_good("tune other")

        self.assert_recorded(
            ran, trial, "user_error", 0, "exited 0 but metric 'loss' never appeared"
        )

    def test_a_breach_of_the_protocol_is_told(self):
        for what in ("junk hang", "junk report 1 exit 0"):
            with self.subTest(what):
                ran, trial = self.run_beside_good("tune report 1 " + what)

                self.assert_recorded(
                    ran, trial, "user_error", self.failed_attempt()["exit_status"],
                    "broke the command protocol", "this is no JSON",
                )
                shutil.rmtree(self.directory / "results")

    def test_a_program_that_never_reads_its_answers_is_ended(self):
        ran, trial = self.run_beside_good("tune unheard 1000000 hang")

        self.assert_recorded(ran, trial, "user_error", -15, "without reading its answers")
        self.assertLess(trial["iterations"], 10000)

    def test_a_long_error_text_is_recorded_whole_and_shown_short(self):
        ran, trial = self.run_beside_good("tune long_error 500000 exit 1")

        self.assertGreater(len(trial["error"]), 400000)
        self.assertLess(max(map(len, ran.err.splitlines())), 1000)

    def test_a8_7_and_b3_8_a_trial_that_outlives_its_stop_is_ended_and_has_not_failed(self):
        ran, trial = self.run_beside_good(
            "tune done_deaf", more="[cluster]\nstop_grace = 1s\nkill_grace = 500ms"
        )

        self.assertEqual(trial["status"], "TERMINATED", ran)
        self.assertEqual(self.failed_attempt()["end_class"], "stopped")
        self.assertIn("did not end within", self.failed_attempt()["detail"])
        self.assertNotIn("failed", ran.err)

    def test_a_slow_expression_keeps_nobody_else_waiting(self):
        begun = time.monotonic()
        ran, trial = self.run_beside_good(
            "backtrack 5000 print loss=1", "line",
            more="[trainable]\nmetric.slow = ^(a+)+$\n[failure]\nprogress_timeout = 3s",
        )

        self.assertEqual(self.failed_attempt()["end_class"], "timeout", ran)
        # Reading all lines would take minutes.
        self.assertLess(time.monotonic() - begun, 60)

    def test_after_a_trial_that_stops_the_guard_the_next_runs_under_another(self):
        ran, trial = self.run_beside_good(
            "tune report 1 stop_guard hang",
            more="[failure]\nprogress_timeout = 3s\n[cluster]\nkill_grace = 1s\ncpus = 1",
        )

        self.assertEqual(trial["status"], "ERRORED", ran)
        self.assertIn("guard did not answer", trial["error"])
        self.assert_no_trial_processes()

    def with_program(self, program):
        ini = self.experiment("")
        ini.write_text(
            "\n".join(
                "command = " + program if line.startswith("command") else line
                for line in ini.read_text().splitlines()
            )
        )
        return ini

    def test_a_program_that_does_not_exist_is_refused_before_the_run(self):
        for words in (["run"], ["config", "check"]):
            ran = self.run_node(*words, self.with_program("/no/such/program"), code=3)

            self.assertIn('x.ini:6: [trainable] command: "/no/such/program"', ran.err)
            self.assertFalse((self.directory / "results").exists())

    def test_a_program_that_no_path_leads_to_is_refused_where_no_worker_may_have_it(self):
        ini = self.with_program("no-such-program")
        says = 'x.ini:6: [trainable] command: there is no program "no-such-program" in PATH'

        ran = self.run_node("run", ini, code=3)
        self.assertIn(says, ran.err)
        self.assertFalse((self.directory / "results").exists())

        for words in (["run", "--dry-run"], ["config", "check"]):
            self.assertIn("warning: %s/%s" % (self.directory, says), self.run_node(*words, ini).err)

    def test_b3_11_nan_and_infinities_travel_unharmed(self):
        ran, trial = self.run_beside_good("tune strange report 7")

        self.assertEqual(trial["status"], "TERMINATED", ran)
        first = self.rows("SELECT metrics FROM results WHERE trial = 0 ORDER BY seq")[0]
        self.assertEqual(
            json.loads(first["metrics"]), {"loss": "nan", "up": "inf", "down": "-inf"}
        )
        line = self.trial_file(0, "result.jsonl").read_text().splitlines()[0]
        self.assertEqual(json.loads(line)["loss"], "nan")

    def test_nan_from_stdout_is_no_best_value(self):
        ran, trial = self.run_beside_good("print loss=nan print loss=-nan print loss=inf", "line")

        self.assertEqual(trial["status"], "TERMINATED", ran)
        self.assertEqual(trial["iterations"], 3)

    def test_a_program_that_hangs_after_its_last_report_is_killed(self):
        ran, trial = self.run_beside_good(
            "tune report 1 err 'still here' hang",
            more="[failure]\nprogress_timeout = 4s\n[cluster]\nkill_grace = 1s",
        )

        self.assert_recorded(ran, trial, "timeout", -15)
        self.assertIn("progress", trial["error"] + trial["reason"])
        self.assert_no_trial_processes()

    def test_what_a_killed_program_started_is_gone_with_it(self):
        ran, trial = self.run_beside_good(
            "tune report 1 hang_with_children",
            more="[failure]\nprogress_timeout = 2s\n[cluster]\nkill_grace = 500ms",
        )

        self.assertEqual(trial["status"], "ERRORED", ran)
        self.assertEqual(self.failed_attempt()["end_class"], "timeout")
        self.assert_no_trial_processes()

    def test_a_crash_without_protocol_is_told(self):
        ran, trial = self.run_beside_good("print loss=1 err 'last words' crash", "line")

        self.assert_recorded(ran, trial, "user_error", -11, "ended by SIGSEGV", "last words")

    def test_a_crash_after_the_final_metric_is_told(self):
        ran, trial = self.run_beside_good("print loss=1 err 'last words' exit 3", "line")

        self.assert_recorded(ran, trial, "user_error", 3, "exited with status 3", "last words")


class Floods(Case):
    """Unlimited output: neither memory nor disk use may grow with it."""

    def run_flood(self, program, report=None, more=""):
        # The good trial behind the flood waits, so that the runtime can be examined while it lives.
        usual = self.memory_of_a_small_run()
        gate = self.directory / "gate"
        ini = self.experiment(
            "%s touch %s wait_for %s" % (program, self.directory / "done", gate), "x = 1", report,
            more,
        )
        child = self.start("run", ini, "--trainable.output_cap", "1MiB", "--output", "json")
        self.wait_until((self.directory / "done").exists, child, "the end of the flood")
        peak = peak_memory(child.pid)
        gate.touch()
        ran = self.finish(child)
        self.assertLess(peak - usual, 50 * MEGABYTE)
        return ran

    def test_200_megabytes_on_stdout_and_stderr_leave_memory_flat(self):
        self.run_flood("tune flood 200 flood_err 20 report 1")

        for name in ("stdout", "stderr"):
            file = self.trial_file(0, name)
            self.assertLess(file.stat().st_size, 2 * MEGABYTE)
            self.assertIn(b" bytes left out here]\n", file.read_bytes())

    def test_200_megabytes_among_lines_that_are_read_leave_memory_flat(self):
        self.run_flood("print loss=3 flood 200 print loss=2", "line")

        results = self.rows("SELECT metrics FROM results ORDER BY seq")
        self.assertEqual([json.loads(row["metrics"])["loss"] for row in results], [3, 2])


if __name__ == "__main__":
    main()
