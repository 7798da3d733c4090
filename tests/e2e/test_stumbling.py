# SPDX-License-Identifier: BSD-3-Clause
"""Pitfalls for new users: failures, previews, and requests that cannot be met."""
import json
import signal
import sys

from controlled import ControlCase
from e2e import Case, main

FAILS = """
import os, sys
print("boom: cannot read x", file=sys.stderr)
for i in range(20):
    print("    at frame %d" % i, file=sys.stderr)
print("    at end of pid %d" % os.getpid(), file=sys.stderr)
sys.exit(3)
"""


class Checks(Case):
    """Faults that `config check` finds in the surroundings of the INI file, as a run would."""

    def faults(self, *words, code=3, trainable="command = echo {x}\nmetric.loss = {number}"):
        ini = self.ini("[experiment]\nmetric = loss\n[trainable]\n%s\n[space]\n"
                       "x = uniform(0, 1)\n" % trainable)
        return self.run_node("config", "check", ini, *words, code=code).err

    def test_earlier_experiments_that_are_not_there(self):
        for key in ("points_from", "learn_from"):
            told = self.faults("--search.type", "gp", "--search." + key, "nowhere")
            self.assertRegex(told, r"command line --search.%s: \[search\] %s = nowhere: .*nowhere"
                                   " holds no experiment" % (key, key))

    def test_scripts_that_are_not_there(self):
        told = self.faults(trainable="command = python3 ./gone.py {x}\nmetric.loss = {number}")
        self.assertRegex(told, r'x.ini:4: \[trainable\] command: "/.*/gone.py" does not exist')
        words = ("run", "x.ini", "--head", "127.0.0.1:1", "--insecure-plaintext")
        self.assertIn("gone.py", self.run_node(*words, code=3).err)
        self.assertFalse((self.directory / "results").exists())
        told = self.faults("--search.type", "external", "--search.command", "sh ./gone.sh")
        self.assertIn('gone.sh" does not exist', told)

    def test_answers_are_for_programs_too(self):
        ini = self.ini("[experiment]\nmetric = loss\n[trainable]\ncommand = echo {x}\n"
                       "metric.loss = {number}\n[space]\nx = uniform(0, 1)\n")
        fine = self.run_node("config", "check", ini, "-o", "json")
        self.assertEqual(fine.json(), {"file": str(ini), "fine": True})
        for what in ("explain", "print"):
            rows = self.run_node("config", what, ini, "-o", "json").json()
            metric = [x for x in rows if x["key"] == "experiment.metric"]
            self.assertEqual(metric, [{"key": "experiment.metric", "value": "loss",
                                       "from": "%s:2" % ini}])
        sheet = self.run_node("config", "explain", ini, "-o", "csv").out
        self.assertTrue(sheet.startswith("key,value,from\nexperiment."))

    def test_places_where_nothing_can_be_written(self):
        (self.directory / "file").write_text("")
        for words, wanted in (
            (["--log.file", "experiment.db"], "[log] file = experiment.db: it would be written into"),
            (["--log.file", "/tmp"], "[log] file = /tmp: /tmp is a directory"),
            (["--log.file", str(self.directory / "file" / "a.log")], "file is no directory"),
            (["--experiment.storage", "file/x"], "[experiment] storage = file/x: "),
        ):
            with self.subTest(words):
                self.assertIn(wanted, self.faults(*words))

    def test_what_workers_would_lack(self):
        listening = ["--cluster.listen", "127.0.0.1:0"]
        told = self.faults(*listening, "--cluster.certs", "nocerts")
        self.assertIn("[cluster] certs: nocerts/node.pem: there is no such file", told)
        told = self.faults(*listening, "--cluster.insecure_plaintext", "true",
                           "--trainable.files", "no*")
        self.assertIn('[trainable] files: "no*": matches no file', told)

    def test_a_table_that_cannot_be_read(self):
        (self.directory / "bad.csv").write_text("garbage\n")
        told = self.faults(trainable="path = bad.csv")
        self.assertIn("x.ini:4: [trainable] path: ", told)
        self.assertIn("bad.csv:1: there is no column training_iteration", told)

    def test_all_is_found_at_once_and_nothing_is_made(self):
        told = self.faults("--search.points_from", "nowhere", "--log.file", "lock")
        self.assertIn("[search] points_from", told)
        self.assertIn("[log] file", told)
        self.faults("--log.file", "run.log", code=0)
        self.assertFalse((self.directory / "results").exists())


class Failures(Case):
    def failing(self, samples, program=FAILS):
        (self.directory / "fails.py").write_text(program)
        return self.ini(
            "[experiment]\nmetric = x\nnum_samples = %d\n"
            "[trainable]\ncommand = %s {ini_dir}/fails.py {a}\nmetric.x = x={number}\n"
            "[space]\na = uniform(0, 1)\n[failure]\nbackoff = 0\nmax_consecutive_failures = 0\n"
            % (samples, sys.executable)
        )

    def test_the_first_and_the_last_lines_of_stderr_are_told(self):
        told = self.run_node("run", self.failing(1), code=5)

        lines = [x for x in told.err.splitlines() if x.startswith("  | ")]
        self.assertEqual(len(lines), 9, told.err)
        self.assertEqual(lines[0], "  |   boom: cannot read x")
        self.assertIn("… (14 lines between)", lines[3])
        self.assertIn("tune-node logs %s 00000 --stderr"
                      % (self.directory / "results" / "x"), told.err)

    def test_failures_are_grouped_by_the_line_that_names_the_error(self):
        program = """
import sys
print("/w/n.js:2\\n  throw x;\\n  ^\\n", file=sys.stderr)
print("TypeError: %s kind" % ("first" if float(sys.argv[1]) < 0.5 else "other"), file=sys.stderr)
for i in range(12):
    print("    at f (/w/n.js:%d:1)" % i, file=sys.stderr)
print("    at g {\\n  code: 'E'\\n}\\n\\nNode.js v20.20.2", file=sys.stderr)
sys.exit(1)
"""
        ini = self.failing(2, program)

        self.run_node("run", ini, "--space.a", "grid(0.2, 0.7)", "--experiment.num_samples", "1",
                      "-q", code=5)

        groups = self.run_node("trials", "results/x", "--failed", "-o", "json").json()
        self.assertEqual(sorted(x["text"] for x in groups),
                         ["exited with status 1: TypeError: first kind",
                          "exited with status 1: TypeError: other kind"])

    def test_what_is_alike_is_told_once(self):
        told = self.run_node("run", self.failing(12), code=5)

        self.assertEqual(told.err.count("  |   boom: cannot read x"), 1, told.err)
        self.assertIn("failed: the same as trial 000", told.err)
        self.assertIn("10 trials have by now", told.err)
        self.assertIn("12 trials failed: user_error: exited with status 3: boom", told.out)
        quiet = self.run_node("run", self.failing(12), "--experiment.name", "q", "-q", code=5)
        self.assertEqual(quiet.err.count("failed"), 1, quiet.err)

    def test_texts_that_differ_in_numbers_are_one_group(self):
        program = "import random, sys\nsys.exit('loss %g of step %d at line 7'" \
                  " % (random.random(), random.randrange(99)))\n"
        self.run_node("run", self.failing(6, program), "-q", code=5)

        groups = self.run_node("trials", "results/x", "--failed", "-o", "json").json()

        self.assertEqual([x["count"] for x in groups], [6])
        self.assertRegex(groups[0]["text"], "exited with status 1: loss 0\\S+ of step \\d+ at line 7")


class Looking(Case):
    def printing(self, more="", experiment="num_samples = 2\n", command="echo x=1", space=""):
        return self.ini(
            "[experiment]\nmetric = x\n%s[trainable]\ncommand = sh -c '%s'\n"
            "metric.x = x={number}\n[space]\na = uniform(0, 1)\n%s[failure]\nbackoff = 0\n%s"
            % (experiment, command, space, more)
        )

    def test_trials_without_any_number_are_told(self):
        more = "[scheduler]\ntype = asha\nmax_t = 3\n"
        ini = self.printing(more, command="for i in 1 2 3; do echo x=nan; done")

        told = self.run_node("run", ini, code=None)

        self.assertIn("2 trials never had a number other than NaN for x (trial 00000 reported NaN,"
                      " ...): none of them can be best", told.out)
        self.assertIn("best: none, no trial reported a number for x other than NaN", told.out)
        shown = self.run_node("status", "results/x", "-o", "json").json()
        self.assertEqual(len(shown["remarks"]), 1)

    def test_a_scheduler_that_judged_nobody_is_told(self):
        more = "[scheduler]\ntype = median_stopping\ngrace_period = 600\n"
        ini = self.printing(more, command="for i in 1 2 3; do echo x=1; done")
        told = ("median_stopping judged no trial: none trained for grace_period = 600 (seconds of"
                " time_total_s), the longest for ")

        self.assertIn(told, self.run_node("run", ini).out)
        shown = self.run_node("status", "results/x", "-o", "json").json()
        self.assertEqual(len(shown["remarks"]), 1)
        self.assertTrue(shown["remarks"][0].startswith(told), shown["remarks"])

        counted = ("--scheduler.time_attr", "training_iteration", "--scheduler.grace_period", "1")
        judged = self.run_node("run", ini, "--overwrite", "--yes", *counted)
        self.assertNotIn("judged no trial", judged.out)

    def test_what_came_in_the_place_of_a_number_is_told(self):
        for printed, told in (("x=high", 'the text "high"'), ("x=[1,2]", 'the text "[1,2]"')):
            with self.subTest(printed):
                ini = self.printing(command="echo " + printed)
                ini.write_text(ini.read_text().replace("x={number}", "x=(\\S+)"))
                ran = self.run_node("run", ini, "--overwrite", "--yes", code=5)
                self.assertIn("(trial 00000 reported %s, ...): none of them" % told, ran.out)

    def test_names_are_told_that_came_in_the_place_of_a_metric(self):
        script = self.directory / "t.sh"
        script.write_text(
            "#!/bin/sh\n"
            'echo \'{"metrics":{"acc":1,"size":2}}\' >&"$TUNE_TRIAL_REPORT_FD"\n'
            'eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"\n'
        )
        script.chmod(0o755)
        ini = self.ini(
            "[experiment]\nmetric = accc\nnum_samples = 2\n[trainable]\ncommand = ./t.sh {a}\n"
            "[space]\na = uniform(0, 1)\n[failure]\nbackoff = 0\n"
        )

        ran = self.run_node("run", ini, code=5)

        self.assertIn("(trial 00000 reported acc, size instead, ...): none of them", ran.out)

    def test_a_confirmation_that_fails_is_told(self):
        ini = self.printing(experiment="num_samples = 2\nconfirm = 1\n",
                            command="test {seed} -lt 1 && echo x={a}")

        told = self.run_node("run", ini)

        self.assertIn("no configuration was confirmed: 3 of the runs that were to confirm the best"
                      " failed", told.out)

    def test_a_confirmation_that_a_failure_cuts_short_is_told(self):
        ini = self.printing(experiment="num_samples = 2\nconfirm = 1\n",
                            more="max_failures = 0\nfail_fast = true\n[cluster]\ncpus = 1\n",
                            command="test {seed} -lt 1 && echo x={a}")

        told = self.run_node("run", ini, code=4)

        self.assertRegex(told.out, "no configuration is confirmed yet: [12] of [23] runs that are to"
                         " confirm the best have not ended|1 of the runs that were to confirm the best"
                         " failed")

    def test_what_was_reported_in_place_of_a_number_is_told_whatever_came_last(self):
        script = self.directory / "odd.sh"
        for first, told_as in (('"t"', "reported the text \"t\""), ("null", "reported null")):
            script.write_text("#!/bin/sh\n" + "".join(
                "echo '{\"metrics\":{\"x\":%s,\"y\":1}}' >&\"$TUNE_TRIAL_REPORT_FD\"\n"
                'eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"\n' % x for x in (first, "null")))
            script.chmod(0o755)
            ini = self.ini("[experiment]\nmetric = x\nnum_samples = 1\n[trainable]\n"
                           "command = ./odd.sh {a}\n[space]\na = 1\n")

            ran = self.run_node("run", ini, "--overwrite", "--yes", code=None)

            self.assertIn("(trial 00000 %s)" % told_as, ran.out)
            self.assertNotIn("did you mean", ran.err)

    def test_runs_that_nobody_has_drawn_yet_are_to_confirm_as_well(self):
        for last, told in ((3, "no configuration is confirmed yet: 4 of 4 runs"),
                           (5, "2 of 4 runs that are to confirm the best have not ended: another"
                               " configuration may turn out to be the best")):
            with self.subTest(last):
                count = self.directory / ("count %d" % last)
                ini = self.printing(
                    experiment="num_samples = 2\nconfirm = 2\nconfirm_runs = 2\n",
                    more="[cluster]\ncpus = 1\n",
                    command='echo x={a}; echo >> "%s"; test $(wc -l < "%s") -lt %d ||'
                            " exec sleep 600" % (count, count, last))
                child = self.start("run", ini, "--overwrite", "--yes")
                self.wait_until(
                    lambda: len(self.rows_if_any("SELECT 1 FROM results")) == last, child,
                    "a confirming report")
                child.send_signal(signal.SIGINT)
                out, _ = child.communicate(timeout=120)
                self.assertIn(told, out)

    def test_a_confirmation_that_is_not_over_is_told(self):
        ini = self.printing(experiment="num_samples = 2\nconfirm = 1\n",
                            more="[cluster]\ncpus = 3\n",
                            command="echo x={a}; test {seed} -lt 1 || exec sleep 600")
        child = self.start("run", ini)
        reports = "SELECT 1 FROM results"
        self.wait_until(lambda: len(self.rows_if_any(reports)) == 5, child, "confirming reports")
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=120)

        self.assertIn("no configuration is confirmed yet: 3 of 3 runs that are to confirm the best"
                      " have not ended", out)
        self.assertNotIn("none had a number", out)

    def test_a_preview_shows_templates_and_names_what_nobody_is_given(self):
        (self.directory / "t.in").write_text("# head\nvalue = {a}\n")
        ini = self.printing("[trainable]\ntemplate = t.in -> sub/t.toml\n", space="b = 1.5\n"
                            "lr = loguniform(1e-5, 1)\n")

        told = self.run_node("run", ini, "--dry-run").out

        self.assertIn("It would find sub/t.toml, in which these lines are filled in:\n  2: value = 0.",
                      told)
        self.assertIn("Note: lr stands in no command, env. or template", told)
        files = self.run_node("run", ini, "--dry-run", "-o", "json").json()["files"]
        self.assertTrue(files["sub/t.toml"].startswith("# head\nvalue = 0."))

    def test_a_parameter_that_nobody_is_given_is_warned_of_at_the_start(self):
        ini = self.printing(command="echo x={a}", space="lr = uniform(0, 1)\n")

        self.assertIn("[space] lr: in no command, env. or template, unlike {a}",
                      self.run_node("run", ini).err)

    def test_a_parameter_that_the_program_reads_by_itself_is_not_warned_of(self):
        self.ini("echo x=$TUNE_TRIAL_PARAM_lr\n", "trial.sh")
        ini = self.printing(space="lr = uniform(0, 1)\n")
        ini.write_text(ini.read_text().replace("sh -c 'echo x=1'", "sh ./trial.sh {a}"))

        self.assertNotIn("warning", self.run_node("run", ini).err)

    def test_a_preview_notes_nothing_where_the_program_reads_a_file(self):
        ini = self.printing(command="cat {params_file}; echo x=1")

        self.assertNotIn("Note:", self.run_node("run", ini, "--dry-run").out)

    def test_a_broken_domain_is_named_with_what_was_given(self):
        ini = self.printing('[search]\npoints = [{"a": 0.5}]\n')

        told = self.run_node("run", ini, "--space.a", "loguniform(1e-5", code=3)

        self.assertIn("command line --space.a: [space] \"a\": column 11: '(' is never closed,"
                      " in a = loguniform(1e-5\n", told.err)
        self.assertNotIn("gives way", told.err)

    def test_brackets_in_a_pattern_are_explained(self):
        ini = self.printing()
        ini.write_text(ini.read_text().replace("x={number}", "[{number}%]"))

        told = self.run_node("config", "check", ini, code=3)

        self.assertIn("brackets enclose a set of characters", told.err)

    def test_a_column_is_headed_as_it_was_asked_for(self):
        ini = self.printing("[search]\nrepeat = 2\n", command="echo x={seed}")
        self.run_node("run", ini)

        told = self.run_node("trials", "results/x", "--columns", "trial,runs_rank,runs_mean").out

        self.assertEqual(told.splitlines()[0].split(), ["trial", "runs_rank", "runs_mean"])

    def test_the_time_can_be_what_trials_are_judged_by(self):
        trial = self.directory / "trial.py"
        trial.write_text("import tune_node\nt = tune_node.Trial()\nt.report(y=1)\nt.report(y=2)\n")
        ini = self.ini(
            "[experiment]\nmetric = time_total_s\nmode = min\nnum_samples = 2\n"
            "[trainable]\ncommand = %s {ini_dir}/trial.py\nenv.PYTHONPATH = %s\n[space]\nx = 1\n"
            % (sys.executable, sys.path[0] + "/../../python")
        )

        best = self.run_node("run", ini, "-o", "json").json()["best"]

        self.assertEqual(best["iteration"], 1)
        self.assertGreater(best["metrics"]["time_total_s"], 0)
        rows = self.run_node("trials", "results/x", "--sort", "objective", "-o", "json").json()
        times = [x["objectives"]["time_total_s"] for x in rows]
        self.assertEqual(times, sorted(times))

    def test_a_trial_that_has_not_failed_cannot_be_tried_again_by_resume(self):
        self.run_node("run", self.printing(command="echo x={a}"), "-q")

        told = self.run_node("retry", "results/x", 1, code=6)

        self.assertIn("trial 00001 has not failed", told.err)
        self.assertIn("00001 runs its configuration again and compares", told.err)
        self.assertNotIn("errored_only", told.err)
        words = ["rerun", "results/x", "1", "-o", "json"]
        self.assertEqual(self.run_node(*words).json()["trial"], "00001")


class Adding(ControlCase):
    def test_a_configuration_with_a_seed_of_its_own_is_whole_by_its_one_run(self):
        ini = self.stepping(samples=1, slots=1, steps=1, space="lr = uniform(0, 1)",
                            more="[search]\ntype = random\nrepeat = 3\n")
        child = self.begin(ini, running=1)
        told = self.control("add", "--config", json.dumps({"lr": 0.5, "seed": 7}))
        self.assertIn("it names its seed, and so runs once and is judged by that run", told.out)
        self.let_all()
        self.finish(child)

        rows = self.run_node("trials", self.where, "--sort", "runs_rank", "-o", "json").json()
        runs = {x["config"]["lr"]: x["runs"] for x in rows}
        self.assertEqual(runs[0.5]["count"], 1)
        self.assertEqual(runs[0.5]["wanted"], 1)
        self.assertTrue(runs[0.5]["full"])


if __name__ == "__main__":
    main()
