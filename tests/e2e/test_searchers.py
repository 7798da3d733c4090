# SPDX-License-Identifier: BSD-3-Clause
"""Searchers that learn, through the real program."""
import subprocess

from e2e import ROOT, Case, main
from test_ask_tell import Talk

TREE = (
    "kind = choice(a, b)\n"
    "x = uniform(-1, 1)\n"
    "n = randint(1, 9) if kind == b\n"
)
LEARNERS = ("auto", "gp", "tpe", "cma_es", "bohb", "dehb", "nsga2", "evolution")
# Searchers of these that support only one objective.
SINGLE = ("cma_es", "bohb", "dehb")
# A bounded option of each searcher, a value out of bounds, and the message about it.
BOUNDED = {
    "cma_es": ("population", "-1", "0 to 10000"),
    "dehb": ("population", "3", "4 to 10000"),
    "evolution": ("population", "1", "2 to 10000"),
    "nsga2": ("population", "3", "4 to 10000"),
}


def loss(config):
    return (config["x"] - 0.3) ** 2 + 0.02 * (config.get("n", 3) - 7) ** 2


class Searchers(Case):
    def tree(self, searcher, name="x", samples=24, more=""):
        return self.ini(
            "[experiment]\nname = %s\nstorage = results\nmetric = loss\nmode = min\n"
            "num_samples = %d\n[space]\n%s[search]\ntype = %s\n%s\n"
            % (name, samples, TREE, searcher, more),
            name + ".ini",
        )

    def converse(self, *words):
        return Talk(self, self.start("ask-tell", *words, stdin=subprocess.PIPE))

    def tell(self, talk, given):
        self.assertEqual(given["op"], "trial", given)
        trial = given["trial"]
        talk.report(trial, 1, loss(given["config"]))
        self.assertEqual(talk.say("complete", trial=trial)["op"], "ok")
        return trial, given["config"]

    def undisturbed(self, searcher):
        talk = self.converse(self.tree(searcher, "whole-" + searcher))
        told = []
        while True:
            given = talk.say("ask")
            if given["op"] == "none":
                break
            told.append(self.tell(talk, given))
        self.assertEqual(given["reason"], "finished")
        talk.end()
        return told

    def test_suggest_after_kill_9_what_they_would_have_suggested(self):
        for searcher in LEARNERS:
            with self.subTest(searcher):
                wanted = self.undisturbed(searcher)
                name = "broken-" + searcher
                ini = self.tree(searcher, name)
                told = []
                while len(told) < len(wanted):
                    talk = self.converse(ini, *(["--resume"] if told else []))
                    for _ in range(min(5, len(wanted) - len(told))):
                        told.append(self.tell(talk, talk.say("ask")))
                    talk.kill()

                self.assertEqual(told, wanted)
                self.run_node("fsck", "results/" + name, "--verify")

    def places(self, searcher, name, more):
        """Four places that become free together, and wait hardly at all for a model."""
        return self.ini(
            "[experiment]\nname = %s\nstorage = results\nmetric = loss\nmode = min\n"
            "num_samples = 48\nmax_concurrent_trials = 4\n"
            "[trainable]\ncommand = sh -c 'sleep 0.05; echo \"loss=$1\"' x {x}\n"
            "metric.loss = loss=({number})\n[resources]\ncpu = 0.01\n[space]\n%s"
            "[search]\ntype = %s\nmax_wait = 1ms\n%s" % (name, TREE, searcher, more),
            name + ".ini",
        )

    def test_draw_at_once_what_they_would_draw_again_after_kill_9(self):
        self.run_node("run", self.places("random", "before", ""))
        for name, searcher, more in (
            ("plain", "auto", ""),
            ("warm", "gp", "learn_from = results/before\n"),
            ("partial", "auto", "partial = true\n"),
        ):
            with self.subTest(name):
                ini = self.places(searcher, name, more)
                for begun in (16, 30):
                    child = self.start("run", ini, *(["--resume"] if begun > 16 else []))
                    begins = "SELECT count(*) AS n FROM attempts"
                    self.wait_until(
                        lambda: self.rows_if_any(begins, name)
                        and self.rows(begins, name)[0]["n"] >= begun,
                        child, "some attempts",
                    )
                    child.kill()
                    child.communicate()
                ran = self.run_node("resume", "results/" + name, "--output", "json").json()
                self.assertEqual((ran["status"], ran["counts"]["TERMINATED"]), ("done", 48))
                # Every answer comes out again from what is recorded before it.
                self.run_node("fsck", "results/" + name, "--verify")
                asked = "SELECT count(*) AS n FROM events WHERE kind = 'suggest_asked' AND body LIKE "
                self.assertGreater(self.rows(asked + "'%quick%'", name)[0]["n"], 0)
                trials = self.run_node("trials", "results/" + name, "-o", "json").json()
                self.assertEqual(len({str(x["config"]) for x in trials}), 48)
                self.assertTrue(any("drawn ahead" in x["origin"] for x in trials))

    def several(self, searcher, name):
        return self.ini(
            "[experiment]\nname = %s\nstorage = results\nmetric = loss:min, cost:min\n"
            "num_samples = 32\n[space]\n%s[search]\ntype = %s\nmax_wait = 0\n"
            % (name, TREE, searcher),
            name + ".ini",
        )

    def tell_both(self, talk, given):
        config = given["config"]
        cost = abs(config["x"] + 0.8) + 0.1 * config.get("n", 0)
        metrics = {"training_iteration": 1, "loss": loss(config), "cost": cost}
        talk.say("report", trial=given["trial"], metrics=metrics)
        talk.say("complete", trial=given["trial"])
        return config, given.get("origin")

    def test_learn_from_several_objectives_and_go_on_after_kill_9(self):
        for searcher in ("auto", "tpe", "nsga2"):
            with self.subTest(searcher):
                talk = self.converse(self.several(searcher, "all-" + searcher))
                wanted = [self.tell_both(talk, talk.say("ask")) for _ in range(32)]
                self.assertEqual(talk.say("ask")["op"], "none")
                talk.end()
                ini = self.several(searcher, "cut-" + searcher)
                told = []
                while len(told) < 32:
                    talk = self.converse(ini, *(["--resume"] if told else []))
                    told += [self.tell_both(talk, talk.say("ask")) for _ in range(8)]
                    talk.kill()
                self.assertEqual(told, wanted)
                self.run_node("fsck", "results/cut-" + searcher, "--verify")
                rows = self.run_node(
                    "trials", "results/all-" + searcher, "--pareto", "-o", "json"
                ).json()
                self.assertTrue(0 < len(rows) < 32)

    def test_keep_constraints_and_search_lists(self):
        space = (
            "[space]\nway = permutation(a, b, c, d)\nfeatures = subset(p, q, r)\n"
            "size = ordinal(small, medium, large)\nx = uniform(0, 1)\n"
            "constraint = len(features) >= 1 and (x < 0.5 or size != \"large\")\n"
        )
        for searcher in ("auto", "random", "sobol"):
            with self.subTest(searcher):
                ini = self.ini(
                    "[experiment]\nname = lists-%s\nstorage = results\nmetric = loss\n"
                    "mode = min\nnum_samples = 14\n%s[search]\ntype = %s\n"
                    % (searcher, space, searcher)
                )
                talk = self.converse(ini)
                seen = []
                for _ in range(14):
                    given = talk.say("ask")
                    config = given["config"]
                    self.assertEqual(sorted(config["way"]), ["a", "b", "c", "d"])
                    self.assertGreaterEqual(len(config["features"]), 1)
                    self.assertLessEqual(set(config["features"]), {"p", "q", "r"})
                    self.assertTrue(config["x"] < 0.5 or config["size"] != "large", config)
                    talk.report(given["trial"], 1, config["x"] + config["way"].index("c"))
                    talk.say("complete", trial=given["trial"])
                    seen.append(config)
                talk.end()
                self.run_node("fsck", "results/lists-" + searcher, "--verify")
                told = self.run_node("trials", "results/lists-" + searcher, "-o", "json").json()
                self.assertEqual([x["config"] for x in told], seen)
                told = self.run_node(
                    "importance", "results/lists-" + searcher, "-o", "json"
                ).json()
                self.assertEqual({x["parameter"] for x in told}, {"way", "features", "size", "x"})

    def test_say_what_is_wrong_with_a_constraint(self):
        for rule, wanted in (
            ("x + y < 1", "it reads \"y\", which is not a parameter"),
            ("x > 5", "none of 10,000 random configurations keeps x > 5"),
            ("x >", "column 4: expected a number, a parameter or a bracket"),
        ):
            with self.subTest(rule):
                ini = self.ini(
                    "[experiment]\nmetric = loss\nmode = min\n[trainable]\nname = quadratic\n"
                    "[space]\nx = uniform(0, 1)\nconstraint = %s\n" % rule
                )
                said = self.run_node("config", "check", ini, code=3).err
                self.assertIn(wanted, said)
                self.assertIn("constraint", said)
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\nname = quadratic\n"
            "[space]\nx = uniform(0, 1)\ny = uniform(0, 1)\nconstraint = x + y < 1\n"
            "[scheduler]\ntype = pbt\nmutate = x\n"
        )
        said = self.run_node("config", "check", ini, code=3).err
        self.assertIn("pbt changes configurations without looking at it", said)

    def test_know_every_result_when_a_trial_begins(self):
        # An executor that asks when it is idle has told all results; a run with one place must come
        # to the same configurations.
        ini = self.ini(
            "[experiment]\nname = run\nstorage = results\nmetric = loss\nmode = min\n"
            "num_samples = 16\nmax_concurrent_trials = 1\n[trainable]\nname = quadratic\n"
            "[space]\nx = uniform(-3, 3)\ny = uniform(-3, 3)\n"
            "[search]\ntype = auto\nmax_wait = 0\n"
        )
        self.run_node("run", ini)
        trials = self.run_node("trials", "results/run", "--output", "json").json()
        trials.sort(key=lambda x: x["trial"])
        talk = self.converse(ini, "--experiment.name", "asked")
        for ran in trials:
            given = talk.say("ask")
            self.assertEqual(given["config"], ran["config"])
            talk.report(given["trial"], 1, ran["metrics"]["loss"])
            talk.say("complete", trial=given["trial"])
        talk.end()
        self.run_node("fsck", "results/run", "--verify")

    def test_run_beside_four_trials_and_tell_where_each_comes_from(self):
        ini = self.ini(
            (ROOT / "config" / "quadratic.ini").read_text()
            + "[search]\ntype = auto\nmax_wait = 10s\n[resources]\ncpu = 0.25\n"
        )
        ran = self.run_node("run", ini, "--output", "json").json()

        self.assertEqual(ran["status"], "done")
        config = ran["best"]["config"]
        self.assertLess((config["x"] - 1) ** 2 + (config["y"] + 2) ** 2, 0.05)
        trials = self.run_node("trials", ran["directory"], "--output", "json").json()
        origins = {x["origin"] for x in trials}
        self.assertLessEqual({"middle", "design", "gp", "tpe"}, origins)
        self.run_node("fsck", ran["directory"], "--verify")

    def why(self, directory, trial):
        told = self.run_node("trials", directory, "--why", trial, "--output", "json")
        return told.json()["suggestion"]

    def test_tell_why_they_proposed_a_configuration(self):
        ini = self.ini(
            (ROOT / "config" / "quadratic.ini").read_text()
            + "[search]\ntype = auto\nmax_wait = 10s\n[resources]\ncpu = 0.25\n"
        )
        ran = self.run_node("run", ini, "--output", "json").json()["directory"]
        trials = self.run_node("trials", ran, "--output", "json").json()
        losses = {x["trial"]: x["objectives"]["loss"] for x in trials}
        first = {}
        for x in sorted(trials, key=lambda x: x["trial"]):
            first.setdefault(x["origin"].split(",")[0], x["trial"])

        self.assertIsNone(self.why(ran, first["middle"]))
        self.assertIsNone(self.why(ran, first["design"]))
        by_process = self.why(ran, first["gp"])
        by_densities = self.why(ran, first["tpe"])

        self.assertIs(by_process["same"], True)
        self.assertEqual(by_process["predicted"]["metric"], "loss")
        self.assertGreater(by_process["predicted"]["deviation"], 0)
        self.assertGreaterEqual(by_process["predicted"]["expected_improvement"], 0)
        near = by_process["nearest"]
        self.assertEqual(near["value"], losses[near["trial"]])
        self.assertIs(by_densities["same"], True)
        self.assertIn("log_ratio", by_densities["details"])
        said = self.run_node("trials", ran, "--why", first["gp"]).out
        self.assertIn("predicted: loss ", said)
        self.assertIn("nearest: trial ", said)

    def test_wait_for_a_batch_and_go_on_after_kill_9(self):
        ini = self.tree("gp", "batches", 12, "max_pending = 4\nbatch = true")
        whole = self.converse(ini, "--experiment.name", "whole")
        told = [self.round_of(whole) for _ in range(3)]
        self.assertEqual(whole.say("ask")["reason"], "finished")
        whole.end()
        cut = self.converse(ini, "--experiment.name", "cut")
        again = [self.round_of(cut)]
        # One trial of the second batch has ended when the head is killed.
        given = [cut.say("ask") for _ in range(4)]
        self.tell(cut, given[0])
        self.assertEqual(cut.say("ask").get("reason"), "wait")
        cut.kill()
        cut = self.converse(ini, "--experiment.name", "cut", "--resume")
        rest = [cut.say("ask") for _ in range(3)]
        self.assertEqual(cut.say("ask").get("reason"), "wait")
        again.append([x["config"] for x in [given[0]] + rest])
        for x in rest:
            self.tell(cut, x)
        again.append(self.round_of(cut))

        self.assertEqual(again, told)

    def round_of(self, talk):
        """Takes a batch of four and tells its results. Returns its configurations."""
        given = [talk.say("ask") for _ in range(4)]
        self.assertEqual({x["op"] for x in given}, {"trial"})
        self.assertEqual(talk.say("ask").get("reason"), "wait")
        for x in given:
            self.tell(talk, x)
        return [x["config"] for x in given]

    def test_say_at_start_up_what_they_cannot_do(self):
        for searcher in LEARNERS:
            option, given, bounds = BOUNDED.get(searcher, ("startup", "-1", "0 to 10000"))
            with self.subTest(searcher):
                ini = self.ini(
                    "[experiment]\nmetric = loss:min, size:min\n[trainable]\nname = quadratic\n"
                    "[space]\nx = uniform(0, 1)\ny = 1\n[search]\ntype = %s\n" % searcher
                )
                said = self.run_node("config", "check", ini, code=3 if searcher in SINGLE else 0)
                if searcher in SINGLE:
                    self.assertIn("%s optimises 1 objective, not 2" % searcher, said.err)
                ini = self.ini(
                    "[experiment]\nmetric = loss\nmode = min\n[trainable]\nname = quadratic\n"
                    "[space]\nx = grid(0, 1)\ny = 1\n[search]\ntype = %s\n%s = %s\n"
                    % (searcher, option, given)
                )
                said = self.run_node("config", "check", ini, code=3).err
                self.assertIn(option, said)
                self.assertIn(bounds, said)

    def test_tell_trials_by_a_parameter_how_long_to_train(self):
        ran = self.run_node(
            "run", ROOT / "config" / "dehb-digits.ini", "--output", "json",
            "--experiment.num_samples", "30", "--resources.cpu", "0.25",
        ).json()

        self.assertEqual(ran["status"], "done")
        trials = self.run_node("trials", ran["directory"], "--output", "json").json()
        epochs = [x["config"]["epochs"] for x in sorted(trials, key=lambda x: x["trial"])]
        self.assertEqual(epochs, [1] * 27 + [3] * 3)
        for x in trials:
            self.assertEqual(x["iterations"], x["config"]["epochs"])
        # The best three of the first rung are trained again.
        trials.sort(key=lambda x: (x["config"]["epochs"], -x["metrics"]["accuracy"], x["trial"]))
        self.assertEqual(
            sorted(x["config"]["lr"] for x in trials[27:]),
            sorted(x["config"]["lr"] for x in trials[:3]),
        )
        self.run_node("fsck", ran["directory"], "--verify")

    def test_learn_at_the_longest_budget_that_enough_trials_have_come_to(self):
        ini = ROOT / "config" / "schedulers" / "hb-bohb.ini"
        ran = self.run_node("run", ini, "--output", "json", "--search.max_wait", "0").json()

        trials = self.run_node("trials", ran["directory"], "--output", "json").json()
        origins = {x["origin"] for x in trials}
        self.assertLessEqual({"middle", "design", "random", "bohb at 9"}, origins)
        self.run_node("fsck", ran["directory"], "--verify")

    def test_end_when_a_finite_space_is_tried_through(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 50\n"
            "[trainable]\nname = quadratic\n"
            "[space]\nx = randint(-1, 2)\ny = choice(-2, 2)\n[search]\ntype = auto\n"
        )
        ran = self.run_node("run", ini, "--output", "json").json()

        self.assertEqual(ran["status"], "done")
        self.assertEqual(ran["counts"]["TERMINATED"], 6)
        self.assertEqual(ran["why"], "all configurations of the space were tried")
        told = self.run_node("status", ran["directory"], "--output", "json").json()
        self.assertEqual(told["why"], ran["why"])

    def test_end_when_little_is_left_to_gain_and_go_on_for_less(self):
        ini = self.ini(
            "[experiment]\nname = little\nstorage = results\nmetric = loss\nmode = min\n"
            "num_samples = 60\nmax_concurrent_trials = 1\n[trainable]\nname = quadratic\n"
            "[space]\nx = uniform(-3, 3)\ny = uniform(-3, 3)\n"
            "[search]\ntype = auto\nmax_wait = 0\nregret_below = 0.5\n"
        )
        ran = self.run_node("run", ini, "--output", "json").json()

        self.assertEqual(ran["status"], "done")
        self.assertRegex(ran["why"], r"^no more than 0\.\d+ is to be gained$")
        before = ran["counts"]["TERMINATED"]
        self.assertLess(before, 60)
        again = ("resume", "results/little", "--search.regret_below")
        summary = self.run_node(*again, "0.4").out
        self.assertRegex(summary, r"no more than 0\.\d+ is to be gained")
        ran = self.run_node(*again, "0", "--output", "json").json()
        self.assertEqual((ran["counts"]["TERMINATED"], ran.get("why")), (60, None))
        # Proposals of before count as such, and what was proposed then is no less explained.
        self.run_node(*again, "100")
        self.run_node("fsck", "results/little", "--verify")
        trials = self.run_node("trials", "results/little", "--output", "json").json()
        late = max(x["trial"] for x in trials if x["origin"].startswith("gp"))
        self.assertIs(self.why("results/little", late)["same"], True)
        said = self.run_node(*again[:2], "--search.startup", "9", code=8).err
        self.assertIn("search.startup", said)


if __name__ == "__main__":
    main()
