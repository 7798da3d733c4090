# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/searchers.md: known answers."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "quality"))
import compare  # noqa: E402


def searcher(problems, evaluations=("25", "50")):
    return {
        "regret": {c: [0.5, 0.01] for c in evaluations},
        "ms_per_suggestion": 1.25,
        "problems": problems,
    }


class Tables(unittest.TestCase):
    def test_equal_values_share_the_mean_of_their_ranks(self):
        self.assertEqual(compare.ranks([3, 1, 2]), [3, 1, 2])
        self.assertEqual(compare.ranks([1, 1, 2]), [1.5, 1.5, 3])
        self.assertEqual(compare.ranks([4, 4, 4]), [2, 2, 2])

    def test_ranks_are_over_the_problems_that_all_were_run_on(self):
        count, made = compare.common(
            {
                "a": searcher({"p": [0.1, 0.1], "q": [0.3, 0.0], "only a": [9, 9]}),
                "b": searcher({"p": [0.2, 0.1], "q": [0.2, 0.1]}),
                "c": searcher({"p": [0.4], "q": [0.1]}, ("25",)),
            }
        )
        self.assertEqual(count, 2)
        self.assertEqual([round(x, 9) for x in made["a"]["25"]], [0.2, 2])
        self.assertEqual([round(x, 9) for x in made["c"]["25"]], [0.25, 2])
        # Only the searchers that reached this checkpoint.
        self.assertEqual([round(x, 9) for x in made["a"]["50"]], [0.05, 1.25])
        self.assertNotIn("50", made["c"])

    def test_what_was_not_measured_is_a_dash(self):
        both = {"a": searcher({"p": [0.1, 0.2]}), "c": searcher({"p": [0.4]}, ("25",))}
        lines = compare.regrets(both)
        self.assertEqual(
            lines[0], "| searcher | problems | after 25 | after 50 | ms per suggestion |"
        )
        self.assertEqual(lines[2], "| `a` | 1 | 0.500 ± 0.010 | 0.500 ± 0.010 | 1.25 |")
        self.assertEqual(lines[3], "| `c` | 1 | 0.500 ± 0.010 | – | 1.25 |")
        self.assertEqual(compare.together(both)[3], "| `c` | 0.400 / 2.0 | – |")


if __name__ == "__main__":
    unittest.main()
