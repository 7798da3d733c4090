# SPDX-License-Identifier: BSD-3-Clause
"""Looking at experiments: columns, scopes, sorting, failures, fronts, storages, comparisons, and
the check of a running experiment."""
import csv
import io
import json
import os
import shutil

from e2e import FAULTY_NODE, ROOT, Case, main

# Reports 3, 1 and 2 times its parameter, and a second metric that rises.
CURVE = """#!/bin/sh
i=0
for v in 3 1 2; do i=$((i + 1)); echo "loss=$(($1 * v)) size=$((10 * i))"; done
[ "$1" -lt 5 ] || { echo "at 0x$1$1$1: boom" >&2; exit $1; }
"""


class Looking(Case):
    def job(self, samples=4, space="x = grid(1, 2, 3, 4)", more="", metrics="loss", mode="min"):
        path = self.directory / "curve.sh"
        path.write_text(CURVE)
        path.chmod(0o755)
        return self.ini(
            "[experiment]\nmetric = %s\nmode = %s\nnum_samples = 1\n[trainable]\n"
            "command = ./curve.sh {x}\nmetric.loss = loss=([0-9.]+)\nmetric.size = size=([0-9]+)\n"
            "[space]\n%s\n[failure]\nbackoff = 0\n%s\n" % (metrics, mode, space, more)
        )

    def sheet(self, *words, where="results/x"):
        text = self.run_node("trials", where, "-o", "csv", *words).out
        return list(csv.DictReader(io.StringIO(text)))


class BestCheckpoint(Looking):
    def line(self):
        text = self.why_text()
        return next((x for x in text.splitlines() if "best checkpoint" in x), None)

    def why_text(self):
        return self.run_node("trials", "results/x", "--why", 0).out

    def test_of_a_report_without_the_metric_ends_with_its_iteration(self):
        self.run_node("run", self.experiment("tune report 1 other other",
                                             more="[checkpoint]\nfrequency = 2"))
        self.assertRegex(self.line(), "/checkpoint_000001, of iteration 2$")

    def test_of_a_recorded_curve_is_nowhere(self):
        shutil.copy(ROOT / "data/curves/digits_logistic.csv", self.directory / "curves.csv")
        self.run_node("run", self.ini(
            "[experiment]\nmetric = loss\nmode = max\nnum_samples = 1\n"
            "[trainable]\nkind = table\npath = curves.csv\n"
            "[space]\nlr = uniform(0.003, 1)\ndecay = 0.8\nl2 = 0.0\n"
            "[stop]\ntraining_iteration = 3\n[checkpoint]\nfrequency = 2\n"))
        self.assertIn("best: loss", self.why_text())
        self.assertIsNone(self.line())


class Status(Looking):
    """A run whose searcher proposes nothing."""

    WAIT = "nothing runs: the command `add` brings trials, and `stop` ends the experiment"

    def head(self):
        told = self.run_node("status", "results/x", "-o", "json", code=None)
        return told.json()["head"] if told.code == 0 else None

    def test_says_that_clients_are_waited_for(self):
        run = self.start("run", self.job(space="x = uniform(0, 9)", more="[search]\ntype = none"))
        self.wait_until(lambda: (self.head() or {}).get("waits_for") == self.WAIT, run, "the wait")
        self.assertIn("  " + self.WAIT + "\n", self.run_node("status", "results/x").out)

        self.run_node("add", "results/x", "x=1")
        self.wait_until(
            lambda: "1 terminated" in self.run_node("status", "results/x").out, run, "the trial")
        self.wait_until(lambda: (self.head() or {}).get("waits_for") == self.WAIT, run, "the wait")

        self.run_node("pause", "results/x")
        self.assertIn("x: paused: no further trial", self.run_node("status", "results/x").out)
        self.run_node("stop", "results/x")
        self.finish(run)

    def test_what_was_stopped_when_all_had_run_is_not_said_to_go_on(self):
        script = self.directory / "hang.sh"
        script.write_text("echo loss=1\nexec sleep 600\n")
        ini = self.ini("[experiment]\nname = x\nmetric = loss\nnum_samples = 1\n[trainable]\n"
                       "command = sh ./hang.sh {a}\nmetric.loss = loss={number}\n"
                       "[space]\na = 1\n")
        run = self.start("run", ini)
        self.wait_until(lambda: self.rows_if_any("SELECT 1 FROM results"), run, "a report")
        self.run_node("stop", "results/x")
        self.finish(run, None)

        for verb in ("stop", "pause"):
            told = self.run_node(verb, "results/x", code=6).err
            self.assertIn("--experiment.num_samples N takes further samples\n", told)
            self.assertNotIn("goes on with it", told)

    def test_samples_are_left_however_many_trials_clients_added(self):
        script = self.directory / "hang.sh"
        script.write_text("echo loss=1\nexec sleep 600\n")
        ini = self.ini("[experiment]\nname = x\nmetric = loss\nnum_samples = 9\n"
                       "max_concurrent_trials = 1\n[trainable]\ncommand = sh ./hang.sh {a}\n"
                       "metric.loss = loss={number}\n[space]\na = uniform(0, 1)\n")
        run = self.start("run", ini)
        self.wait_until(lambda: self.rows_if_any("SELECT 1 FROM results"), run, "a report")
        for _ in range(9):
            self.run_node("add", "results/x", "a=0.25")
        self.run_node("stop", "results/x")
        self.finish(run, None)

        told = self.run_node("stop", "results/x", code=6).err

        self.assertIn("nobody runs this experiment now", told)
        self.assertIn("goes on with it", told)

    def test_a_preview_of_it_is_no_error(self):
        ini = self.job(space="x = uniform(0, 9)", more="[search]\ntype = none")
        shown = self.run_node("run", ini, "--dry-run")
        self.assertIn("the command `add` brings trials", shown.err)
        self.assertEqual(self.run_node("run", ini, "--dry-run", "-o", "json").json()["configurations"],
                         [])


class Trials(Looking):
    def test_csv_and_json_carry_all_that_is_known(self):
        self.run_node("run", self.job())
        row = self.sheet()[1]
        self.assertEqual(list(row)[:7], ["trial", "status", "iterations", "loss", "config.x",
                                         "reason", "failures"])
        self.assertEqual((row["loss"], row["metric.size"], row["best_iteration"]), ("2", "20", "2"))
        self.assertEqual((row["node"], row["attempts"]), ("local", "1"))
        self.assertGreater(float(row["ended_s"]), float(row["created_s"]))
        told = json.loads(self.run_node("trials", "results/x", "-o", "jsonl").out.splitlines()[1])
        self.assertEqual(told["metrics"], {"loss": 2, "size": 20})
        self.assertEqual((told["node"], told["best_iteration"]), ("local", 2))

    def test_parameters_whose_values_are_objects_are_shown_as_trials_got_them(self):
        script = self.directory / "show.sh"
        script.write_text('echo "$1" > got; echo "loss=$2"\n')
        whole = '{"kind":"a b","depth":3}'
        self.run_node("run", self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n[trainable]\n"
            "command = sh ./show.sh {model} {opt.lr}\nmetric.loss = loss=([0-9.]+)\n"
            "[space]\nmodel = grid(%s, {\"kind\": \"c\"})\nopt.lr = 0.5\n" % whole))
        got = [(self.directory / "results/x/trials" / x / "got").read_text().strip()
               for x in ("00000", "00001")]

        self.assertEqual(got, [whole, '{"kind":"c"}'])
        self.assertEqual([x["config.model"] for x in self.sheet()], got)
        self.assertNotIn("config.model.kind", self.sheet()[0])
        table = self.run_node("trials", "results/x").out
        self.assertRegex(table.splitlines()[0], r" model +opt\.lr")
        self.assertIn(whole, table)
        for told in (self.run_node("trials", "results/x", "--why", 0).out,
                     self.run_node("compare", "results/x", "results/x").out,
                     self.run_node("report", "results/x", "-o", "-").out.replace("&quot;", '"')):
            self.assertIn("model=%s opt.lr=0.5" % whole, told)
        again = self.run_node("rerun", "results/x", 0).out
        self.assertIn("\n  model=%s opt.lr=0.5\n" % whole, again)
        drawn = self.run_node("plot", "results/x", "slice", "--parameter", "model", "--ascii").out
        self.assertIn('{"kind":"c"}', drawn)
        # What is pasted into [space] is the same configuration.
        best = self.run_node("status", "results/x").out
        lines = [x.strip() for x in best.splitlines() if " model = " in x or " opt.lr = " in x]
        self.assertEqual(lines, ["model = " + whole, "opt.lr = 0.5"])

    def test_metrics_with_the_names_of_columns_have_columns_of_their_own(self):
        job = self.job().read_text()
        self.run_node("run", self.ini(
            job.replace("metric = loss", "metric = status").replace("metric.loss", "metric.status")))
        rows = self.sheet()
        self.assertEqual({x["status"] for x in rows}, {"TERMINATED"})
        self.assertEqual([float(x["metric.status"]) for x in rows], [1, 2, 3, 4])
        self.assertEqual([x["trial"] for x in self.sheet("--sort", "metric.status", "--reverse")],
                         ["00003", "00002", "00001", "00000"])
        named = self.run_node("trials", "results/x", "--columns", "status,metric.status", "-o",
                              "json").json()
        self.assertEqual(named[1], {"status": "TERMINATED", "metric.status": 2})

    def test_columns_are_those_that_were_named(self):
        self.run_node("run", self.job())
        self.assertEqual(self.run_node("trials", "results/x", "--columns", "trial,x,size").out,
                         "trial  x  size\n00000  1    20\n00001  2    20\n00002  3    20\n"
                         "00003  4    20\n")
        told = self.run_node("trials", "results/x", "--columns", "trial,node", "-o", "json").json()
        self.assertEqual(told[0], {"trial": "00000", "node": "local"})
        wrong = self.run_node("trials", "results/x", "--columns", "nod", code=3)
        self.assertIn("--columns 'nod': there is no such column; did you mean 'node'?", wrong.err)
        wrong = self.run_node("trials", "results/x", "--columns", "qqqqqqq", code=3)
        self.assertIn("there are trial, status, iterations, ", wrong.err)
        told = self.run_node("trials", "results/x", "--columns", "all").out
        self.assertIn("time_total_s", told.splitlines()[0])

    def test_a_metric_that_the_best_report_lacks_has_a_column(self):
        (self.directory / "late.sh").write_text(
            "#!/bin/sh\necho loss=$1\nif [ $1 = 2 ]; then exit 1; fi\necho test=9 loss=$((5 + $1))\n"
        )
        (self.directory / "late.sh").chmod(0o755)
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\ncommand = ./late.sh {x}\n"
            "metric.loss = loss={number}\nmetric.test = test={number}\n"
            "[space]\nx = grid(1, 2)\n[failure]\nmax_failures = 0\n"
        )
        self.run_node("run", ini, code=None)
        rows = self.sheet()
        self.assertEqual([row["metric.test"] for row in rows], ["", ""])
        self.assertEqual(self.sheet("--scope", "last")[0]["metric.test"], "9")
        self.assertEqual(list(self.sheet("--status", "ERRORED")[0]), list(rows[0]))
        self.assertIn("test", self.run_node("trials", "results/x", "--columns", "all").out)
        self.run_node("trials", "results/x", "--sort", "test")
        self.run_node("trials", "results/x", "--sort", "tset", code=3)

    def test_a_metric_that_the_last_report_lacks_has_a_column(self):
        (self.directory / "early.sh").write_text("#!/bin/sh\necho early=9 loss=1\necho loss=2\n")
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\ncommand = sh ./early.sh {x}\n"
            "metric.loss = loss={number}\nmetric.early = early={number}\nreport_on = loss\n"
            "[space]\nx = grid(1, 2)\n"
        )
        self.run_node("run", ini)
        self.run_node("trials", "results/x", "--scope", "last", "--columns", "trial,early")
        self.run_node("trials", "results/x", "--scope", "last", "--sort", "early")

    def test_scopes_choose_the_reports_that_speak(self):
        self.run_node("run", self.job())
        values = {
            "best": ("2", "20"), "last": ("4", "30"), "avg": ("4.0", "20.0"),
            "last-5-avg": ("4.0", "20.0"), "min": ("2.0", "10.0"), "max": ("6.0", "30.0"),
        }
        for scope, wanted in values.items():
            with self.subTest(scope):
                row = self.sheet("--scope", scope)[1]
                self.assertEqual(tuple(float(row[x]) for x in ("loss", "metric.size")),
                                 tuple(float(x) for x in wanted))
        self.run_node("trials", "results/x", "--scope", "middle", code=2)

    def test_scopes_count_every_report_that_a_trial_ever_made(self):
        ini = self.job(space="x = 1", mode="max", more="max_failures = 1")
        (self.directory / "curve.sh").write_text(
            "#!/bin/sh\n[ -e tried ] && values='1 2 3 4 5' || values='9 8 7'\n"
            "for v in $values; do echo \"loss=$v size=1\"; done\n"
            "[ -e tried ] || { touch tried; exit 1; }\n")
        self.run_node("run", ini)
        # Iterations that are run again count as well, even if they come no further.
        (self.directory / "curve.sh").write_text(
            "#!/bin/sh\n[ -e tried ] && values='10 20' || values='1 2 3'\n"
            "touch tried\n"
            "for v in $values; do echo \"loss=$v size=1\"; done; exit 1\n")
        self.run_node("run", ini, "--experiment.name", "again", code=5)
        wanted = {"last": 20, "avg": 7.2, "max": 20}
        told = {scope: float(self.sheet("--scope", scope, where="results/again")[0]["loss"])
                for scope in wanted}
        self.assertEqual(told, wanted)
        wanted = {"best": 9, "last": 5, "min": 1, "max": 9, "avg": 4.875, "last-5-avg": 3,
                  "last-10-avg": 4.875}
        told = {scope: float(self.sheet("--scope", scope)[0]["loss"]) for scope in wanted}
        self.assertEqual(told, wanted)

    def test_sorts_by_any_column_in_both_directions(self):
        self.run_node("run", self.job(), "--experiment.max_concurrent_trials", "1")
        order = lambda *words: [row["trial"] for row in self.sheet(*words)]
        rising = ["00000", "00001", "00002", "00003"]
        for key in ("loss", "loss:asc", "objective", "x", "config.x", "ended_s:asc"):
            self.assertEqual(order("--sort", key), rising, key)
        for key in ("loss:desc", "x:desc", "ended_s:desc"):
            self.assertEqual(order("--sort", key), rising[::-1], key)
        self.assertEqual(order("--sort", "loss:desc", "--reverse"), rising)
        wrong = self.run_node("trials", "results/x", "--sort", "los", code=3)
        self.assertIn("did you mean 'loss'?", wrong.err)

    def test_failures_are_grouped_by_what_they_have_in_common(self):
        ran = self.run_node("run", self.job(space="x = grid(1, 5, 5, 6)"), "-o", "json")
        groups = self.run_node("trials", "results/x", "--failed", "-o", "json").json()
        self.assertEqual([x["count"] for x in groups], [2, 1])
        self.assertEqual(groups[0]["trials"], ["00001", "00002"])
        self.assertEqual(groups[0]["class"], "user_error")
        self.assertIn("status 5", groups[0]["text"])
        self.assertEqual(ran.json()["failures"], groups)
        self.assertIn("user_error", self.run_node("trials", "results/x", "--failed").out)
        summary = self.run_node("run", "x.ini", "--resume").out
        self.assertIn("2 trials failed: user_error:", summary)
        self.run_node("run", self.job(), "--experiment.name", "well")
        self.assertEqual(self.run_node("trials", "results/well", "--failed").out, "no trial failed\n")

    def test_several_objectives_have_a_front(self):
        ini = self.job(space="x = grid(1, 2, 3)", metrics="loss:min, size:max")
        ini.write_text(ini.read_text().replace("curve.sh {x}", "front.sh {x}"))
        path = self.directory / "front.sh"
        # The values are 1: (1, 5)  2: (2, 7)  3: (3, 6); 2 beats 3.
        path.write_text('#!/bin/sh\nset -- $1 5 7 6\neval "s=\\$$(($1 + 1))"\necho "loss=$1 size=$s"\n')
        path.chmod(0o755)
        told = self.run_node("run", ini, "-o", "json").json()
        self.assertEqual(told["pareto"], ["00000", "00001"])
        self.assertEqual([x["pareto"] for x in self.sheet()], ["true", "true", "false"])
        self.assertEqual([x["trial"] for x in self.sheet("--pareto")], ["00000", "00001"])
        self.assertIn("no trial beats in all objectives: 2 trials",
                      self.run_node("run", ini, "--resume").out)

    def test_a_table_off_a_terminal_has_a_hundred_lines(self):
        values = ", ".join(str(i) for i in range(120))
        ini = self.cpp_experiment("report_three", space="x = grid(%s)" % values)
        self.many(ini, 120)
        table = self.run_node("trials", "results/x").out.splitlines()
        self.assertEqual(len(table), 102)
        self.assertIn("(20 more: --limit 0 for all", table[-1])
        self.assertEqual(len(self.run_node("trials", "results/x", "--limit", "0").out.splitlines()), 121)
        self.assertEqual(len(self.sheet()), 120)
        self.assertEqual(len(self.run_node("trials", "results/x", "--limit", "7").out.splitlines()), 8)

    def many(self, ini, count):
        """An experiment of many recorded curves, which needs no processes."""
        table = self.directory / "curves.csv"
        lines = ["config.x,training_iteration,loss"] + ["%d,1,%d" % (i, i) for i in range(count)]
        table.write_text("\n".join(lines) + "\n")
        ini.write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n[trainable]\nkind = table\n"
            "path = curves.csv\n[space]\nx = grid(%s)\n" % ", ".join(map(str, range(count)))
        )
        self.run_node("run", ini)


class Storages(Looking):
    def test_lists_the_experiments_of_a_storage(self):
        self.run_node("run", self.job())
        self.run_node("run", self.job(space="x = grid(2, 5)"), "--experiment.name", "other")
        (self.directory / "results" / "notes").mkdir()
        told = self.run_node("list", "experiments", "-o", "json").json()
        self.assertEqual([x["experiment"] for x in told], ["x", "other"])
        self.assertEqual([x["best"] for x in told], [1, 2])
        self.assertEqual((told[1]["trials"], told[1]["errored"]), (2, 1))
        self.assertRegex(told[0]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        table = self.run_node("list", "experiments", self.directory / "results").out
        self.assertRegex(table, r"(?m)^other +done +2 +1 +loss +2 ")
        rows = list(csv.DictReader(io.StringIO(
            self.run_node("list", "experiments", "results", "-o", "csv").out)))
        self.assertEqual([x["status"] for x in rows], ["done", "done"])
        self.run_node("list", "experiments", "nowhere", code=3)
        self.run_node("list", "searchers", "results", code=2)

    def test_compares_experiments(self):
        self.run_node("run", self.job())
        (self.directory / "curve.sh").chmod(0o755)
        ini = self.job(space="x = grid(2, 3)\ny = 1")
        (self.directory / "curve.sh").write_text(CURVE + "# edited\n")
        self.run_node("run", ini, "--experiment.name", "other", "--experiment.seed", "3")
        told = self.run_node("compare", "results/x", "results/other", "-o", "json").json()
        differ = {x["key"]: x["values"] for x in told["differences"]}
        self.assertEqual(differ["experiment.seed"], ["0", "3"])
        self.assertEqual(differ["space.x"], ["grid(1, 2, 3, 4)", "grid(2, 3)"])
        self.assertEqual(differ["space.y"], [None, "1"])
        self.assertIn("code.curve.sh", differ)
        self.assertNotIn("experiment.name", differ)
        self.assertEqual([x["best"] for x in told["experiments"]], [1, 2])
        self.assertEqual(told["experiments"][1]["best_config"], {"x": 2, "y": 1})
        table = self.run_node("compare", "results/x", "results/other").out
        self.assertRegex(table, r"(?m)^best +1 +2$")
        self.assertRegex(table, r"(?m)^experiment.seed +0 +3$")
        same = self.run_node("compare", "results/x", "results/x").out
        self.assertIn("no key, parameter or file differs", same)
        self.run_node("compare", "results/x", code=2)
        self.run_node("compare", "results/x", "results/y", code=3)


    def test_tells_which_parameters_made_the_difference(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 60\n[trainable]\n"
            "command = sh -c 'echo loss={x} size={y}'\nmetric.loss = loss={number}\n"
            "report = final\n[search]\ntype = random\n"
            "[space]\nx = uniform(0, 1)\ny = uniform(0, 1)\nz = 3\n"
        )
        self.run_node("run", ini)

        told = self.run_node("importance", "results/x", "-o", "json").json()
        self.assertEqual([x["parameter"] for x in told], ["x", "y"])
        self.assertTrue(told[0]["more_than_chance"])
        self.assertGreater(told[0]["importance"], 0.5)
        self.assertLess(told[0]["to"], 0.3)
        self.assertEqual((told[0]["configs"], told[0]["best"]), (60, 6))
        table = self.run_node("importance", "results/x", "--best", "0.5").out.splitlines()
        self.assertIn("more than chance", table[0])
        self.assertRegex(table[1], r"^x +[0-9.]+ % +yes +")
        self.assertIn(" 30", table[1])
        rows = self.run_node("importance", "results/x", "-o", "csv").out
        self.assertEqual(next(csv.reader(io.StringIO(rows)))[:2], ["parameter", "importance"])
        for words, code in ((["--metric", "acc"], 3), (["--best", "0"], 2), (["--best", "x"], 2)):
            self.run_node("importance", "results/x", *words, code=code)
        self.run_node("importance", "nowhere", code=3)

    def test_a_model_tells_what_mattered_where_the_searcher_learnt(self):
        ini = self.ini(
            "[experiment]\nname = x\nstorage = results\nmetric = loss\nmode = min\nnum_samples = 40\n"
            "[trainable]\nname = quadratic\n[space]\nx = uniform(-3, 3)\ny = uniform(-3, 3)\n"
            "[search]\ntype = auto\n"
        )
        self.run_node("run", ini)

        told = self.run_node("importance", "results/x", "-o", "json").json()

        self.assertEqual({x["by"] for x in told}, {"model"})
        self.assertEqual({x["parameter"] for x in told}, {"x", "y"})
        self.assertAlmostEqual(sum(x["importance"] for x in told), 1)
        for x in told:
            self.assertGreater(x["effect"], 0.2)
            self.assertTrue(x["more_than_chance"])
            self.assertEqual(x["configs"], 40)
        table = self.run_node("importance", "results/x").out
        self.assertIn("by a model of the results: how much loss would change", table)
        told = self.run_node("importance", "results/x", "--by", "ped-anova", "-o", "jsonl").out
        self.assertEqual(json.loads(told.splitlines()[0])["by"], "ped-anova")
        self.run_node("importance", "results/x", "--by", "chance", code=2)

    def test_lists_are_measured_like_other_parameters(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 60\n[trainable]\n"
            "command = sh -c 'echo loss={x}'\nmetric.loss = loss={number}\nreport = final\n"
            "[search]\ntype = random\n[space]\nx = uniform(0, 1)\n"
            "features = subset(p, q, r)\norder = permutation(a, b, c)\n"
        )
        self.run_node("run", ini)

        for words, by in (([], "ped-anova"), (["--by", "model"], "model")):
            told = self.run_node("importance", "results/x", *words, "-o", "json").json()
            self.assertEqual({x["parameter"] for x in told}, {"x", "features", "order"})
            self.assertEqual({x["by"] for x in told}, {by})
            self.assertEqual({(x["configs"], x["best"]) for x in told}, {(60, 6)})
            self.assertEqual(told[0]["parameter"], "x")
            self.assertTrue(told[0]["more_than_chance"])
            order = next(x for x in told if x["parameter"] == "order")
            self.assertEqual(sorted(order["from"]), ["a", "b", "c"])
            self.assertEqual("chance" in order, by == "model")

    def test_a_configuration_counts_once_for_importance(self):
        ini = self.ini(
            "[experiment]\nname = x\nstorage = results\nmetric = loss\nmode = min\nnum_samples = 40\n"
            "[trainable]\nname = quadratic\n[space]\nx = choice(0, 1, 2, 3)\n"
            "y = choice(0, 1, 2)\n[search]\ntype = random\n"
        )
        self.run_node("run", ini)

        told = self.run_node("importance", "results/x", "-o", "json").json()

        trials = self.run_node("trials", "results/x", "-o", "json").json()
        different = {tuple(sorted(x["config"].items())) for x in trials}
        self.assertEqual({x["configs"] for x in told}, {len(different)})
        self.assertLess(len(different), 13)

    def test_configurations_that_miss_constraints_tell_a_model_nothing(self):
        ini = self.ini(
            "[experiment]\nname = x\nstorage = results\nmetric = loss\nmode = min\nnum_samples = 20\n"
            "constraints = loss >= 500\n[trainable]\nname = quadratic\n"
            "[space]\nx = uniform(-3, 3)\ny = uniform(-3, 3)\n[search]\ntype = auto\n"
        )
        self.run_node("run", ini)

        for words in ([], ["--by", "model"]):
            told = self.run_node("importance", "results/x", *words, code=3)
            self.assertEqual(told.out, "")
            self.assertIn("of 20 configurations 20 miss a constraint (loss >= 500) and 0 are left for"
                          " a model, which needs at least 10", told.err)
        self.run_node("importance", "results/x", "--by", "ped-anova")

    def test_a_parameter_that_few_configurations_have_says_nothing(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 40\n[trainable]\n"
            "command = sh -c 'echo loss={x}'\nmetric.loss = loss={number}\nreport = final\n"
            "[search]\ntype = random\n[space]\nx = uniform(0, 1)\n"
            "z = uniform(0, 1) if x > 0.95\n"
        )
        self.run_node("run", ini)

        for words in ([], ["--by", "model"]):
            told = self.run_node("importance", "results/x", *words, "-o", "json").json()
            rare = next(x for x in told if x["parameter"] == "z")
            self.assertLess(rare["configs"], 10)
            for name in ("importance", "more_than_chance", "from", "to"):
                self.assertIsNone(rare[name])
            self.assertAlmostEqual(sum(x["importance"] or 0 for x in told), 1)
            table = self.run_node("importance", "results/x", *words).out
            self.assertRegex(table, r"(?m)^z +- +- +- +[0-9]+ +0$")
        self.run_node("report", "results/x", "-o", "page.html")
        page = (self.directory / "page.html").read_text()
        self.assertIn("Too few configurations have z to tell.", page)
        self.assertNotRegex(page, r"\bz \([0-9]")

    def test_few_trials_tell_nothing_of_parameters(self):
        self.run_node("run", self.job())

        told = self.run_node("importance", "results/x", code=3)

        self.assertIn("4 configurations have a result, 10 are needed", told.err)


class Checking(Looking):
    def test_fsck_checks_the_record_of_a_running_experiment(self):
        ini = self.experiment(
            "tune reports 100000000", "x = uniform(0, 1)", samples=2,
            more="[checkpoint]\nfrequency = 1\nkeep = 2\n",
        )
        run = self.start("run", ini)
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT 1 FROM results LIMIT 200")) >= 200, run, "reports"
        )
        seen = []
        for _ in range(3):
            told = self.run_node("fsck", "results/x", "--verify", "-o", "json").json()
            self.assertEqual((told["running"], told["count"]), (True, 0), told)
            seen.append(told["events"])
        table = self.run_node("fsck", "results/x").out
        self.assertIn("nothing found; it runs: its files were not looked at", table)
        self.assertGreater(seen[2], seen[0])
        self.run_node("stop", "results/x")
        self.finish(run)
        told = self.run_node("fsck", "results/x", "-o", "json").json()
        self.assertEqual((told["running"], told["count"]), (False, 0))


class Shut(Looking):
    """Files that another user may not read are neither faults of the record nor traces of a
    crash."""

    def fsck_as_nobody(self, *words, code=7):
        def become_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        os.chmod(self.directory, 0o755)
        child = self.start("fsck", "results/x", *words, preexec_fn=become_nobody)
        return self.finish(child, code)

    def shut(self, path):
        """Makes a file unreadable during a test, which is skipped if the test cannot change
        users."""
        if os.geteuid() != 0:
            self.skipTest("only root can become somebody else")
        whole = self.directory / "results/x" / path
        before = whole.stat().st_mode & 0o777
        whole.chmod(0)
        self.addCleanup(whole.chmod, before)
        return whole

    def assert_unread(self, *paths):
        told = self.fsck_as_nobody("-o", "json").json()
        self.assertEqual(
            told["unread"], [{"path": x, "why": "Permission denied"} for x in paths]
        )
        self.assertEqual((told["findings"], told["mended_at_start"]), ([], []))
        text = self.fsck_as_nobody().out
        for x in paths:
            self.assertIn(x + ": cannot be read: Permission denied\n", text)
        self.assertIn("nothing found; not all files can be read", text)
        csv_form = self.fsck_as_nobody("-o", "csv")
        self.assertIn("tune-node: %s: cannot be read" % paths[0], csv_form.err)

    def test_files_and_directories_of_trials_are_named(self):
        self.run_node("run", self.job(samples=1, space="x = 1"))
        for path in ("trials/00000/result.jsonl", "trials/00000", "trials"):
            with self.subTest(path):
                whole = self.shut(path)

                self.assert_unread(path)

                whole.chmod(0o755)

    def test_files_and_directories_of_checkpoints_are_named(self):
        gate = self.directory / "gate"
        gate.touch()
        ini = self.cpp_experiment(
            "counts", 'gate = "%s"\nbytes = 100' % gate, "[checkpoint]\nfrequency = 1\nkeep = 1",
            isolation="thread"
        )
        self.run_node("run", ini, program=FAULTY_NODE)
        where = self.directory / "results/x"
        checkpoint = next(where.glob("trials/*/*/checkpoint_*"))
        inside = next(x for x in sorted(checkpoint.iterdir()) if x.is_file())
        for whole in (inside, checkpoint, checkpoint.parent):
            path = str(whole.relative_to(where))
            with self.subTest(path):
                self.shut(path)

                self.assert_unread(path)

                whole.chmod(0o755)

    def test_what_a_program_wrote_for_itself_does_not_count(self):
        self.run_node("run", self.job(samples=1, space="x = 1"))
        (self.directory / "results/x/trials/00000/own").write_text("secret")
        self.shut("trials/00000/own")

        told = self.fsck_as_nobody(code=0)

        self.assertIn("nothing found\n", told.out)

    def test_the_experiment_itself_is_named(self):
        self.run_node("run", self.job(samples=1, space="x = 1"))
        for path, named in (("experiment.db", "results/x/experiment.db"), (".", "results/x")):
            with self.subTest(path):
                whole = self.shut(path)

                ran = self.fsck_as_nobody()

                self.assertRegex(ran.err, "^tune-node: %s: .*Permission denied" % named)
                whole.chmod(0o755)


if __name__ == "__main__":
    main()
