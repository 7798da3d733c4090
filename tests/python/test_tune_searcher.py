#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""python/tune_searcher.py, and the example searcher that uses it."""
import io
import json
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples" / "external")]
import random_searcher  # noqa: E402
import tune_searcher  # noqa: E402

SPACE = [
    {"name": "deep", "type": "int", "low": 1, "high": 9, "step": 2, "log": False,
     "if": {"name": "kind", "is": "==", "value": "a"}},
    {"name": "kind", "type": "choice", "values": ["a", 1, True]},
    {"name": "lr", "type": "float", "low": 1e-4, "high": 1.0, "log": True},
    {"name": "q", "type": "float", "low": 0.25, "high": 1.0, "step": 0.25, "log": False},
    {"name": "n", "type": "int", "low": 1, "high": 100, "step": 1, "log": True},
    {"name": "z", "type": "normal", "mean": 3.0, "sd": 1.0},
    {"name": "c", "type": "constant", "value": 7},
]
BEGIN = {
    "type": "begin", "tune": 1, "seed": 5, "samples": 9, "constraints": [], "options": {},
    "metrics": [{"name": "loss", "mode": "min"}], "space": SPACE,
}


def serve(make, *messages):
    out = io.StringIO()
    tune_searcher.serve(make, [json.dumps(each) + "\n" for each in messages], out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


class Conditions(unittest.TestCase):
    def holds(self, tree, **known):
        return tune_searcher.decides(tree, known)

    def test_compare_numbers_as_numbers_and_texts_as_texts(self):
        for how, value, wanted in (
            ("==", 2.0, True), ("!=", 2, False), ("<", 3, True), ("<=", 1, False),
            (">", 1, True), (">=", 3, False), ("==", "2", False), ("<", "3", False),
        ):
            tree = {"name": "n", "is": how, "value": value}
            self.assertIs(self.holds(tree, n=2), wanted, tree)
        self.assertIs(self.holds({"name": "n", "is": "==", "value": 1}, n=True), False)
        self.assertIs(self.holds({"name": "n", "in": ["a", 1]}, n=1.0), True)

    def test_stay_open_where_a_parameter_is_absent(self):
        known = {"name": "n", "is": ">", "value": 1}
        absent = {"name": "m", "is": ">", "value": 1}
        self.assertIsNone(self.holds(absent, n=2))
        self.assertIsNone(self.holds({"not": absent}, n=2))
        self.assertIs(self.holds({"or": [absent, known]}, n=2), True)
        self.assertIsNone(self.holds({"and": [absent, known]}, n=2))
        self.assertIs(self.holds({"and": [absent, known]}, n=1), False)
        self.assertIsNone(self.holds({"or": [absent, known]}, n=1))


class Drawing(unittest.TestCase):
    def test_stays_in_the_space(self):
        space = tune_searcher.Space(SPACE)
        seen = set()
        for i in range(500):
            chance = tune_searcher.chance(1, i)
            config = space.draw(lambda p: tune_searcher.drawn(p, chance))
            self.assertEqual("deep" in config, config["kind"] == "a", config)
            self.assertNotIn("c", config)
            self.assertIn(config.get("deep", 1), (1, 3, 5, 7, 9))
            self.assertTrue(1e-4 <= config["lr"] <= 1, config)
            self.assertIn(config["q"], (0.25, 0.5, 0.75, 1.0))
            self.assertTrue(isinstance(config["n"], int) and 1 <= config["n"] <= 100, config)
            seen.add(config["n"])
        self.assertLess(min(seen), 3)
        self.assertGreater(max(seen), 80)

    def test_draws_in_the_ranges_that_hold(self):
        name = {"name": "units"}
        space = tune_searcher.Space([
            {"name": "n", "type": "int", "low": 1, "high": 16, "step": 1, "log": False,
             "bounds": {"low": 1, "high": {"of": "+", "with": [name, 1]}}},
            {"name": "units", "type": "int", "low": 1, "high": 16, "step": 1, "log": True},
            {"name": "q", "type": "int", "low": 0, "high": 32, "step": 4, "log": False,
             "bounds": {"low": 0, "high": {"of": "*", "with": [2, name]}},
             "if": {"name": "n", "is": ">", "value": 2}},
            {"name": "x", "type": "float", "low": 0.01, "high": 16, "log": True,
             "bounds": {"low": 0.01, "high": {"of": "max", "with": [{"name": "n"}, 0.5]}}},
        ])
        ends = set()
        for i in range(500):
            chance = tune_searcher.chance(1, i)
            config = space.draw(lambda p: tune_searcher.drawn(p, chance))
            self.assertTrue(1 <= config["n"] <= config["units"], config)
            self.assertEqual("q" in config, config["n"] > 2, config)
            self.assertTrue(config.get("q", 0) % 4 == 0, config)
            self.assertLessEqual(config.get("q", 0), 2 * config["units"])
            self.assertTrue(0.01 <= config["x"] <= config["n"], config)
            ends.add(config["n"] == config["units"])
        self.assertEqual(ends, {True, False})

    def test_counts_bounds_as_tune_node_does(self):
        def ends(bounds, kind="int", step=1, log=False, **known):
            p = {"name": "p", "type": kind, "log": log, "bounds": dict(zip(("low", "high"), bounds))}
            found = tune_searcher.ranged(dict(p, step=step) if step else p, known)
            return found["low"], found["high"]

        a = {"name": "a"}
        tenth = {"of": "*", "with": [a, 0.1]}
        self.assertEqual(ends([1, a], a=4), (1, 3))
        self.assertEqual(ends([1, a], a=1), (1, 1))
        self.assertEqual(ends([1, a], a=2.5), (1, 2))
        self.assertEqual(ends([a, 4], a=1.5), (2, 3))
        self.assertEqual(ends([1, tenth], a=30), (1, 2))
        self.assertEqual(ends([1, a], step=4, a=10), (4, 8))
        self.assertEqual(ends([a, 1], "float", 0.25, a=0.3), (0.5, 1.0))
        self.assertEqual(ends([0, a], "float", 0, a=0.7), (0.0, 0.7))
        self.assertEqual(ends([0, {"len": "a"}], a=["p", "q"]), (0, 1))
        self.assertEqual(ends([0, {"of": "round", "with": [a]}], a=2.5), (0, 2))
        for bounds in ([a, 0.5], [0.5, {"name": "b"}], [0, {"of": "/", "with": [1, {"of": "-",
                       "with": [a, 1]}]}], [0, {"of": "sqrt", "with": [{"of": "-", "with": [a]}]}]):
            with self.assertRaisesRegex(ValueError, "p: None is empty here"):
                ends(bounds, "float", 0, a=1)
        with self.assertRaises(ValueError):
            ends([0, a], "float", 0, True, a=1)

    def test_follows_from_seed_and_number(self):
        self.assertEqual(*(tune_searcher.chance(3, 4).random() for _ in range(2)))
        self.assertNotEqual(*(tune_searcher.chance(3, i).random() for i in range(2)))


class Serving(unittest.TestCase):
    def make(self, begin):
        return random_searcher.Searcher(begin, 0.5)

    def history(self, count):
        """A whole conversation, and the same conversation as replayed to a new process."""
        messages, again, configs = [], [], []
        for i in range(1, count + 1):
            messages.append({"type": "suggest", "id": i})
            config = serve(self.make, BEGIN, *messages)[-1]["config"]
            configs.append(config)
            told = [
                {"type": "suggested", "id": i, "trial": i - 1, "config": dict(config, c=7)},
                {"type": "complete", "trial": i - 1, "status": "finished", "iteration": 1,
                 "metrics": {"loss": config["lr"]}},
            ]
            messages += told
            again += told
        return configs, again

    def test_suggests_the_same_when_it_is_told_again(self):
        configs, again = self.history(8)
        for i, config in enumerate(configs):
            told = serve(self.make, BEGIN, *again[: 2 * i], {"type": "suggest", "id": i + 1})
            self.assertEqual(told, [{"tune": 1}, {"config": config, "id": i + 1}])

    def test_takes_what_it_did_not_suggest_and_what_failed(self):
        told = serve(
            self.make, BEGIN,
            {"type": "added", "trial": 0, "config": {"kind": 1, "lr": 0.5, "c": 7}, "from": "x"},
            {"type": "complete", "trial": 0, "status": "failed"},
            {"type": "suggested", "id": 1, "wait": True},
            {"type": "refused", "id": 1, "error": "no"},
            {"type": "something", "new": 1},
            {"type": "suggest", "id": 2}, {"type": "end"}, {"type": "suggest", "id": 3},
        )
        self.assertEqual([each.get("id") for each in told], [None, 2])

    def test_says_that_there_is_nothing(self):
        class Still:
            def __init__(self, begin):
                pass

            def suggest(self, id):
                return tune_searcher.WAIT if id == 1 else tune_searcher.NONE

        told = serve(Still, BEGIN, {"type": "suggest", "id": 1}, {"type": "suggest", "id": 2})
        self.assertEqual(told[1:], [{"wait": True, "id": 1}, {"none": True, "id": 2}])

    def test_refuses_with_the_reason(self):
        def make(begin):
            raise ValueError("no conditions, please")

        out = io.StringIO()
        with self.assertRaises(ValueError):
            tune_searcher.serve(make, [json.dumps(BEGIN)], out)
        self.assertIn("no conditions, please", json.loads(out.getvalue())["error"])


def example():
    """The program in the module's docstring."""
    text = tune_searcher.__doc__
    begin = text.index("    import tune_searcher")
    end = text.index("with, in its INI file,")
    return textwrap.dedent(text[begin:end])


class Example(unittest.TestCase):
    def test_is_a_searcher_as_it_stands(self):
        complete = {"type": "complete", "trial": 0, "status": "completed", "iteration": 1,
                    "metrics": {"loss": 0.5}}
        messages = [BEGIN, {"type": "suggest", "id": 1}, complete, {"type": "suggest", "id": 2},
                    {"type": "end"}]
        with tempfile.TemporaryDirectory() as where:
            path = Path(where) / "mine.py"
            path.write_text(example())
            done = subprocess.run(
                [sys.executable, str(path)], cwd=where, env={"PYTHONPATH": str(ROOT / "python")},
                input="".join(json.dumps(each) + "\n" for each in messages),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60,
            )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        said = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([each.get("id") for each in said], [None, 1, 2])
        for each in said[1:]:
            self.assertIn("lr", each["config"])
        self.assertNotEqual(said[1]["config"], said[2]["config"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
