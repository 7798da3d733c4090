# SPDX-License-Identifier: BSD-3-Clause
"""Ends of runs: budgets of failures, limits of time, signals, and the loss of the runtime
itself."""
import os
import resource
import shutil
import signal
import time
import unittest

from e2e import (
    DEADLINE, FAULTY_NODE, TUNE_NODE, Case, clean_environment, is_stopped, main, name_of, parent_of,
    processes_of,
)

# All configurations are drawn as soon as there is room for them in the queue.
BY_CHANCE = "[search]\ntype = random"
STATUSES = "SELECT status, count(*) AS count FROM trials GROUP BY status"


class Failures(Case):
    def test_a_trial_is_tried_again_within_its_budget(self):
        ini = self.experiment("tune report 1 exit 3", more="[failure]\nmax_failures = 2")

        ran = self.run_node("run", ini, code=5)

        trial = self.rows("SELECT * FROM trials")[0]
        attempts = self.rows("SELECT * FROM attempts")
        self.assertEqual(trial["status"], "ERRORED", ran)
        self.assertEqual(trial["failures"], 3)
        self.assertEqual([row["end_class"] for row in attempts], ["user_error"] * 3)
        headings = [
            line
            for line in self.trial_file(0, "error.txt").read_text().splitlines()
            if line.startswith("===")
        ]
        self.assertEqual(len(headings), 3)

    def test_a_retry_can_succeed(self):
        flag = self.directory / "been here"
        script = self.ini(
            'if [ -e "%s" ]; then exec "$@" report 1; fi; touch "%s"; exec "$@" exit 3\n'
            % (flag, flag),
            "trial.sh",
        )
        ini = self.experiment("tune", more="[failure]\nmax_failures = 1")
        ini.write_text(ini.read_text().replace("command = ", "command = sh %s " % script))

        told = self.run_node("run", ini, "--strict", "-o", "json").json()

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        self.assertEqual(self.rows("SELECT failures FROM trials")[0]["failures"], 1)

    def test_trials_that_fail_alike_from_the_start_end_the_run_early(self):
        ini = self.experiment("tune err 'no such module' exit 3", "x = uniform(0, 1)", samples=100)

        ran = self.run_node("run", ini, "--cluster.cpus", "2", "-o", "json", code=5)

        told = ran.json()
        self.assertEqual(told["status"], "failed")
        self.assertIsNone(told["best"])
        self.assertGreaterEqual(told["counts"]["ERRORED"], 5)
        self.assertLess(told["counts"]["ERRORED"], 10)
        self.assertIn("no such module", ran.err)
        why = self.rows("SELECT why FROM experiment")[0]["why"]
        self.assertIn("the first 5 trials all failed alike", why)

    def test_the_last_lines_of_a_failure_are_shown_at_once(self):
        gate = self.directory / "gate"
        ini = self.experiment("", "fault = grid(0, 1)")
        script = self.ini(
            'case $1 in 0) shift; exec "$@" tune err "last words" exit 3;;'
            ' *) shift; exec "$@" tune wait_for "%s" report 1;; esac\n' % gate,
            "trial.sh",
        )
        ini.write_text(ini.read_text().replace("command = ", "command = sh %s {fault} " % script))
        with open(self.directory / "talk", "w") as talk:
            child = self.start("run", ini, stderr=talk)

            # The other trial goes on until its gate opens.
            self.wait_until(
                lambda: "last words" in (self.directory / "talk").read_text(), child
            )
            self.assertIsNone(child.poll())
            gate.touch()
            self.finish(child)

    def without_metric(self, keys, words):
        """Runs a program that ends well and prints no metric. Returns what is told, and what is
        recorded."""
        script = self.ini(words, "trial.sh")
        ini = self.ini("[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n[trainable]\n"
                       "command = sh %s {x}\nmetric.loss = loss=(\\S+)\n%s\n[space]\n"
                       "x = uniform(0, 1)\n" % (script, keys))
        told = self.run_node("run", ini, code=5)
        return told.out + told.err, self.rows("SELECT detail FROM attempts")[0]["detail"]

    def test_a_metric_that_never_came_on_stderr_is_told_with_what_came_there(self):
        told, detail = self.without_metric("stream = stderr", "echo done\necho Loss was 3 >&2\n")

        self.assertEqual(detail.partition("\n")[2], "stdout:\n  done\nstderr:\n  Loss was 3")
        self.assertRegex(told, r"tune-node logs \S+ 0+ --stderr")

    def test_a_metric_that_never_came_on_stdout_is_told_with_stderr_as_well(self):
        told, detail = self.without_metric(
            "", "echo begins\necho \"ModuleNotFoundError: No module named 'x'\" >&2\n")

        self.assertEqual(detail.partition("\n")[2], "stderr:\n  ModuleNotFoundError: No module named"
                                                    " 'x'\nstdout:\n  begins")
        self.assertIn("ModuleNotFoundError", told)

    def test_fail_fast_stops_everything_at_the_first_failure(self):
        ini = self.experiment(
            "tune exit 3", "x = uniform(0, 1)", samples=50,
            more="[failure]\nfail_fast = true\nmax_failures = 2\n"
        )

        ran = self.run_node("run", ini, "--cluster.cpus", "1", "-o", "json", code=5)

        told = ran.json()
        self.assertEqual(told["status"], "failed")
        self.assertEqual(told["counts"]["ERRORED"], 1)
        self.assertEqual(told["counts"]["RUNNING"], 0)
        self.assertEqual(self.rows("SELECT count(*) AS n FROM attempts")[0]["n"], 1)

    def test_fail_fast_beside_a_trial_that_has_reported_is_exit_4(self):
        (self.directory / "go.sh").write_text(
            "if [ $1 = 0 ]; then echo loss=1; exec sleep 600; fi\n"
            "until [ -s $2/results/x/trials/00000/result.jsonl ]; do sleep 0.02; done; exit 3\n")
        ini = self.ini(
            "[experiment]\nmetric = loss\n[trainable]\ncommand = sh ./go.sh {x} {ini_dir}\n"
            "metric.loss = loss={number}\n[space]\nx = grid(0, 1)\n[failure]\nfail_fast = true\n")

        ran = self.run_node("run", ini, "--cluster.cpus", "2", "-o", "json", code=4)

        self.assertEqual(ran.json()["best"]["trial"], "00000")
        self.run_node("wait", "results/x", code=4)

    def test_strict_holds_at_a_limit_of_time(self):
        (self.directory / "go.sh").write_text(
            "echo loss=1\n[ $1 = 0 ] && exec sleep 600\nexit 3\n")
        ini = self.ini(
            "[experiment]\nmetric = loss\ntime_limit = 1s\n[trainable]\n"
            "command = sh ./go.sh {x}\nmetric.loss = loss={number}\n[space]\nx = grid(1, 0)\n"
            "[failure]\nmax_failures = 0\n")

        self.run_node("run", ini, "--cluster.cpus", "2", "--strict", code=4)
        self.run_node("wait", "results/x", "--strict", code=4)
        self.run_node("wait", "results/x")
        # Nothing would run, and what failed would not count as failed any more.
        for mode in ("errored_only", "restart_errored"):
            vain = self.run_node("resume", "results/x", "--mode", mode, code=8)
            self.assertIn("nothing that failed would run, since experiment.time_limit = 1.0s is over",
                          vain.err)
        self.run_node("wait", "results/x", "--strict", code=4)
        left = self.run_node("resume", "results/x", "--mode", "errored_only",
                             "--experiment.time_limit", "0", "-o", "json")
        self.assertEqual(left.json()["status"], "left_off")

    def test_strict_turns_a_failed_trial_into_exit_4(self):
        ini = self.cpp_experiment("moody", "kind = grid(throws, learns)")

        self.run_node("run", ini, "--strict", program=FAULTY_NODE, code=4)
        self.run_node("run", ini, "--experiment.name", "y", program=FAULTY_NODE)


class Limits(Case):
    def test_the_time_limit_ends_the_run_in_order(self):
        ini = self.experiment("tune report 1 hang", "x = uniform(0, 1)", samples=4, more=BY_CHANCE)

        ran = self.run_node(
            "run", ini, "-o", "json", "--experiment.time_limit", "1s", "--cluster.cpus", "2",
            "--cluster.stop_grace", "500ms", "--cluster.kill_grace", "500ms",
        )

        told = ran.json()
        self.assertEqual(told["status"], "time_limit")
        self.assertEqual(told["counts"]["PENDING"], 4)
        ends = {row["end_class"] for row in self.rows("SELECT end_class FROM attempts")}
        self.assertEqual(ends, {"interrupted"})
        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "time_limit")
        waited = self.run_node("wait", told["directory"], "-o", "json").json()
        self.assertEqual(waited["best"], told["best"])
        self.assert_no_trial_processes()

    def test_an_experiment_whose_time_is_over_is_given_nothing_in_vain(self):
        ini = self.experiment("tune report 1 hang", "x = uniform(0, 1)", samples=4, more=BY_CHANCE)
        self.run_node(
            "run", ini, "--experiment.time_limit", "1s", "--cluster.cpus", "2",
            "--cluster.stop_grace", "500ms", "--cluster.kill_grace", "500ms",
        )
        state = "SELECT status, why, (SELECT count(*) FROM trials) AS trials FROM experiment"
        before = self.rows(state)

        none = self.run_node("resume", "results/x", "--mode", "errored_only", "-o", "json")
        self.assertEqual(none.json()["status"], "time_limit")
        self.assertRegex(none.err, "no trial has failed, and so nothing runs again; tune-node resume "
                         ".*/x --experiment.time_limit 0 goes on with what is left\n")
        late = self.run_node("resume", "results/x", "--add", '{"x":0.5}', code=8)
        self.assertIn("would run, since experiment.time_limit = 1.0s is over", late.err)
        self.assertIn(" --experiment.time_limit 0 adds this configuration and runs it",
                      self.run_node("add", "results/x", "x=0.5", code=6).err)
        for words in (["pause", "results/x"], ["retry", "results/x", "0"]):
            self.assertIn(" --experiment.time_limit 0 goes on with it",
                          self.run_node(*words, code=6).err)
        self.assertEqual(self.rows(state), before)

    def test_the_limit_is_lifted_also_where_files_are_gone(self):
        script = self.directory / "go.sh"
        script.write_text("echo loss=1\nexec sleep 600\n")
        ini = self.ini(
            "[experiment]\nmetric = loss\ntime_limit = 1s\n[trainable]\ncommand = sh ./go.sh {x}\n"
            "metric.loss = loss={number}\n[space]\nx = uniform(0, 1)\n")
        self.run_node("run", ini, "--cluster.stop_grace", "500ms", "--cluster.kill_grace", "500ms")
        script.rename(self.directory / "elsewhere.sh")

        told = self.run_node("add", "results/x", "x=0.5", code=6).err

        self.assertIn("tune-node run FILE ", told)
        self.assertIn(" --experiment.time_limit 0 adds this configuration", told)

    def test_a_time_limit_before_anything_was_reported_is_no_success(self):
        ini = self.experiment("tune hang", "x = uniform(0, 1)", samples=2, more=BY_CHANCE)

        ran = self.run_node(
            "run", ini, "-o", "json", "--experiment.time_limit", "1s", "--cluster.stop_grace",
            "500ms", "--cluster.kill_grace", "500ms", code=5,
        )

        self.assertEqual(ran.json()["status"], "time_limit")

    def test_what_failed_trials_reported_before_a_time_limit_is_no_success(self):
        (self.directory / "go.sh").write_text(
            "[ $1 = 0 ] && exec sleep 600\necho loss=1\nexit 3\n")
        ini = self.ini(
            "[experiment]\nmetric = loss\ntime_limit = 1s\n[trainable]\n"
            "command = sh ./go.sh {x}\nmetric.loss = loss={number}\n[space]\nx = grid(1, 0)\n"
            "[failure]\nmax_failures = 0\n")

        ran = self.run_node("run", ini, "--cluster.cpus", "2", "-o", "json", code=5)
        self.assertEqual(ran.json()["status"], "time_limit")
        self.assertEqual(ran.json()["best"]["trial"], "00000")
        self.run_node("run", ini, "--experiment.name", "y", "--cluster.cpus", "2", "--strict", code=5)
        self.run_node("wait", "results/x", code=5)

    def test_what_failed_trials_reported_before_fail_fast_is_no_success(self):
        (self.directory / "go.sh").write_text(
            "[ $1 = 0 ] && exec sleep 600\necho loss=1\nexit 3\n")
        ini = self.ini(
            "[experiment]\nmetric = loss\n[trainable]\n"
            "command = sh ./go.sh {x}\nmetric.loss = loss={number}\n[space]\nx = grid(1, 0)\n"
            "[failure]\nmax_failures = 0\nfail_fast = true\n")

        self.run_node("run", ini, "--cluster.cpus", "2", code=5)
        self.run_node("wait", "results/x", code=5)

    def test_the_environment_limits_the_training_time(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[space]\nx = 1\n[trainable]\n"
            "command = sh -c 'i=0; while :; do i=$((i+1)); echo loss=$i; done'\n"
            "metric.loss = loss=(\\S+)\n"
        )
        limited = {"PATH": os.environ["PATH"], "TRIALRUNNER_WALLTIME_LIMIT": "0.2"}

        ran = self.run_node(
            "run", ini, "-o", "json", "--cluster.stop_grace", "500ms", "--cluster.kill_grace",
            "500ms", env=limited,
        )

        self.assertEqual(ran.json()["status"], "time_limit")
        row = self.rows("SELECT why FROM experiment")[0]
        self.assertIn("training_limit", row["why"])
        trained = self.rows("SELECT sum(time_this_iter_s) AS s FROM results")[0]["s"]
        self.assertGreaterEqual(trained, 0.2)

    def test_trials_may_open_as_many_files_as_the_user_and_the_program_as_it_can(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            "[trainable]\ncommand = sh -c 'ulimit -Sn; ulimit -Hn; ulimit -Sn $(ulimit -Hn); "
            "grep \"open files\" /proc/$PPID/limits; echo loss=1'\n"
            "metric.loss = loss=(\\S+)\n[space]\nx = 1\n"
        )
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

        self.run_node(
            "run", ini,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard)),
        )

        soft, most, guard = self.trial_file(0, "stdout").read_text().splitlines()[:3]
        self.assertEqual((soft, most), ("200", str(hard)))
        self.assertEqual(int(guard.split()[3]), min(hard, 2**20))
        self.assertFalse(self.trial_file(0, "stderr").exists())


class Signals(Case):
    QUICK = ["--cluster.stop_grace", "1s", "--cluster.kill_grace", "500ms", "-o", "json"]

    def started(self, ini, *words, running=1, **how):
        return self.running(self.start("run", ini, *words, **how), running)

    def running(self, child, trials=1):
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT DISTINCT trial FROM results")) >= trials,
            child,
            "the first reports",
        )
        return child

    def check_left_in_order(self, ran, trials):
        told = ran.json()
        self.assertEqual(told["status"], "interrupted")
        self.assertEqual(told["counts"]["PENDING"], trials, ran)
        ends = {row["end_class"] for row in self.rows("SELECT end_class FROM attempts")}
        self.assertEqual(ends, {"interrupted"})
        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "interrupted")
        self.assert_no_trial_processes()

    def test_d1_15_ctrl_c_leaves_off_in_order(self):
        ini = self.experiment("tune report 1 hang", "x = uniform(0, 1)", samples=4, more=BY_CHANCE)
        child = self.started(ini, "--cluster.cpus", "2", *self.QUICK, running=2)

        child.send_signal(signal.SIGINT)

        self.check_left_in_order(self.finish(child, 130), 4)

    def test_sigterm_leaves_off_in_order(self):
        ini = self.experiment("print loss=1 hang", report="line", samples=1)
        child = self.started(ini, *self.QUICK)

        child.send_signal(signal.SIGTERM)

        self.check_left_in_order(self.finish(child, 143), 1)

    def test_sighup_leaves_off_in_order(self):
        ini = self.experiment("tune report 1 hang")
        child = self.started(ini, *self.QUICK)

        child.send_signal(signal.SIGHUP)

        self.check_left_in_order(self.finish(child, 129), 1)

    def test_a_closed_stderr_does_not_end_the_run(self):
        gate = self.directory / "gate"
        ini = self.experiment(
            "tune report 1 wait_for %s" % gate, "x = uniform(0, 1)", samples=6
        )
        child = self.started(ini, "-o", "json", "--cluster.cpus", "2")

        child.stderr.close()
        child.stderr = None
        gate.touch()

        told = self.finish(child).json()
        self.assertEqual(told["counts"]["TERMINATED"], 6)

    def test_a_closed_stdout_is_told_at_the_end(self):
        gate = self.directory / "gate"
        ini = self.experiment("tune report 1 wait_for %s" % gate)
        child = self.started(ini, "-o", "json")

        child.stdout.close()
        child.stdout = None
        gate.touch()

        ran = self.finish(child, 7)
        self.assertIn("the result could not be written to stdout: Broken pipe", ran.err)
        self.assertEqual(self.rows("SELECT status FROM trials")[0]["status"], "TERMINATED")

    def test_a_program_that_ignores_term_is_not_lost_either(self):
        ini = self.experiment("print loss=1 hang_with_children", report="line")
        child = self.started(
            ini, "--cluster.stop_grace", "60s", "--cluster.kill_grace", "500ms", "-o", "json"
        )

        child.send_signal(signal.SIGINT)

        self.check_left_in_order(self.finish(child, 130), 1)

    def test_a_program_that_can_save_is_saved_first(self):
        ini = self.experiment("tune reports 100000000")
        child = self.started(ini, "-o", "json")

        child.send_signal(signal.SIGINT)

        self.check_left_in_order(self.finish(child, 130), 1)
        saved = self.rows("SELECT * FROM checkpoints")
        self.assertEqual([row["state"] for row in saved], ["good"])
        state = self.directory / "results" / "x" / saved[0]["location"] / "state"
        self.assertEqual(state.read_text(), "kept")

    def test_a_function_ends_at_its_next_report(self):
        ini = self.cpp_experiment("learns", "steps = 100000000")
        child = self.started(
            ini, "-o", "json", "--cluster.stop_grace", "%ds" % (2 * DEADLINE), program=FAULTY_NODE
        )

        child.send_signal(signal.SIGINT)

        self.check_left_in_order(self.finish(child, 130), 1)

    def test_a_function_on_a_thread_ends_at_its_next_report(self):
        ini = self.cpp_experiment("learns", "steps = 100000000", isolation="thread")
        child = self.started(
            ini, "-o", "json", "--cluster.stop_grace", "%ds" % (2 * DEADLINE), program=FAULTY_NODE
        )

        child.send_signal(signal.SIGINT)

        self.check_left_in_order(self.finish(child, 130), 1)

    def test_the_second_signal_ends_at_once(self):
        ini = self.experiment("tune report 1 hang_with_children")
        child = self.started(
            ini, "--cluster.stop_grace", "%ds" % (2 * DEADLINE), "--cluster.kill_grace", "500ms"
        )

        child.send_signal(signal.SIGINT)
        # Two signals of the same kind at once would count as one.
        self.wait_until(lambda: not pending(child.pid, signal.SIGINT), child)
        child.send_signal(signal.SIGTERM)

        self.finish(child, 143)
        self.assert_no_trial_processes()

    def test_a_program_that_is_signalled_by_timeout_leaves_off_in_order(self):
        # `timeout` signals the process and then the group, which must not count as a second
        # request.
        ini = self.experiment("tune reports 100000000")
        words = ("1h", TUNE_NODE, "run", ini, "-o", "json")
        child = self.running(self.start(*words, program="timeout"))

        child.send_signal(signal.SIGTERM)

        self.check_left_in_order(self.finish(child, 143), 1)
        self.assertEqual([row["state"] for row in self.rows("SELECT * FROM checkpoints")], ["good"])

    def test_a_killed_runtime_leaves_no_process_behind(self):
        ini = self.experiment("tune report 1 hang_with_children", "x = uniform(0, 1)", samples=2)
        child = self.started(
            ini, "--cluster.cpus", "2", "--cluster.kill_grace", "1s", running=2
        )
        self.wait_until(lambda: len(processes_of(self.directory)) >= 6, child)
        killed_at = time.monotonic()

        child.send_signal(signal.SIGKILL)

        child.communicate(timeout=DEADLINE)
        self.assert_no_trial_processes()
        # The grace time and a margin for a busy machine.
        self.assertLess(time.monotonic() - killed_at, 20)
        # The record is intact: everything committed can be read.
        where = "results/x"
        told = self.run_node("trials", where, "-o", "json").json()
        self.assertEqual([row["status"] for row in told], ["RUNNING", "RUNNING"])


def pending(pid, number):
    """Whether a signal was sent to a process and is still pending."""
    with open("/proc/%d/status" % pid) as file:
        masks = dict(line.split(":\t", 1) for line in file if ":\t" in line)
    waiting = int(masks["ShdPnd"], 16) | int(masks["SigPnd"], 16)
    return bool(waiting >> (number - 1) & 1)


class Guards(Case):
    def test_what_a_killed_node_and_guard_left_is_swept_at_the_next_start(self):
        ini = self.experiment(
            "tune report 1 hang_with_children", more="[cluster]\nkill_grace = 500ms"
        )
        child = self.start("run", ini)
        self.wait_until(lambda: len(processes_of(self.directory)) == 3, child, "all descendants")
        parents = set(map(parent_of, processes_of(self.directory)))
        guard = next(pid for pid in parents if name_of(pid) == "tune-guard")
        # While it is stopped, the node cannot notice that its guard is gone.
        child.send_signal(signal.SIGSTOP)
        self.wait_until(lambda: is_stopped(child.pid), what="all its threads to stop")
        os.kill(guard, signal.SIGKILL)
        child.kill()
        child.wait()
        self.wait_until(lambda: len(processes_of(self.directory)) == 2, what="the trial's end")
        left = set(processes_of(self.directory))
        self.assertTrue(left)

        again = self.start("run", ini, "--resume")
        self.wait_until(lambda: not left & set(processes_of(self.directory)), again, "the sweep")

        self.wait_until(lambda: processes_of(self.directory), again, "the next attempt")
        again.send_signal(signal.SIGKILL)
        again.wait()
        self.assert_no_trial_processes()

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_valgrind_finds_nothing_and_does_not_stand_in_the_way_of_the_guard(self):
        tool = ["--quiet", "--leak-check=full", "--error-exitcode=9", "--log-file=valgrind.log"]
        if self.finish(self.start(*tool, TUNE_NODE, "--version", program="valgrind"), None).code:
            self.skipTest("this build does not run under valgrind")
        ini = self.experiment("tune report 1 report 2", samples=2)

        self.run_node(*tool, TUNE_NODE, "run", ini, program="valgrind")

        self.assertEqual(self.rows("SELECT status FROM trials"), [{"status": "TERMINATED"}] * 2)

    def test_a_signal_that_came_before_the_run_began_is_its_answer(self):
        # It is held from the start; TUNE_INSIDE_GUARD has the guard refused.
        def with_a_signal_held():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            os.kill(os.getpid(), signal.SIGINT)

        ini = self.experiment("tune report 1")
        how = {"env": clean_environment(TUNE_INSIDE_GUARD="1")}
        self.assertIn("own", self.run_node("run", ini, code=1, **how).err)

        ran = self.finish(self.start("run", ini, preexec_fn=with_a_signal_held, **how), 130)

        self.assertNotIn("own", ran.err)
        self.assertFalse((self.directory / "results").exists())

    def test_a_guard_that_cannot_be_started_ends_the_run_before_it_begins(self):
        ini = self.experiment("tune report 1", samples=3)

        ran = self.run_node("run", ini, code=1, env=clean_environment(TUNE_INSIDE_GUARD="1"))

        told = [line for line in ran.err.splitlines() if "warning" not in line]
        self.assertEqual(len(told), 1, ran)
        self.assertIn("no trial can run in a process of its own", told[0])
        self.assertFalse((self.directory / "results/x/experiment.db").exists())


if __name__ == "__main__":
    main()
