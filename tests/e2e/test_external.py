# SPDX-License-Identifier: BSD-3-Clause
"""Searchers that are processes, through the real program."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from e2e import ROOT, Case, main, processes_of
from test_ask_tell import Talk

SEARCHER = Path(__file__).with_name("external_searcher.py")
OPTUNA = ROOT / "examples" / "external" / "optuna_searcher.py"
# A Python that has Optuna, if it is not the one that runs the tests.
PYTHON = os.environ.get("TUNE_OPTUNA_PYTHON", sys.executable)
HAS_OPTUNA = subprocess.run([PYTHON, "-c", "import optuna"], capture_output=True).returncode == 0
AGAIN = 75
SAMPLERS = ("tpe", "cma_es", "nsga2", "random")
QUADRATIC = "name = quadratic\nisolation = thread"


class Searched(Case):
    """Experiments whose searcher is a process."""

    def setUp(self):
        super().setUp()
        self.marks = self.directory / "marks"
        self.marks.mkdir()

    def command(self, *faults):
        return "%s %s %s %s" % (sys.executable, SEARCHER, self.marks, " ".join(faults))

    def experiment_of(self, name, command, samples=14, more="", trainable=QUADRATIC):
        return self.ini(
            "[experiment]\nname = %s\nstorage = results\nmetric = loss\nmode = min\nseed = 11\n"
            "num_samples = %d\nmax_concurrent_trials = 1\n%s\n[space]\nx = uniform(-3, 3)\n"
            "y = quniform(-3, 3, 0.25)\nnoise = 0\n[search]\ntype = external\ncommand = %s\n%s\n"
            % (
                name,
                samples,
                "[trainable]\n%s" % trainable if trainable else "",
                command,
                more,
            ),
            name + ".ini",
        )

    def configs(self, name):
        return [
            json.loads(row["config"])
            for row in self.rows("select config from trials order by trial", name)
        ]

    def undisturbed(self, samples=14, command=None):
        name = "whole-%d" % samples
        self.run_node("run", self.experiment_of(name, command or self.command(), samples))
        return self.configs(name)


    def taken(self, name, command, *counts):
        """The trials given to an executor that trains one at a time and is killed together with
        the runtime after each of these numbers of trials."""
        ini = self.experiment_of(name, command, sum(counts), trainable=None)
        told = []
        for count in counts:
            words = ["--resume"] if told else []
            talk = Talk(self, self.start("ask-tell", ini, *words, stdin=subprocess.PIPE))
            for _ in range(count):
                given = talk.say("ask")
                self.assertEqual(given["op"], "trial", given)
                told.append(given["config"])
                talk.report(given["trial"], 1, (given["config"]["x"] - 1) ** 2)
                self.assertEqual(talk.say("complete", trial=given["trial"])["op"], "ok")
            talk.kill()
            self.assert_no_trial_processes()
        return told


class External(Searched):
    def log_of(self, name):
        return (self.directory / "results" / name / "search.log").read_text()

    def test_overwrite_removes_what_the_searcher_logged(self):
        ini = self.experiment_of("twice", self.command(), 3)
        self.run_node("run", ini)
        log = self.directory / "results" / "twice" / "search.log"
        self.assertTrue(log.exists())
        log.write_text("of the first run")

        self.run_node("run", ini, "--overwrite", "--yes")

        self.assertNotIn("of the first run", log.read_text())
        self.assertEqual(len(self.configs("twice")), 3)

    def test_suggests_the_same_though_its_process_dies_and_errs(self):
        faults = ("die:3", "stray:5", "leave:8", "wrong:9", "wrong:12")
        self.run_node("run", self.experiment_of("x", self.command(*faults)))
        self.assertEqual(self.configs("x"), self.undisturbed())
        self.assertEqual(
            sorted(each.name for each in self.marks.iterdir()),
            ["die-3", "leave-8", "stray-5", "wrong-12", "wrong-9"],
        )
        self.assertEqual(self.log_of("x").count("searching 3 parameters"), 4)
        self.assert_no_trial_processes()

    def test_warns_where_its_process_is_begun_anew_or_refused(self):
        faults = ("leave:2", "die:4", "wrong:5", "wrong:7")
        how = self.run_node("run", self.experiment_of("x", self.command(*faults)))
        self.assertIn(
            "the searcher's process is begun anew, 1 time so far: the process ended with exit"
            " status 3; on stderr: no module named bayes;", how.err
        )
        self.assertEqual(how.err.count("is begun anew"), 1, how.err)
        self.assertEqual(how.err.count("none of the space: \"x\": 99"), 1, how.err)

    def test_warns_an_executor_where_its_process_is_begun_anew(self):
        ini = self.experiment_of("x", self.command("leave:1"), trainable=None)
        child = self.start("ask-tell", ini, stdin=subprocess.PIPE)
        self.assertEqual(Talk(self, child).say("ask")["op"], "trial")
        told = child.communicate()[1]
        self.assertIn("the searcher's process is begun anew, 1 time so far", told)

    def test_suggests_the_same_after_kill_9_and_resume(self):
        ini = self.experiment_of("x", self.command("wait:9"))
        run = self.start("run", ini)
        self.wait_until((self.marks / "wait-9").exists, run, "the ninth question")
        run.send_signal(signal.SIGKILL)
        run.communicate()
        self.assert_no_trial_processes()
        self.assertGreaterEqual(len(self.configs("x")), 8)
        (self.marks / "go").touch()
        self.run_node("run", ini, "--resume")
        self.assertEqual(self.configs("x"), self.undisturbed())

    def test_leaves_nothing_behind_where_it_is_interrupted(self):
        ini = self.experiment_of("x", self.command("wait:9"))
        run = self.start("run", ini)
        self.wait_until((self.marks / "wait-9").exists, run, "the ninth question")
        run.send_signal(signal.SIGINT)
        self.finish(run, 130)
        self.assertEqual(processes_of(self.directory), [])
        (self.marks / "go").touch()
        self.run_node("resume", "results/x")
        self.assertEqual(self.configs("x"), self.undisturbed())

    def test_ends_in_order_with_the_cause_where_nothing_helps(self):
        ini = self.experiment_of("x", self.command("leave:0"), more="max_restarts = 2")
        how = self.run_node("run", ini, code=AGAIN)
        self.assertIn("exit status 3", how.err + how.out)
        self.assertIn("no module named bayes", how.err + how.out)
        self.assertIn("3 faults without a good answer", how.err + how.out)
        self.assert_no_trial_processes()
        # Once the fault is mended, the experiment goes on.
        Path(ini).write_text(Path(ini).read_text().replace("leave:0", ""))
        self.run_node("run", ini, "--resume")
        self.assertEqual(self.configs("x"), self.undisturbed())

    def test_tells_the_cause_whatever_the_form_of_the_output(self):
        ini = self.experiment_of("x", self.command("leave:0"), more="max_restarts = 0")
        for form in ("json", "jsonl", "csv"):
            how = self.run_node("run", ini, "--experiment.name", form, "-o", form, code=AGAIN)
            self.assertIn("interrupted: the searcher failed: ", how.err)
            self.assertIn("no module named bayes", how.err)
        told = json.loads(self.run_node("resume", "results/json", "-o", "json", code=AGAIN).out)
        self.assertEqual(told["status"], "interrupted")
        self.assertIn("no module named bayes", told["why"])

    def test_says_what_is_waited_for_where_it_has_nothing(self):
        ini = self.experiment_of("x", self.command("idle:0"))
        run = self.start("run", ini)

        def head():
            told = self.run_node("status", "results/x", "-o", "json", code=None)
            return told.json()["head"] if told.code == 0 else None

        wait = "nothing runs: no trial is left, and the searcher has no further one yet"
        self.wait_until(lambda: wait in ((head() or {}).get("waits_for") or ""), run, "the wait")
        run.send_signal(signal.SIGINT)
        self.finish(run, 130)

        how = self.run_node("resume", "results/x", "--experiment.stall_timeout", "4s", code=AGAIN)
        self.assertIn(wait, how.err)
        self.assertIn("stall_timeout (4 s)", how.err)
        self.assertIn("x: stalled: no trial is left, and the searcher has no further one", how.out)
        self.assertIn("tune-node resume", how.out)
        brief = ("--experiment.stall_timeout", "1s", "-o", "json")
        how = self.run_node("resume", "results/x", *brief, code=AGAIN)
        self.assertIn("stalled: the searcher waits for results", how.err)
        self.assertEqual(how.json()["status"], "stalled")
        # Once the searcher has something again, the experiment goes on.
        self.run_node("resume", "results/x", "--search.command", self.command())
        self.assertEqual(len(self.configs("x")), 14)

    def test_says_what_is_waited_for_where_it_does_not_answer(self):
        deaf = self.directory / "deaf.py"
        deaf.write_text("import sys\nfor line in sys.stdin:\n    pass\n")
        ini = self.experiment_of("x", "%s %s" % (sys.executable, deaf), more="answer_timeout = 6s\n"
                                 "max_restarts = 0")
        wait = "nothing runs: no trial is left, and the searcher has not answered yet"

        run = self.start("run", ini)
        self.wait_until(lambda: wait in self.run_node("status", "results/x", code=None).out, run,
                        "the wait")
        how = self.finish(run, AGAIN)

        self.assertEqual(how.err.count(wait), 1, how.err)
        self.assertIn("until [search] answer_timeout", how.err)

    def test_names_the_value_that_is_none_of_the_space(self):
        ini = self.experiment_of("x", self.command("wrong:0"), more="max_restarts = 1")
        how = self.run_node("run", ini, code=AGAIN)
        self.assertIn('"x": 99', how.err + how.out)
        self.assertIn("uniform(-3", how.err + how.out)

    def test_ends_where_it_says_that_there_is_no_more(self):
        self.run_node("run", self.experiment_of("x", self.command("never:6")))
        self.assertEqual(len(self.configs("x")), 5)

    def test_is_begun_anew_where_it_says_nothing(self):
        ini = self.experiment_of("x", self.command("hang:4"), more="answer_timeout = 3s")
        self.run_node("run", ini)
        self.assertEqual(self.configs("x"), self.undisturbed())

    def test_is_asked_once_for_a_configuration_that_runs_several_times(self):
        ini = self.experiment_of(
            "x", self.command("die:2"), 3, "repeat = 2",
            "command = echo loss={x}\nmetric.loss = loss=(\\S+)",
        )
        self.run_node("run", ini)
        configs = self.configs("x")
        self.assertEqual([each.pop("seed") for each in configs], [0, 1] * 3)
        self.assertEqual(configs[0::2], configs[1::2])
        self.assertEqual(len({each["x"] for each in configs}), 3)

    def test_serves_an_executor_through_kills(self):
        self.assertEqual(
            self.taken("broken", self.command("die:2"), 3, 4, 3),
            self.taken("whole", self.command(), 10),
        )

    def test_keeps_no_executor_from_ending(self):
        ini = self.experiment_of("x", self.command("hang:1", "hang:2"), trainable=None)
        for question, words in ((1, []), (2, ["--resume"])):
            child = self.start("ask-tell", ini, *words, stdin=subprocess.PIPE)
            child.stdin.write('{"op":"ask"}\n')
            child.stdin.flush()
            hangs = self.marks / ("hang-%d" % question)
            self.wait_until(hangs.exists, child, "the question")
            child.send_signal(signal.SIGTERM)
            self.finish(child, 143)
            self.assert_no_trial_processes()

    def test_cannot_be_verified_simulated_or_foretold(self):
        self.run_node("run", self.experiment_of("x", self.command(), 4))
        how = self.run_node("fsck", "results/x", "--verify")
        self.assertIn("answers of the external searcher not verified", how.out)
        told = self.run_node("fsck", "results/x", "--verify", "--output", "json").json()
        self.assertGreaterEqual(told["unverifiable"], 4)
        self.assertEqual(told["findings"], [])
        ini = self.experiment_of("y", self.command())
        how = self.run_node("run", ini, "--dry-run")
        self.assertIn("does not start", how.err)
        table = "kind = table\npath = %s" % (ROOT / "data" / "curves" / "digits_logistic.csv")
        ini = self.experiment_of("z", self.command(), trainable=table)
        how = self.run_node("simulate", ini, code=3)
        self.assertIn("a simulation starts none", how.err)
        self.assertEqual(processes_of(self.directory), [])

    def test_faults_of_its_command_are_found_before_the_run(self):
        for command, fault in (
            ("", "command: is missing"),
            ("python3 'x", "command: "),
            ("python3 x.py {x}", "{x}"),
            ("/no/such/program", "does not exist"),
        ):
            with self.subTest(command):
                how = self.run_node(
                    "config", "check", self.experiment_of("x", command), code=3
                )
                self.assertIn(fault, how.err + how.out)

    def test_the_shipped_configuration_runs(self):
        self.run_node(
            "run", ROOT / "config" / "external-digits.ini", "--experiment.num_samples", "3"
        )
        self.assertEqual(len(self.configs("external-digits")), 3)


@unittest.skipUnless(HAS_OPTUNA, "no Optuna for %s" % PYTHON)
class Optuna(Searched):
    def command(self, *faults):
        return "%s %s --sampler %s --startup 3" % (PYTHON, OPTUNA, self.sampler)

    def test_suggests_the_same_after_kills_of_the_head(self):
        for self.sampler in SAMPLERS:
            with self.subTest(self.sampler):
                self.assertEqual(
                    self.taken("broken-" + self.sampler, self.command(), 4, 9, 7),
                    self.taken("whole-" + self.sampler, self.command(), 20),
                )

    def test_suggests_the_same_in_a_run_whose_process_is_killed(self):
        for self.sampler in SAMPLERS:
            with self.subTest(self.sampler):
                whole = "whole-" + self.sampler
                self.run_node("run", self.experiment_of(whole, self.command(), 20))
                run = self.start(
                    "run", self.experiment_of(self.sampler, self.command(), 20)
                )
                self.wait_for_trials(5, run)
                self.kill_searcher()
                self.finish(run)
                self.assertEqual(self.configs(self.sampler), self.configs(whole))

    def test_finishes_a_run_whose_head_was_killed(self):
        self.sampler = "tpe"
        ini = self.experiment_of("tpe", self.command(), 20)
        run = self.start("run", ini)
        self.wait_for_trials(5, run)
        run.kill()
        run.communicate()
        self.assert_no_trial_processes()
        self.run_node("run", ini, "--resume")
        self.assertEqual(len(self.configs("tpe")), 20)

    def wait_for_trials(self, count, run):
        def there():
            found = self.rows_if_any("select count(*) as n from trials", self.sampler)
            return (found and found[0]["n"] >= count) or run.poll() is not None

        self.wait_until(there)

    def kill_searcher(self):
        for pid in processes_of(self.directory / "results" / self.sampler):
            with contextlib.suppress(OSError):
                if "python" in Path("/proc/%d/comm" % pid).read_text():
                    os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
