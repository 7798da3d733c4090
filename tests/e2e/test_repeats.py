# SPDX-License-Identifier: BSD-3-Clause
"""Configurations that run several times, so that one lucky seed does not win."""
import json
import signal
import sys
from pathlib import Path

from e2e import TUNE_NODE, Case, main

TRIAL = Path(__file__).with_name("noisy_trial.py")


class Repeats(Case):
    def noisy(self, search="", more="", experiment="", space="x = grid(1, 2)", words="",
              name="x.ini", report="line"):
        return self.ini(
            "[experiment]\nmetric = score\n%s\n"
            "[trainable]\ncommand = %s %s {x} {seed} %s\nmetric.score = score = {number}\n"
            "report = %s\n[space]\n%s\n[search]\n%s\n[failure]\nbackoff = 0\n%s\n"
            % (experiment, sys.executable, TRIAL, words, report, space, search, more),
            name,
        )

    def results(self, name="x"):
        return self.directory / "results" / name

    def configs(self, name="x"):
        rows = self.rows("SELECT trial, config, origin FROM trials ORDER BY trial", name)
        return [(x["trial"], json.loads(x["config"]), x["origin"]) for x in rows]

    def is_heard(self):
        told = self.run_node("status", self.results(), "-o", "json", code=None)
        return told.code == 0 and told.json().get("head")

    def test_the_best_is_good_on_the_whole_and_not_by_one_lucky_seed(self):
        once = self.noisy(space="x = grid(1, 2)\nseed = 0", name="once.ini")
        lucky = self.run_node("run", once, "-o", "json").json()["best"]
        self.assertEqual(lucky["config"]["x"], 1)
        self.assertNotIn("runs", lucky)

        ran = self.run_node("run", self.noisy("repeat = 3"), "-o", "json").json()

        best = ran["best"]
        self.assertEqual(ran["counts"]["TERMINATED"], 6)
        self.assertEqual(best["config"], {"x": 2, "seed": 0})
        self.assertEqual(best["metrics"], {"score": 0.7})
        self.assertAlmostEqual(best["runs"]["mean"], 0.65)
        self.assertAlmostEqual(best["runs"]["error"], 0.05 / 3 ** 0.5)
        self.assertEqual((best["runs"]["count"], best["runs"]["full"]), (3, True))
        self.assertEqual([x[1] for x in self.configs()],
                         [{"x": x, "seed": seed} for x in (1, 2) for seed in (0, 1, 2)])

    def test_whatever_says_best_says_the_same(self):
        ran = self.run_node("run", self.noisy("repeat = 3"))
        self.assertIn("3 runs: mean score = 0.65 ± 0.029", ran.out)
        best = self.run_node("status", self.results(), "-o", "json").json()["best"]

        again = self.run_node("resume", self.results(), "-o", "json").json()["best"]
        listed = self.run_node("list", "experiments", "results", "-o", "json").json()[0]
        self.assertEqual(again, best)
        self.assertEqual((listed["best"], listed["best_trial"]), (0.7, best["trial"]))
        self.assertEqual(listed["runs"], best["runs"])
        rerun = self.run_node("rerun", self.results(), "-o", "json").json()
        self.assertEqual((rerun["trial"], rerun["config"]), (best["trial"], best["config"]))
        status = self.run_node("status", self.results()).out
        self.assertIn("3 runs: mean score = 0.65", status)
        drawn = self.run_node("plot", self.results()).out
        self.assertIn("single runs", drawn)
        self.assertIn("best: the mean of a configuration's runs", drawn)
        told = self.run_node("export", self.results(), "--format", "optuna").err
        self.assertIn("seed numbers the runs of a configuration, and was not searched", told)

    def test_lists_of_experiments_have_the_run_itself_and_beside_it_all_runs(self):
        ini = self.noisy("repeat = 3\nrepeat_judge = lower_bound")
        best = self.run_node("run", ini, "-o", "json").json()["best"]
        self.run_node("run", self.noisy(space="x = 2\nseed = 0", name="once.ini"))
        directories = [self.results(), self.results("once")]

        listed = self.run_node("list", "experiments", "results", "-o", "json").json()
        compared = self.run_node("compare", *directories, "-o", "json").json()["experiments"]

        for one, other in (listed, compared):
            self.assertEqual((one["best"], one["best_trial"]), (0.7, best["trial"]))
            self.assertEqual(one["runs"], best["runs"])
            self.assertEqual((other["best"], other["runs"]), (0.7, None))
        beside = "judged by the lower bound 0.56571 of 3 runs, whose mean is 0.65 ± 0.029"
        table = self.run_node("list", "experiments", "results").out
        self.assertRegex(table, "score +0.7 +" + beside)
        self.assertRegex(self.run_node("compare", *directories).out, "its configuration +" + beside)
        sheet = self.run_node("list", "experiments", "results", "-o", "csv").out.splitlines()
        self.assertIn(",best,best_trial,best_status,user,", sheet[0])
        self.assertTrue(sheet[0].endswith(",waits_for,runs_count,runs_mean,runs_error"))
        self.assertIn(",0.7,%s,TERMINATED,,,,,,3,0.6" % best["trial"], sheet[1])
        self.assertTrue(sheet[2].endswith(",0.7,00000,TERMINATED,,,,,,,,"))

    def test_trials_are_listed_with_what_their_configurations_come_to(self):
        self.run_node("run", self.noisy("repeat = 3"))

        rows = self.run_node("trials", self.results(), "--sort", "runs_rank", "-o", "json").json()

        self.assertEqual([x["config"]["x"] for x in rows], [2, 2, 2, 1, 1, 1])
        self.assertEqual([x["runs"]["rank"] for x in rows], [1, 1, 1, 2, 2, 2])
        self.assertAlmostEqual(rows[3]["runs"]["mean"], 0.43)
        head = self.run_node("trials", self.results()).out.splitlines()[0].split()
        self.assertEqual(head[:6], ["trial", "status", "iter", "score", "rank", "mean"])
        lines = self.run_node("trials", self.results(), "-o", "csv").out.splitlines()
        self.assertIn("runs_rank,runs_mean", lines[0])
        self.assertIn("runs_count,runs_error", lines[0])

    def test_recorded_curves_have_seeds_too(self):
        scores = {1: [0.99, 0.2, 0.1, 0.3], 2: [0.7, 0.6, 0.65, 0.6]}
        lines = ["config.x,config.seed,training_iteration,score"]
        lines += ["%d,%d,1,%g" % (x, seed, scores[x][seed]) for x in scores for seed in range(4)]
        (self.directory / "curves.csv").write_text("\n".join(lines) + "\n")
        ini = self.ini("[experiment]\nmetric = score\nconfirm = 1\nconfirm_runs = 1\n[trainable]\n"
                       "kind = table\npath = curves.csv\n[space]\nx = grid(1, 2)\n"
                       "[search]\nrepeat = 3\n")
        simulated = self.run_node("simulate", ini, "-o", "json").json()["best"]
        ran = self.run_node("run", ini, "-o", "json").json()["best"]
        for best in (simulated, ran):
            self.assertEqual(best["config"], {"x": 2, "seed": 3})
            self.assertEqual((best["runs"]["mean"], best["runs"]["error"]), (0.6, None))
            self.assertAlmostEqual(best["runs"]["mean_in_search"], 0.65)

    def test_the_points_of_another_experiment_are_configurations_each_once(self):
        self.run_node("run", self.noisy("repeat = 3"))
        points = self.noisy("points_from = results/x\npoints_from_best = 1\nrepeat = 2",
                            space="x = choice(1, 2, 3)", name="y.ini")

        self.run_node("run", points)

        self.assertEqual([x[1] for x in self.configs("y")],
                         [{"x": 2, "seed": 0}, {"x": 2, "seed": 1}])

    def test_the_number_of_samples_counts_configurations(self):
        ini = self.noisy("repeat = 2\nrepeat_parameter = run_number", space="x = choice(1, 2, 3)",
                         experiment="num_samples = 3")
        ini.write_text(ini.read_text().replace("{seed}", "{run_number}"))
        for searcher, count in (("random", 6), ("sobol", 6)):
            self.run_node("run", ini, "--experiment.name", searcher, "--search.type", searcher)
            configs = [x[1] for x in self.configs(searcher)]
            self.assertEqual(len(configs), count, searcher)
            for one, other in zip(configs[::2], configs[1::2]):
                self.assertEqual((one["x"], one["run_number"] + 1),
                                 (other["x"], other["run_number"]))

    def test_judges_say_what_they_are(self):
        for judge, value in (("median", 0.65), ("lower_bound", 0.5657)):
            ran = self.run_node("run", self.noisy("repeat = 3\nrepeat_judge = " + judge),
                                "--experiment.name", judge, "-o", "json").json()
            runs = ran["best"]["runs"]
            self.assertEqual((runs["judge"], round(runs["value"], 4)), (judge, value))
            text = self.run_node("status", self.results(judge)).out
            told = "3 runs: %s score = %.4g" % (judge.replace("_", " "), value)
            self.assertRegex(text, told + "[0-9]*, by which it is judged; mean 0\\.65 ")

    def test_runs_that_fail_are_left_out_and_where_most_do_the_others_go_before(self):
        ini = self.noisy("repeat = 3", space="x = grid(4, 2)")

        ran = self.run_node("run", ini, "-o", "json", code=0).json()

        self.assertEqual(ran["counts"]["ERRORED"], 2)
        self.assertEqual(ran["best"]["config"]["x"], 2)
        alone = self.run_node("run", self.noisy("repeat = 3", space="x = 4", name="y.ini"))
        self.assertIn("not all of its runs count: 1 of 3 runs: mean score = 1", alone.out)

    def test_a_head_that_is_killed_in_the_middle_goes_on_with_the_same(self):
        extra = "repeat = 3"
        space, experiment = "x = choice(1, 2, 3)", "num_samples = 6\nconfirm = 2\nseed = 4"
        whole = self.noisy(extra, experiment=experiment, space=space, name="whole.ini")
        self.run_node("run", whole)
        for after in (4, 19):
            name = "cut%d" % after
            ini = self.noisy(extra, experiment=experiment + "\nmax_concurrent_trials = 1",
                             space=space, name=name + ".ini")
            child = self.start("run", ini)
            self.wait_until(
                lambda: self.rows_if_any(
                    "SELECT 1 FROM trials WHERE status = 'TERMINATED' AND trial >= %d" % after,
                    name),
                child,
            )
            child.send_signal(signal.SIGKILL)
            child.wait()
            self.assertLess(
                len(self.rows("SELECT 1 FROM trials WHERE status = 'TERMINATED'", name)), 24)

            self.run_node("resume", self.results(name))

            self.assertEqual(self.configs(name), self.configs("whole"))
            one = self.run_node("status", self.results(name), "-o", "json").json()["best"]
            other = self.run_node("status", self.results("whole"), "-o", "json").json()["best"]
            self.assertEqual(one["runs"], other["runs"])

    def test_the_winner_is_named_by_what_confirms_it(self):
        ini = self.noisy("repeat = 3", experiment="confirm = 2\nconfirm_runs = 2",
                         space="x = grid(1, 2, 3)")

        ran = self.run_node("run", ini, "-o", "json")

        best = ran.json()["best"]
        self.assertEqual(best["config"], {"x": 3, "seed": 3})
        runs = best["runs"]
        self.assertEqual((runs["confirmed"], runs["count"], runs["mean"]), (True, 2, 0.65))
        self.assertAlmostEqual(runs["mean_in_search"], 0.6)
        confirmed = [(x[1], x[2]) for x in self.configs()[9:]]
        self.assertEqual(
            confirmed,
            [({"x": x, "seed": seed}, origin) for x, origin in
             ((2, "confirms 00003"), (3, "confirms 00006")) for seed in (3, 4)])
        text = self.run_node("status", self.results()).out
        self.assertIn("confirmed by 2 runs: mean score = 0.65 ± 0; in the search 0.6", text)

    def test_what_was_confirmed_under_other_limits_is_found_right(self):
        space = "x = choice(1, 2, 3)"
        for name, limits in (("more", (2, 4)), ("less", (4, 2)), ("both", (2, 5, 3))):
            ini = self.noisy("repeat = 2", space=space, name=name + ".ini",
                             experiment="num_samples = %d\nconfirm = 1\nconfirm_runs = 2"
                                        % limits[0])
            self.run_node("run", ini)
            for samples in limits[1:]:
                self.run_node("resume", self.results(name), "--experiment.num_samples", samples)
            checked = self.run_node("fsck", "--verify", self.results(name), "-o", "json").json()
            self.assertEqual(checked["findings"], [], name)

    def test_what_is_added_after_the_end_is_confirmed_with_fresh_seeds_at_once(self):
        self.run_node("run", self.noisy('points = [{"x": 2}]', space="x = choice(1, 2)",
                                        experiment="num_samples = 1\nconfirm = 1\n"
                                                   "confirm_runs = 2"))
        # This run is better than x = 2 ever is.
        self.run_node("resume", self.results(), "--add", '{"x": 1, "seed": 0}')

        expected = [(2, 0, "point 1"), (2, 1, "confirms 00000"), (2, 2, "confirms 00000"),
                    (1, 0, "client"), (1, 1, "confirms 00003"), (1, 2, "confirms 00003")]
        for _ in range(2):
            self.assertEqual([(x[1]["x"], x[1]["seed"], x[2]) for x in self.configs()], expected)
            # Nothing is left to run.
            self.run_node("resume", self.results())

    def test_what_was_confirmed_can_be_run_again(self):
        self.run_node("run", self.noisy(experiment="confirm = 1\nconfirm_runs = 2"))

        for trial, config in (("0", {"x": 1, "seed": 0}), ("3", {"x": 1, "seed": 2})):
            again = self.run_node("rerun", self.results(), trial, "-o", "json").json()
            self.assertEqual(again["config"], config)
            name = Path(again["directory"]).name
            self.assertEqual([x[1] for x in self.configs(name)], [config])
            self.assertEqual([x["difference"] for x in again["metrics"] if x["metric"] == "score"],
                             [0])

    def test_what_confirms_runs_to_its_end_whatever_the_scheduler(self):
        asha = "[scheduler]\ntype = %s\nmax_t = 9\n%s[stop]\ntraining_iteration = 9\n"
        for which, more in (("asha", "grace_period = 1\n"), ("median_stopping", "")):
            scheduler = asha % (which, more)
            if which == "median_stopping":
                scheduler = scheduler.replace("max_t = 9\n", "grace_period = 1\n")
            ini = self.noisy("repeat = 2", scheduler, experiment="confirm = 2\nconfirm_runs = 2",
                             space="x = grid(1, 2, 3)", words="9", name=which + ".ini")
            ran = self.run_node("run", ini, "-o", "json").json()
            rows = self.rows("SELECT iterations FROM trials WHERE origin LIKE 'confirms %'", which)
            self.assertEqual([x["iterations"] for x in rows], [9, 9, 9, 9], which)
            self.assertTrue(ran["best"]["runs"]["confirmed"], which)

    def test_constraints_and_small_values_count_by_all_runs(self):
        ini = self.ini(
            "[experiment]\nmetric = loss:min\nconstraints = late <= 20\n"
            "[trainable]\ncommand = sh -c \"echo loss={x}.{seed} late=$((1{x} + 5 * {seed}))\"\n"
            "metric.loss = loss={number}\nmetric.late = late={number}\n"
            "[space]\nx = grid(1, 2, 0)\n[search]\nrepeat = 3\n")
        # Late losses by x: 11, 16, 21; 12, 17, 22; 10, 15, 20. Losses by seed: x.0, x.1, x.2.
        best = self.run_node("run", ini, "-o", "json").json()["best"]
        self.assertEqual(best["config"], {"x": 0, "seed": 0})
        self.assertAlmostEqual(best["runs"]["mean"], 0.1)
        self.assertEqual((best["violation"], best["runs"]["violation"]), (0, 0))
        rows = self.run_node("trials", self.results(), "--sort", "runs_rank", "-o", "json").json()
        self.assertEqual([x["config"]["x"] for x in rows[::3]], [0, 1, 2])

        worst = self.run_node("run", ini, "-o", "json", "--experiment.mode", "max",
                              "--experiment.metric", "loss:max", "--experiment.constraints",
                              "late <= 21", "--experiment.name", "most").json()["best"]
        self.assertEqual((worst["config"]["x"], worst["runs"]["count"]), (1, 3))
        missed = self.run_node("run", ini, "-o", "json", "--experiment.constraints", "late <= 14",
                               "--experiment.name", "missed").json()["best"]
        # Those of x = 0 miss it by 0, 1 and 6.
        self.assertEqual((missed["violation"], missed["config"]["x"]), (0, 0))
        self.assertAlmostEqual(missed["runs"]["violation"], 7 / 3)

    def test_points_and_additions_of_no_search_run_so_often(self):
        ini = self.noisy('repeat = 2\ntype = none\npoints = [{"x": 1}]', space="x = choice(1, 2)")
        child = self.start("run", ini, "-o", "json")
        ended = "SELECT 1 FROM trials WHERE status = 'TERMINATED'"
        self.wait_until(lambda: len(self.rows_if_any(ended)) == 2, child)
        self.wait_until(self.is_heard, child, "the head's answer")
        self.run_node("add", self.results(), "x=2")
        self.wait_until(lambda: len(self.rows_if_any(ended)) == 4, child)
        self.run_node("stop", self.results())

        best = self.finish(child).json()["best"]

        self.assertEqual(best["config"], {"x": 2, "seed": 0})
        self.assertEqual([x[1] for x in self.configs()],
                         [{"x": x, "seed": seed} for x in (1, 2) for seed in (0, 1)])

    def test_a_finished_experiment_takes_more_samples_and_additions_each_so_often(self):
        ini = self.noisy("type = random\nrepeat = 2", space="x = choice(1, 2)",
                         experiment="num_samples = 2")
        self.run_node("run", ini)
        self.run_node("resume", self.results(), "--experiment.num_samples", "3")
        self.assertEqual(len(self.configs()), 6)

        self.run_node("resume", self.results(), "--experiment.num_samples", "3", "--add",
                      '{"x": 1}')

        added = [x[1] for x in self.configs()[6:]]
        self.assertEqual([x["x"] for x in added], [1, 1])
        seeds = [x[1]["seed"] for x in self.configs() if x[1]["x"] == 1]
        self.assertEqual(sorted(seeds), list(range(len(seeds))))

    def test_what_cannot_go_together_is_refused_with_the_key(self):
        cases = (
            (["--space.seed", "3"], '"seed": repeat gives the number of a run this name'),
            (["--experiment.metric", "score, other"], "judged by one metric, not 2"),
            (["--scheduler.type", "pbt"], "[scheduler] type = pbt changes the configurations"),
            (["--search.repeat", "0"], "repeat = 0: must be a whole number, 1 to 1000"),
            (["--search.repeat_judge", "best"], "mean, median, lower_bound"),
            (["--search.repeat_parameter", "a b"], "repeat_parameter = a b: must be letters"),
            (["--experiment.confirm", "2", "--experiment.num_samples", "0"],
             "confirm = 2: with num_samples = 0 the search never ends"),
            (["--experiment.confirm", "2", "--search.type", "none"],
             "confirm = 2: [search] type = none never ends"),
            (["--search.points", '[{"x": 1, "seed": 1}]'], "leave it out"),
        )
        ini = self.noisy("repeat = 2")
        for words, message in cases:
            told = self.run_node("config", "check", ini, *words, code=3)
            self.assertIn(message, told.out + told.err, words)
        rests = self.noisy("repeat = 2", space="x = grid(1, 2) if seed == 1", name="y.ini")
        told = self.run_node("config", "check", rests, code=3)
        self.assertIn("no condition may rest", told.out + told.err)

    def test_a_number_that_nobody_passes_on_is_warned_of(self):
        ini = self.noisy("repeat = 2")
        ini.write_text(ini.read_text().replace("{seed}", "0"))
        told = self.run_node("config", "check", ini)
        self.assertIn("no {seed} in command or env.", told.out + told.err)

    def test_ask_tell_asks_each_configuration_so_often_and_then_confirms(self):
        ini = self.ini(
            "[experiment]\nmetric = score\nconfirm = 1\nconfirm_runs = 2\n"
            "[space]\nx = grid(1, 2)\n[search]\nrepeat = 2\n")
        child = self.start("ask-tell", ini, stdin=-1)

        def say(**what):
            child.stdin.write(json.dumps(what) + "\n")
            child.stdin.flush()
            return json.loads(child.stdout.readline())

        seen = []
        while True:
            told = say(op="ask")
            if told["op"] != "trial":
                break
            config = told["config"]
            seen.append((config["x"], config["seed"]))
            score = [0.9, 0.1, 0.3, 0.3][config["seed"]] if config["x"] == 1 else 0.6
            say(op="report", trial=told["trial"], metrics={"score": score})
            say(op="complete", trial=told["trial"])
        self.assertEqual(seen, [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (2, 3)])
        best = say(op="best")
        self.assertEqual(best["config"]["x"], 2)
        self.assertTrue(best["runs"]["confirmed"])
        self.finish(child)


if __name__ == "__main__":
    main()
