# SPDX-License-Identifier: BSD-3-Clause
"""bench/compare_searchers.py over short runs: a file and its twin that differ only in the
searcher."""
import json
import subprocess
import sys

from e2e import ROOT, TUNE_NODE, Case, main

sys.path.insert(0, str(ROOT / "bench"))
import compare_searchers  # noqa: E402

BOWL = """
[experiment]
metric = loss
mode = min
num_samples = 25
[trainable]
command = awk 'BEGIN {{ print "loss=" ({x} - 2) ^ 2 + ({y} + 1) ^ 2, "size=" ({x}) ^ 2 }}'
metric.loss = loss={number}
metric.size = size={number}
[space]
x = uniform(-5, 5)
y = uniform(-5, 5)
"""


class Comparison(Case):
    def compare(self, *words):
        """Runs the comparison. Returns the exit status, the objects by way, and stderr."""
        path = self.directory / "bowl.ini"
        path.write_text(BOWL)
        ran = subprocess.run(
            [sys.executable, ROOT / "bench/compare_searchers.py", path, TUNE_NODE, *words],
            capture_output=True, text=True, cwd=self.directory,
        )
        told = [json.loads(line) for line in ran.stdout.splitlines()]
        return ran.returncode, {x["way"]: x for x in told}, ran.stderr

    def test_a_model_finds_the_bottom_of_a_bowl_sooner(self):
        status, told, errors = self.compare("--seeds", "3")

        self.assertEqual((status, list(told)), (0, ["file", "random", "ahead"]), errors)
        self.assertEqual(len(told["file"]["values"]), 3)
        self.assertLess(told["file"]["mean"], told["random"]["mean"])
        self.assertAlmostEqual(
            told["ahead"]["mean"], told["random"]["mean"] - told["file"]["mean"], places=4
        )

    def test_two_objectives_are_compared_by_the_area_of_the_front(self):
        status, told, errors = self.compare(
            "--seeds", "2", "--set", "experiment.metric=loss:min, size:min",
            "--set", "experiment.num_samples=6",
        )

        self.assertEqual(status, 0, errors)
        for way in ("file", "random"):
            self.assertTrue(all(0 <= x <= 1 for x in told[way]["values"]), told[way])
        self.assertGreater(max(told["file"]["values"] + told["random"]["values"]), 0)

    def test_what_a_front_dominates(self):
        area = compare_searchers.share_dominated
        self.assertEqual(area([[2, 3]], [0, 0], [4, 6]), 0.25)
        self.assertEqual(area([[1, 0.5], [0.5, 1], [0.5, 0.5]], [0, 0], [1, 1]), 0.75)
        self.assertEqual(area([[1, -3], [-1, 1]], [0, 0], [1, 1]), 0)

    def test_what_differs_by_a_factor_is_taken_in_logarithms(self):
        scale = compare_searchers.scale_of
        self.assertEqual(scale([0.3, 0.9])(0.5), 0.5)
        self.assertEqual(scale([-1, 1000])(5), 5)
        self.assertAlmostEqual(scale([1, 1000])(100), 4.60517, places=5)
        self.assertAlmostEqual(scale([-1000, -1])(-100), -4.60517, places=5)

    def test_bad_words_are_refused(self):
        for words, why in (
            (("--seeds", "1"), "at least 2"),
            (("--set", "seed"), "KEY=VALUE"),
            (("--set", "experiment.num_samples=x"), "num_samples"),
        ):
            status, told, errors = self.compare(*words)
            self.assertNotEqual(status, 0)
            self.assertEqual(told, {})
            self.assertIn(why, errors)


if __name__ == "__main__":
    main()
