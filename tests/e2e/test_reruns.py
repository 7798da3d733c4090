# SPDX-License-Identifier: BSD-3-Clause
"""Running one configuration more than once: numbered names, `--overwrite`, edited code, `rerun`,
points of another experiment, and experiments to which only clients add trials."""
import json
import os
import pty
import signal
import subprocess
import sys

from e2e import DEADLINE, TUNE_NODE, Case, clean_environment, main

SCRIPT = """#!/bin/sh
for i in 1 2 3 4; do echo loss=$1.$i; done
"""


class Scripted(Case):
    def job(self, more="", script=SCRIPT, space="x = choice(1, 2, 3, 4, 5, 6, 7, 8)", samples=4):
        path = self.directory / "trial.sh"
        path.write_text(script)
        path.chmod(0o755)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n"
            "command = ./trial.sh {x}\nmetric.loss = loss=([0-9.]+)\n[space]\n%s\n%s\n"
            % (samples, space, more)
        )

    def names(self):
        return sorted(x.name for x in (self.directory / "results").iterdir())

    def on_terminal(self, *words, answer=b""):
        """Runs a command with a terminal for stdin and stderr. Returns the exit code, stdout, and
        the screen."""
        ours, theirs = pty.openpty()
        child = subprocess.Popen(
            [TUNE_NODE, *map(str, words)], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs,
            cwd=self.directory, env=clean_environment(TERM="dumb"), start_new_session=True,
        )
        os.close(theirs)
        if answer:
            os.write(ours, answer)
        screen = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            screen += part
        out = child.stdout.read()
        child.stdout.close()
        code = child.wait(DEADLINE)
        os.close(ours)
        return code, out.decode(), screen.decode(errors="replace")


class Numbers(Scripted):
    def test_auto_numbers_one_run_after_the_other(self):
        ini = self.job()
        for name in ("x", "x-2", "x-3"):
            ran = self.run_node("run", ini, "--experiment.name", "auto", "-o", "json")
            self.assertEqual(ran.json()["experiment"], name)
            self.assertIn("this run is %s, in " % name, ran.err)
        self.assertEqual(self.names(), ["x", "x-2", "x-3"])
        self.assertEqual(
            self.rows("SELECT json_extract(spec, '$.experiment.name') n FROM experiment", "x-3"),
            [{"n": "x-3"}],
        )

    def test_auto_with_resume_means_the_newest(self):
        ini = self.job()
        for _ in range(2):
            self.run_node("run", ini, "--experiment.name", "auto")
        ran = self.run_node(
            *("run", ini, "--experiment.name", "auto", "--resume", "-o", "json"),
            *("--experiment.num_samples", "6")
        )
        self.assertEqual(ran.json()["experiment"], "x-2")
        self.assertEqual(ran.json()["counts"]["TERMINATED"], 6)
        self.assertEqual(self.names(), ["x", "x-2"])

    def test_a_name_of_the_file_may_be_auto_too(self):
        ini = self.job(more="[experiment]\nname = auto\n")
        told = [self.run_node("run", ini, "-o", "json").json()["experiment"] for _ in range(2)]
        self.assertEqual(told, ["x", "x-2"])

    def test_runs_at_the_same_time_take_different_numbers(self):
        ini = self.job()
        runs = [
            self.start("run", ini, "--experiment.name", "auto", "-o", "json") for _ in range(4)
        ]
        told = sorted(self.finish(x).json()["experiment"] for x in runs)
        self.assertEqual(told, ["x", "x-2", "x-3", "x-4"])

    def test_a_run_that_is_refused_leaves_no_directory(self):
        ini = self.job(more="[resources]\ncpu = 100000\n")
        self.run_node("run", ini, "--experiment.name", "auto", code=3)
        self.assertEqual(self.names(), [])

    def test_on_a_terminal_another_configuration_gets_a_number_and_is_told(self):
        ini = self.job()
        self.run_node("run", ini)
        code, out, screen = self.on_terminal("run", ini, "--experiment.seed", "7", "-o", "json")
        self.assertEqual(code, 0, screen)
        self.assertEqual(json.loads(out)["experiment"], "x-2")
        self.assertIn("holds an experiment that differs in experiment.seed", screen)
        self.assertIn("this run is x-2, in ", screen)
        # The same configuration again counts as a mistake; without a terminal any run is refused.
        self.assertEqual(self.on_terminal("run", ini)[0], 8)
        self.run_node("run", ini, "--experiment.seed", "7", code=8)
        self.assertEqual(self.names(), ["x", "x-2"])


class Overwriting(Scripted):
    def test_overwrite_needs_yes_where_nobody_can_be_asked(self):
        ini = self.job()
        self.run_node("run", ini)
        refused = self.run_node("run", ini, "--overwrite", code=8)
        self.assertIn("give --yes", refused.err)
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 4)
        told = self.run_node(
            "run", ini, "--overwrite", "--yes", "--experiment.num_samples", "2", "-o", "json"
        ).json()
        self.assertEqual(told["counts"]["TERMINATED"], 2)
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 2)

    def test_overwrite_removes_what_sinks_wrote(self):
        ini = self.job(more="[sinks]\njsonl = on\ncsv = on\n")
        self.run_node("run", ini)
        self.assertTrue((self.directory / "results" / "x" / "sinks").is_dir())

        self.run_node("run", ini, "--overwrite", "--yes", "--experiment.num_samples", "2")

        self.assertEqual(len(self.rows("SELECT * FROM trials")), 2)

    def test_overwrite_says_that_nobody_runs_what_was_killed(self):
        (self.directory / "hang.sh").write_text("echo loss=1\nexec sleep 600\n")
        ini = self.ini("[experiment]\nname = x\nmetric = loss\n[trainable]\n"
                       "command = sh ./hang.sh {a}\nmetric.loss = loss={number}\n"
                       "[space]\na = 1\n")
        child = self.start("run", ini)
        self.wait_until(lambda: self.rows_if_any("SELECT 1 FROM results"), child, "a report")
        child.kill()
        child.communicate()

        refused = self.run_node("run", ini, "--overwrite", code=8)

        self.assertIn("1 trial, lost", refused.err)

    def test_overwrite_asks_on_a_terminal(self):
        ini = self.job()
        self.run_node("run", ini)
        code, _, screen = self.on_terminal("run", ini, "--overwrite", answer=b"n\n")
        self.assertEqual(code, 8)
        self.assertRegex(screen, r"remove the experiment x in .*/results/x: 4 trials, done\? \[y/N\]")
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 4)
        code, _, _ = self.on_terminal(
            *("run", ini, "--overwrite", "--experiment.num_samples", "1"), answer=b"y\n"
        )
        self.assertEqual(code, 0)
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 1)

    def test_overwrite_removes_nothing_that_is_no_experiment(self):
        ini = self.job()
        place = self.directory / "results" / "x"
        self.run_node("run", ini)
        (place / "thesis.tex").write_text("years of work")
        refused = self.run_node("run", ini, "--overwrite", "--yes", code=8)
        self.assertIn("it holds thesis.tex, which is no part of an experiment", refused.err)
        self.assertEqual((place / "thesis.tex").read_text(), "years of work")
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 4)
        (place / "thesis.tex").unlink()
        real = self.directory / "elsewhere"
        place.rename(real)
        place.symlink_to(real)
        refused = self.run_node("run", ini, "--overwrite", "--yes", code=8)
        self.assertIn("it is a link", refused.err)
        self.assertTrue((real / "experiment.db").exists())

    def test_overwrite_leaves_what_runs_alone(self):
        flag = self.directory / "go"
        ini = self.job(script='#!/bin/sh\nuntil [ -e "%s" ]; do sleep 0.05; done\necho loss=$1\n' % flag)
        run = self.start("run", ini)
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM attempts"), run, "an attempt")
        refused = self.run_node("run", ini, "--overwrite", "--yes", code=8)
        self.assertIn("somebody runs it; end it by tune-node stop", refused.err)
        flag.touch()
        self.finish(run)
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 4)

    def test_overwrite_begins_where_nothing_is(self):
        self.run_node("run", self.job(), "--overwrite")
        self.assertEqual(self.names(), ["x"])


class Code(Scripted):
    def test_going_on_with_edited_code_is_told(self):
        ini = self.job()
        self.run_node("run", ini)
        before = self.run_node("run", ini, "--resume", "--experiment.num_samples", "5")
        (self.directory / "trial.sh").write_text(SCRIPT + "# edited\n")
        after = self.run_node("run", ini, "--resume", "--experiment.num_samples", "6", "-o", "json")
        again = self.run_node("resume", "results/x", "--experiment.num_samples", "7")
        self.assertNotIn("edited", before.err)
        self.assertIn("trial.sh was edited since the experiment ran", after.err)
        self.assertEqual(after.json()["counts"]["TERMINATED"], 6)
        # The edited code runs from then on.
        self.assertNotIn("edited", again.err)

    def test_edited_modules_and_templates_are_told(self):
        (self.directory / "train.py").write_text(
            "import model\nx = open('cfg').read()\nprint('loss=%s' % model.of(float(x)))\n")
        module, template = self.directory / "model.py", self.directory / "cfg.in"
        module.write_text("def of(x): return 2 * x\n")
        template.write_text("{x}\n")
        ini = self.ini("[experiment]\nmetric = loss\nnum_samples = 2\n[trainable]\n"
                       "command = %s ./train.py\nmetric.loss = loss={number}\n"
                       "template = cfg.in -> cfg\n[space]\nx = uniform(0, 1)\n" % sys.executable)
        self.run_node("run", ini)
        module.write_text("def of(x): return 3 * x\n")
        template.write_text("9{x}\n")

        again = self.run_node("rerun", "results/x", "0", "-o", "json")
        after = self.run_node("resume", "results/x", "--experiment.num_samples", "3")

        self.assertEqual(again.json()["edited"], ["model.py", "cfg.in"])
        for name in "model.py", "cfg.in":
            self.assertIn(name + " was edited since the experiment ran", after.err)
        self.run_node("run", ini, "--experiment.name", "y")
        differ = self.run_node("compare", "results/y", "results/x", "-o", "json").json()
        self.assertLessEqual({"code.model.py", "code.cfg.in"},
                             {x["key"] for x in differ["differences"]})

    def test_a_rerun_compares_with_what_was_recorded(self):
        ini = self.job()
        first = self.run_node("run", ini, "-o", "json").json()
        told = self.run_node("rerun", "results/x", "-o", "json").json()
        self.assertEqual(told["trial"], first["best"]["trial"])
        self.assertEqual(told["config"], first["best"]["config"])
        loss = [x for x in told["metrics"] if x["metric"] == "loss"]
        self.assertEqual(loss[0]["recorded"], first["best"]["metrics"]["loss"])
        self.assertEqual(loss[0]["difference"], 0.0)
        self.assertTrue(told["directory"].endswith("results/x-rerun-" + told["trial"]))
        (self.directory / "trial.sh").write_text(SCRIPT.replace("$1.$i", "$1.0"))
        table = self.run_node("rerun", "results/x", "2").out
        self.assertIn("trial 00002 of x, run again in", table)
        self.assertRegex(table, r"loss +\d\.1 +\d +-0\.1")
        # Another rerun of the same trial gets a number.
        second = "x-rerun-00002" + ("-2" if told["trial"] == "00002" else "")
        self.assertEqual(self.names(), sorted(["x", "x-rerun-" + told["trial"], second]))
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 4)
        missing = self.run_node("rerun", "results/x", "99", code=3)
        self.assertIn("there is no trial 00099", missing.err)

    def test_a_rerun_of_a_trial_that_never_had_a_value_says_so(self):
        self.run_node("run", self.job(script="#!/bin/sh\nexit 3\n", samples=1), code=5)

        told = self.run_node("rerun", "results/x", "0", code=5)

        self.assertIn("nothing can be compared: trial 00000 of x never reported\n", told.out)

    def test_a_rerun_tells_the_configuration_that_ran(self):
        self.run_node("run", self.job())

        told = self.run_node("rerun", "results/x", "1", "--space.x", "choice(3)", "-o", "json")

        self.assertEqual(told.json()["config"], {"x": 3})
        self.assertIn("loss=3.", self.trial_file(0, "stdout", "x-rerun-00001").read_text())

    def test_a_rerun_where_nothing_but_nan_was_reported_says_so(self):
        script = "#!/bin/sh\necho loss=nan\n"
        self.job(script=script)
        ini = self.ini("[experiment]\nmetric = loss\n[trainable]\ncommand = ./trial.sh\n"
                       "metric.loss = loss={number}\n[space]\nx = 1\n")
        self.run_node("run", ini)

        told = self.run_node("rerun", "results/x", "0")
        best = self.run_node("rerun", "results/x", code=3)

        text = " reported a value of loss other than NaN"
        self.assertIn("trial 00000 of x never" + text + "\n", told.out)
        self.assertIn("no trial has" + text + ": name one", best.err)

    def test_a_rerun_names_files_that_were_edited_since(self):
        self.run_node("run", self.job())
        same = self.run_node("rerun", "results/x", "0", "-o", "json")
        self.assertEqual(same.json()["edited"], [])
        self.assertNotIn("edited", same.err)
        (self.directory / "trial.sh").write_text(SCRIPT.replace("$1.$i", "$1.0"))

        told = self.run_node("rerun", "results/x", "0", "-o", "json")
        self.assertEqual(told.json()["edited"], ["trial.sh"])
        self.assertIn("trial.sh was edited since the trial ran", told.err)
        table = self.run_node("rerun", "results/x", "0", "--quiet")
        self.assertIn("trial.sh was edited since the trial ran", table.out)
        self.assertEqual(table.err, "")

    def test_a_rerun_compares_with_the_code_that_ran_the_trial(self):
        self.run_node("run", self.job())
        self.run_node("run", self.job(), "--experiment.name", "y")
        (self.directory / "trial.sh").write_text(SCRIPT.replace("$1.$i", "$1.0"))
        self.run_node("resume", "results/x", "--experiment.num_samples", "5")

        before = self.run_node("rerun", "results/x", "0", "-o", "json")
        after = self.run_node("rerun", "results/x", "4", "-o", "json")
        differ = self.run_node("compare", "results/y", "results/x", "-o", "json").json()

        self.assertEqual(before.json()["edited"], ["trial.sh"])
        self.assertIn("trial.sh was edited since the trial ran", before.err)
        self.assertEqual(after.json()["edited"], [])
        self.assertNotIn("edited", after.err)
        # An experiment of mixed code has both hashes.
        code = [x["values"] for x in differ["differences"] if x["key"] == "code.trial.sh"]
        self.assertRegex(code[0][0], r"^[0-9a-f]{12}$")
        self.assertRegex(code[0][1], r"^%s, [0-9a-f]{12}$" % code[0][0])

    def test_a_rerun_that_is_left_off_says_why(self):
        self.run_node("run", self.job(more="[failure]\nbackoff = 0\nfail_fast = true\n"))
        (self.directory / "trial.sh").write_text("#!/bin/sh\nexit 3\n")
        how = self.run_node("rerun", "results/x", "0", code=5)
        self.assertIn("tune-node: failed: ", how.err)

    def test_a_rerun_stops_where_the_trial_was_stopped(self):
        ini = self.job(more="[stop]\ntraining_iteration = 2\n")
        self.run_node("run", ini)
        told = self.run_node("rerun", "results/x", "0", "-o", "json").json()
        rows = self.rows("SELECT iterations FROM trials", told["directory"].rsplit("/", 1)[1])
        self.assertEqual(rows, [{"iterations": 2}])

    def test_a_rerun_has_the_very_values_that_were_recorded(self):
        odd = ["a # b", {"a": 1, "b.c": [2, "#"]}, {}, 'q"\\', "", "{x}", "null", None, 1.0,
               "\t\u202e"]
        texts = ", ".join(json.dumps(x, ensure_ascii=False) for x in odd).replace("#", "\\#")
        ini = self.job(script="#!/bin/sh\necho loss=1\n", space="x = grid(%s)" % texts, samples=1)
        self.run_node("run", ini)

        for trial, value in enumerate(odd):
            told = self.run_node("rerun", "results/x", str(trial), "-o", "json").json()
            self.assertEqual(told["config"], {"x": value})
            name = told["directory"].rsplit("/", 1)[1]
            again = self.rows("SELECT config FROM trials", name)
            self.assertEqual([json.loads(x["config"]) for x in again], [{"x": value}])


class Points(Scripted):
    def test_another_experiments_best_are_tried_first(self):
        ini = self.job(samples=8, space="x = randint(1, 9)\ny = uniform(0, 1)")
        self.run_node("run", ini, "--experiment.name", "first")
        best = self.rows(
            "SELECT config FROM trials ORDER BY json_extract(best_metrics, '$.loss') LIMIT 2", "first"
        )
        told = self.run_node(
            *("run", ini, "--experiment.name", "second", "--experiment.seed", "5", "-o", "json"),
            *("--search.points_from", "results/first", "--search.points_from_best", "2"),
        )
        tried = self.rows("SELECT config, origin FROM trials ORDER BY trial LIMIT 2", "second")
        self.assertEqual([json.loads(x["config"]) for x in tried],
                         [json.loads(x["config"]) for x in best])
        self.assertEqual([x["origin"] for x in tried], ["point 1", "point 2"])
        # The program does not read y, which is reported; nothing is said about points.
        self.assertEqual(told.err.count("warning"), 1, told.err)
        self.assertIn("[space] y: in no command", told.err)
        # The points are recorded, so the other experiment is no longer needed.
        (self.directory / "results" / "first").rename(self.directory / "away")
        self.run_node("resume", "results/second", "--experiment.num_samples", "9")
        self.run_node("fsck", "results/second", "--verify")

    def test_what_does_not_lie_in_the_space_is_left_open_and_told(self):
        ini = self.job(samples=3, space="x = choice(7, 8)\ny = uniform(0, 1)")
        self.run_node("run", ini, "--experiment.name", "first")
        ran = self.run_node(
            *("run", ini, "--experiment.name", "second", "--space.x", "choice(1, 2)"),
            *("--search.points_from", "results/first/experiment.db"),
        )
        self.assertIn("points_from: x of 3 configurations is outside of [space]", ran.err)
        would = self.run_node(
            *("run", ini, "--dry-run", "--experiment.name", "third", "--space.x", "choice(1, 2)"),
            *("--search.points_from", "results/first"),
        )
        self.assertIn("points_from: x of 3 configurations is outside of [space]", would.err)
        ys = [
            {json.loads(r["config"])["y"] for r in self.rows("SELECT config FROM trials", name)}
            for name in ("first", "second")
        ]
        self.assertEqual(ys[0], ys[1])

    def test_points_are_as_many_as_wanted_where_some_were_confirmed(self):
        ini = self.job(samples=4, more="[search]\ntype = grid\n", space="x = grid(1, 2, 3, 4)")
        self.run_node("run", ini, "--experiment.name", "first", "--experiment.confirm", "2",
                      "--search.type", "random", "--space.x", "choice(1, 2, 3, 4, 5, 6, 7, 8)")
        configs = len({x["config"] for x in self.rows("SELECT json_extract(config, '$.x') AS config"
                                                      " FROM trials", "first")})
        self.run_node("run", ini, "--experiment.name", "second", "--experiment.num_samples", "4",
                      "--search.type", "random", "--space.x", "choice(1, 2, 3, 4, 5, 6, 7, 8)",
                      "--search.points_from", "results/first", "--search.points_from_best", "3")
        points = self.rows("SELECT 1 FROM trials WHERE origin LIKE 'point%'", "second")
        self.assertEqual(len(points), min(3, configs))

    def test_a_value_that_a_constraint_forbids_is_not_said_to_be_outside(self):
        first = self.job(samples=2, space="x = choice(7)\ny = choice(4)")
        self.run_node("run", first, "--experiment.name", "first")
        ran = self.run_node(
            *("run", first, "--experiment.name", "second", "--space.y", "choice(2, 4)"),
            *("--space.constraint", "x * y < 20", "--search.points_from", "results/first"),
        )
        self.assertRegex(ran.err, "configurations? does not go with the rest")
        self.assertNotIn("is outside of [space]", ran.err)

    def test_columns_do_not_depend_on_the_rows_that_are_chosen(self):
        self.run_node("run", self.job(samples=3), "--experiment.name", "x")
        heads = {
            status: self.run_node("trials", "results/x", "-o", "csv", "--status", status)
            .out.splitlines()[0].split(",")
            for status in ("terminated", "errored")
        }
        self.assertIn("config.x", heads["errored"])
        self.assertEqual(set(heads["terminated"]) - set(heads["errored"]),
                         {x for x in heads["terminated"] if x.startswith("metric.")})

    def test_points_that_all_lie_outside_are_refused_by_their_parameter(self):
        ini = self.job()
        self.run_node("run", ini, "--experiment.name", "first")

        ran = self.run_node("run", ini, "--experiment.name", "second", "--space.x", "choice(91, 92)",
                            "--search.points_from", "results/first", code=3)

        self.assertIn("points_from = results/first: no value of x there lies in [space]", ran.err)

    def test_points_from_nowhere_are_refused_with_key_and_value(self):
        ini = self.job()
        ran = self.run_node("run", ini, "--search.points_from", "nowhere", code=3)
        self.assertIn("[search] points_from = nowhere:", ran.err)
        ran = self.run_node("run", ini, "--search.points_from_best", "0", code=3)
        self.assertRegex(ran.err, r"points_from_best = 0: must be a whole number, 1 to 1000")
        self.assertFalse((self.directory / "results").exists())


class Added(Scripted):
    def test_type_none_tries_points_and_what_is_added_until_it_is_stopped(self):
        ini = self.job(more='[search]\ntype = none\npoints = [{"x": 3}]\n')
        run = self.start("run", ini, "-o", "json")
        ended = "SELECT config FROM trials WHERE status = 'TERMINATED' ORDER BY trial"
        self.wait_until(lambda: len(self.rows_if_any(ended)) == 1, run, "the point")
        self.run_node("add", "results/x", "x=5")
        self.wait_until(lambda: len(self.rows_if_any(ended)) == 2, run, "the added one")
        self.assertEqual([json.loads(x["config"])["x"] for x in self.rows(ended)], [3, 5])
        status = self.run_node("status", "results/x", "-o", "json").json()
        self.assertEqual(status["status"], "running")
        self.run_node("stop", "results/x")
        told = self.finish(run)
        self.assertEqual(told.json()["status"], "stopped")
        self.assertIn("nothing runs: the command `add` brings trials", told.err)

    def test_type_none_goes_on_after_an_interruption(self):
        ini = self.job(more="[search]\ntype = none\n")
        run = self.start("run", ini)
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM nodes"), run, "the beginning")
        run.send_signal(signal.SIGINT)
        self.finish(run, 130)
        run = self.start("resume", "results/x", "-o", "json")
        ended = "SELECT config FROM trials WHERE status = 'TERMINATED'"
        self.wait_until(
            lambda: self.finish(self.start("add", "results/x", "x=2", "--key", "a"), None).code == 0,
            run, "its head",
        )
        self.wait_until(lambda: len(self.rows(ended)) == 1, run, "the added one")
        self.run_node("stop", "results/x")
        self.assertEqual(self.finish(run).json()["counts"]["TERMINATED"], 1)


if __name__ == "__main__":
    main()
