# SPDX-License-Identifier: BSD-3-Clause
"""Programs that do not know of tune-node: their parameters, the reading of their output, and their
ends."""
import json
import shutil
import sys
import unittest

from cluster import Cluster
from e2e import clean_environment, main

# Prints thirty results, a moment apart, like a program that was not made to be observed.
PERL = r"""
for my $i (1 .. 30) {
  select(undef, undef, undef, 0.04);
  print "epoch $i loss: ", 1 / $i, "\n";
}
open(my $done, '>', $ARGV[0]);
"""

PYTHON = r"""
import sys, time
for i in range(1, 31):
    time.sleep(0.04)
    print("epoch", i, "loss:", 1 / i)
open(sys.argv[1], "w")
"""

# program.sh: writes everything that it is given to a JSON file.
SHOWS = r"""#!/bin/sh
. "$(dirname "$0")/lib.sh"
cp model.toml seen.toml
printf '%s\n' "$@" >words
echo "ALPHA=$ALPHA" >variables
env | grep -E '_(NUM|MAX)_THREADS=' | sort >>variables
python3 "$(dirname "$0")/score.py" "$ALPHA"
"""

SCORE = """
import json, sys
import scale
with open("result.json", "w") as file:
    json.dump({"test": {"acc": scale.up(float(sys.argv[1]))}}, file)
"""

KEYS = (
    "command = ./program.sh [--shuffle if shuffle] [--no-shuffle if not shuffle]\n"
    "template = model.toml.in -> model.toml\n"
    "env.ALPHA = {alpha}\n"
    "metric.acc = file:result.json:/test/acc\n"
)


def shown_experiment(place):
    """The files of an experiment whose trials show what they are given. Returns its INI file."""
    for name, text in (
        ("program.sh", SHOWS),
        ("lib.sh", "true\n"),
        ("score.py", SCORE),
        ("scale.py", "def up(x):\n    return 2 * x\n"),
        ("model.toml.in", 'alpha = {alpha}\nname = "{{alpha}}"\n'),
    ):
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    ini = place / "x.ini"
    ini.write_text(
        "[experiment]\nmetric = acc\n[trainable]\n%s[space]\nalpha = 0.25\n"
        "shuffle = grid(true, false)\n[resources]\ncpu = 2\n[cluster]\ncpus = 4\n" % KEYS
    )
    return ini


class Programs(Cluster):
    def trials(self, more, space="x = 1", metric="loss", mode="min", samples=1, rest=""):
        return self.ini(
            "[experiment]\nmetric = %s\nmode = %s\nnum_samples = %d\n[trainable]\n%s\n[space]\n%s\n"
            "[failure]\nbackoff = 0\n%s\n" % (metric, mode, samples, more, space, rest)
        )

    def shown(self):
        return shown_experiment(self.directory)

    # -- Numbers.

    def test_a_number_is_read_whole(self):
        ini = self.trials(
            "command = echo loss: {x}\nmetric.loss = loss: {number}",
            "x = grid(0.5, 7.522e-05, -2.5e-3)",
        )

        best = self.run_node("run", ini, "-o", "json").json()["best"]

        self.assertEqual(best["metrics"]["loss"], -2.5e-3)

    def test_a_number_that_is_read_in_part_is_warned_of_once_with_the_line(self):
        ini = self.trials(
            "command = echo loss: {x}\nmetric.loss = loss: ([0-9.]+)",
            "x = grid(7.522e-05, 8.5e-05, 9.5e-05)",
        )

        ran = self.run_node("run", ini)

        self.assertEqual(ran.err.count("warning"), 1, ran)
        self.assertRegex(ran.err, r'reads [0-9.]+ from the line "loss: [0-9.]+e-05"')
        self.assertIn("{number}", ran.err)

    def test_each_expression_of_a_line_that_is_not_taken_is_warned_of(self):
        ini = self.trials(
            "command = printf 'loss: 1,234.5 acc: 1,500.2\\nloss: 900 acc: 3\\n' {x}\n"
            "metric.loss = loss: {number}\nmetric.acc = acc: {number}", "x = grid(1, 2)")

        ran = self.run_node("run", ini)

        self.assertEqual(ran.err.count("warning"), 2, ran)
        for metric in ("loss", "acc"):
            self.assertIn("metric.%s = %s: {number} does not take 1 from" % (metric, metric), ran.err)

    def test_a_further_metric_that_never_comes_is_told_of_once(self):
        ini = self.trials("command = echo loss: {x}\nmetric.loss = loss: {number}\n"
                          "metric.acc = neverthere {number}", "x = grid(1, 2, 3)")

        ran = self.run_node("run", ini)

        self.assertEqual(ran.err.count("warning"), 1, ran)
        self.assertRegex(ran.err, r"trial 0000\d: metric.acc = neverthere \{number\} matched nothing"
                                  " that it printed until its end")

    def test_a_further_metric_that_comes_after_the_last_report_is_told_of_once(self):
        ini = self.trials("command = printf 'loss: 2\\nloss: 1\\ndone 7\\n' {x}\n"
                          "metric.loss = loss: {number}\nmetric.d = done {number}",
                          "x = grid(1, 2, 3)")

        ran = self.run_node("run", ini)

        self.assertEqual(ran.err.count("warning"), 1, ran)
        self.assertRegex(ran.err, r"trial 0000\d: metric.d = done \{number\} reads 7 from the line"
                                  ' "done 7" after the last report, so no result has it')

    def test_a_further_metric_that_never_comes_is_told_of_where_trials_are_stopped(self):
        ini = self.trials(
            "command = sh -c 'for i in 1 2 3 4 5 6; do echo loss: $i; done; sleep 60' {x}\n"
            "metric.loss = loss: {number}\nmetric.acc = neverthere {number}",
            "x = grid(1, 2, 3)", rest="[stop]\ntraining_iteration = 3")

        ran = self.run_node("run", ini)

        self.assertEqual(ran.err.count("matched nothing that it printed"), 1, ran)

    # -- Lines as they come.

    def slow(self, text, interpreter, more=""):
        script = self.ini(text, "slow.script")
        self.done = self.directory / "done"
        return self.trials(
            "command = %s %s %s\nmetric.loss = loss: {number}\n%s"
            % (interpreter, script, self.done, more),
            rest="[stop]\ntraining_iteration = 5",
        )

    def assert_stopped_early(self, ran):
        self.assertEqual(self.rows("SELECT iterations FROM trials")[0]["iterations"], 5)
        self.assertFalse(self.done.exists(), ran)
        self.assertNotIn("warning", ran.err)

    @unittest.skipUnless(shutil.which("perl"), "there is no perl")
    def test_a_program_that_buffers_is_stopped_early(self):
        ran = self.run_node("run", self.slow(PERL, "perl"))

        self.assert_stopped_early(ran)
        self.assertNotIn(b"\r", self.trial_file(0, "stdout").read_bytes())

    def test_python_is_stopped_early(self):
        self.assert_stopped_early(self.run_node("run", self.slow(PYTHON, "python3")))

    def test_reports_that_came_with_the_end_are_told_of(self):
        ini = self.slow(PYTHON, "python3", "env.PYTHONUNBUFFERED =\npty = false")
        environment = clean_environment()
        environment.pop("PYTHONUNBUFFERED", None)

        ran = self.run_node("run", ini, env=environment)

        self.assertEqual(ran.err.count("warning"), 1, ran)
        self.assertIn("its reports came all at once, as it ended after", ran.err)
        reason = self.rows("SELECT reason FROM trials")[0]["reason"]
        self.assertIn("it had run its course by then", reason)

    def test_a_program_may_have_a_terminal_or_none(self):
        script = self.ini("test -t 1 && echo loss: 1 || echo loss: 0\n", "tty.sh")
        for pty, line, loss in (("auto", "", 1), ("true", "report = final", 1), ("false", "", 0),
                                ("auto", "report = final", 0)):
            with self.subTest(pty=pty, line=line):
                ini = self.trials("command = sh %s\nmetric.loss = loss: {number}\npty = %s\n%s"
                                  % (script, pty, line))
                name = "t%s%d" % (pty, len(line))

                best = self.run_node("run", ini, "-o", "json", "--experiment.name", name).json()

                self.assertEqual(best["best"]["metrics"]["loss"], loss)

    def test_stderr_and_progress_bars_are_read(self):
        script = self.ini("printf 'loss: 3\\rloss: 2\\rloss: 1\\r\\n' >&2; echo loss: 0\n", "bar.sh")
        for stream, losses in (("stderr", [3, 2, 1]), ("stdout", [0])):
            with self.subTest(stream):
                ini = self.trials("command = sh %s\nmetric.loss = loss: {number}\nstream = %s"
                                  % (script, stream))

                self.run_node("run", ini, "--experiment.name", stream)

                rows = self.rows("SELECT metrics FROM results ORDER BY seq", stream)
                self.assertEqual([json.loads(row["metrics"])["loss"] for row in rows], losses)

    # -- What it is given.

    def assert_given(self, first=0):
        for trial, word in ((first, "--shuffle"), (first + 1, "--no-shuffle")):
            at = lambda name, trial=trial: self.trial_file(trial, name).read_text()
            self.assertEqual(at("words"), word + "\n")
            self.assertEqual(at("seen.toml"), 'alpha = 0.25\nname = "{alpha}"\n')
            variables = dict(line.split("=", 1) for line in at("variables").split())
            self.assertEqual(variables.pop("ALPHA"), "0.25")
            self.assertIn("OMP_NUM_THREADS", variables)
            self.assertEqual(set(variables.values()), {"2"})

    def without_threads(self):
        kept = {k: v for k, v in clean_environment().items() if not k.endswith("_THREADS")}
        kept["OMP_NUM_THREADS"] = "2"
        return kept

    def test_flags_templates_variables_and_files(self):
        ran = self.run_node("run", self.shown(), "-o", "json", env=self.without_threads())

        self.assertEqual(ran.json()["best"]["metrics"]["acc"], 0.5)
        self.assert_given()

    def test_a_variable_of_the_environment_stays(self):
        environment = self.without_threads()
        environment["MKL_NUM_THREADS"] = "7"
        script = self.ini(
            'echo "loss: $MKL_NUM_THREADS$OPENBLAS_NUM_THREADS$OMP_NUM_THREADS"\n', "t.sh"
        )
        ini = self.trials("command = sh %s\nmetric.loss = loss: {number}\nenv.OMP_NUM_THREADS = 5"
                          % script)

        best = self.run_node("run", ini, "-o", "json", env=environment).json()["best"]

        self.assertEqual(best["metrics"]["loss"], 715)

    def test_an_unknown_parameter_is_an_error_at_the_start(self):
        (self.directory / "t.in").write_text("x\ny = {yy}\n")
        for line, text in (
            ("env.ALPHA = {alpha}", "[trainable] env.ALPHA: {alpha} is not a parameter"),
            ("template = t.in -> t", "t.in:2: {yy} is not a parameter"),
        ):
            with self.subTest(line):
                ini = self.trials("command = echo loss: 1\nmetric.loss = loss: {number}\n" + line)

                ran = self.run_node("run", ini, code=3)

                self.assertIn("x.ini:", ran.err)
                self.assertIn(text, ran.err)
                self.assertFalse((self.directory / "results").exists())

    def test_resume_keeps_what_a_program_is_given(self):
        self.run_node("run", self.shown(), env=self.without_threads())

        self.run_node("resume", "results/x", "--experiment.num_samples", 2,
                      env=self.without_threads())

        self.assert_given(first=2)

    # -- How it ends.

    def test_a_memory_limit_hit_below_a_shell_counts_as_such(self):
        script = self.ini(
            "%s -c 'x = bytearray(400 << 20); print(len(x))'\nstatus=$?\necho done\nexit $status\n"
            % sys.executable, "mem.sh",
        )
        ini = self.trials("command = sh %s\nmetric.loss = loss: {number}" % script,
                          rest="max_out_of_memory = 2\n[resources]\nmemory = 100MB")

        ran = self.run_node("run", ini, code=5)

        if "not enforced on this machine" in ran.err:
            self.skipTest("no control group can be made here")
        rows = self.rows("SELECT end_class, detail FROM attempts")
        self.assertEqual([row["end_class"] for row in rows], ["out_of_memory"] * 3)
        self.assertIn("a process that it had started was killed for want of it", rows[0]["detail"])

    def test_the_beginning_and_the_end_of_what_it_prints_are_kept(self):
        script = self.ini("echo first; yes | head -c 3000000; echo loss: 1; echo last\n", "long.sh")
        ini = self.trials("command = sh %s\nmetric.loss = loss: {number}\noutput_cap = 1MiB" % script)

        self.run_node("run", ini)

        printed = self.trial_file(0, "stdout").read_text()
        self.assertTrue(printed.startswith("first\ny\n"))
        self.assertTrue(printed.endswith("y\nloss: 1\nlast\n"))
        self.assertRegex(printed, r"\n\[\d+ bytes left out here\]\n")
        self.assertLess(len(printed), (1 << 20) + 100)

    # -- Elsewhere.

    def test_all_of_it_works_on_a_worker(self):
        ini = self.shown()
        head, where = self.head(ini, "--cluster.local", "false")
        # Modules beside its scripts are available wherever it runs.
        work = self.directory / "work-w"
        self.worker(where, "w", "--once", cpus=4)

        self.finish(head)

        rows = self.rows("SELECT node, end_class FROM attempts")
        self.assertEqual({(row["node"], row["end_class"]) for row in rows}, {("w", "finished")})
        best = self.rows("SELECT best_metrics FROM trials ORDER BY trial")[0]["best_metrics"]
        self.assertEqual(json.loads(best)["acc"], 0.5)
        self.assertTrue(list((work / "content").iterdir()))


if __name__ == "__main__":
    main()
