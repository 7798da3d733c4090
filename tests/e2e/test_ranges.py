# SPDX-License-Identifier: BSD-3-Clause
"""Ranges that depend on other parameters, through the whole program."""
import subprocess
import sys
from pathlib import Path

from e2e import ROOT, Case, main
from test_ask_tell import Talk

HERE = Path(__file__).resolve().parent
SPACE = (
    "[space]\nhigh = uniform({low}, 1)\nlow = uniform(0, 1)\n"
    "layers = randint(1, 6)\nskip = randint(0, {layers} + 1) if layers > 2\n"
)


class Ranges(Case):
    def told(self, searcher, name, space=SPACE, more=""):
        return self.ini(
            "[experiment]\nname = %s\nstorage = results\nmetric = loss:min\nnum_samples = 14\n"
            "%s[search]\ntype = %s\nmax_wait = 0\n%s" % (name, space, searcher, more),
            name + ".ini",
        )

    def converse(self, *words):
        return Talk(self, self.start("ask-tell", *words, stdin=subprocess.PIPE))

    def tell(self, talk):
        given = talk.say("ask")
        config = given["config"]
        self.assertLessEqual(config["low"], config["high"])
        self.assertEqual("skip" in config, config["layers"] > 2, config)
        self.assertLessEqual(config.get("skip", 0), config["layers"])
        talk.report(given["trial"], 1, abs(config["high"] - 0.7) + 0.1 * config.get("skip", 0))
        talk.say("complete", trial=given["trial"])
        return config

    def test_are_kept_recorded_and_replayed(self):
        for searcher in ("auto", "random", "tpe", "cma_es"):
            with self.subTest(searcher):
                talk = self.converse(self.told(searcher, "all-" + searcher))
                wanted = [self.tell(talk) for _ in range(14)]
                talk.end()
                ini = self.told(searcher, "cut-" + searcher)
                seen = []
                while len(seen) < 14:
                    talk = self.converse(ini, *(["--resume"] if seen else []))
                    seen += [self.tell(talk) for _ in range(min(5, 14 - len(seen)))]
                    talk.kill()
                self.assertEqual(seen, wanted)
                directory = "results/cut-" + searcher
                self.run_node("fsck", directory, "--verify")
                rows = self.run_node("trials", directory, "-o", "json").json()
                self.assertEqual([x["config"] for x in rows], seen)
                parts = self.run_node("importance", directory, "-o", "json").json()
                self.assertEqual({x["parameter"] for x in parts}, {"high", "low", "layers", "skip"})

    def test_are_checked_and_printed(self):
        trainable = "[trainable]\ncommand = true {n}\n"
        ini = self.told("auto", "x", trainable + "[space]\nn = randint(1, {layers})\n"
                        "layers = randint(1, 4)\n")
        checked = self.run_node("config", "check", ini)
        self.assertIn("[space] n: randint(1, {layers}), whose upper bound is excluded, is taken for "
                      "its lower bound where both are equal, as where layers = 1", checked.err)
        self.assertRegex(self.run_node("config", "print", ini).out, r"n += randint\(1, \{layers\}\)")
        dry = self.run_node("run", ini, "--dry-run").out
        self.assertRegex(dry, r"n[ =]+[123]\b")
        bad = self.told("auto", "x", trainable.replace("{n}", "{b}") + "[space]\na = uniform(0, 1)\n"
                        "b = uniform({a}, 0.5)\n")
        refused = self.run_node("config", "check", bad, code=None)
        self.assertNotEqual(refused.code, 0)
        self.assertRegex(refused.err, r'x\.ini:\d+: \[space\] "b": its range uniform\(\{a\}, 0\.5\) is empty '
                                      r"where a = [0-9.]+: low = [0-9.]+ is above high = 0\.5")

    def test_refuse_points_and_clients_outside_of_them(self):
        bad = self.told("auto", "x", more='points = [{"low": 0.5, "high": 0.4}]\n')
        why = self.run_node("config", "check", bad, code=None).err
        self.assertIn('points: number 1: "high": 0.4 is not in uniform({low}, 1), which is '
                      "uniform(0.5, 1) here", why)
        talk = self.converse(self.told("auto", "y", more='points = [{"low": 0.5}]\n'))
        config = self.tell(talk)
        self.assertEqual(config["low"], 0.5)
        talk.end()

    def test_are_searched_by_an_own_process(self):
        command = "%s %s" % (sys.executable, ROOT / "examples" / "external" / "random_searcher.py")
        talk = self.converse(self.told("external", "own", more="command = %s\n" % command))
        for _ in range(14):
            self.tell(talk)
        talk.end()

    def test_are_kept_by_pbt(self):
        ini = self.ini(
            "[experiment]\nname = pbt\nstorage = results\nmetric = loss:min\nnum_samples = 4\n"
            "max_concurrent_trials = 4\n[trainable]\ncommand = %s %s 12 gates\n"
            "%slr = loguniform(0.001, {high} / 2 + 0.01)\n"
            "[scheduler]\ntype = pbt\nperturbation_interval = 2\nresample_probability = 0\n"
            "mutate = low, layers\n"
            % (sys.executable, HERE / "population_trial.py", SPACE)
        )
        self.run_node("run", ini)
        self.run_node("fsck", "results/pbt", "--verify")
        rows = self.run_node("trials", "results/pbt", "-o", "json").json()
        self.assertEqual(len(rows), 4)
        for row in rows:
            config = row["config"]
            self.assertLessEqual(config["lr"], config["high"] / 2 + 0.01)
            self.assertLessEqual(config["low"], config["high"])
            self.assertLessEqual(config.get("skip", 0), config["layers"])


if __name__ == "__main__":
    main()
