# SPDX-License-Identifier: BSD-3-Clause
"""docs/ray-behaviours.md has every line of the list, and the tests that it names exist."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/ray-behaviours.md"

# Number of lines of each part.
LINES = {
    "A1": 5, "A2": 4, "A3": 7, "A4": 5, "A5": 7, "A6": 6, "A7": 4, "A8": 11, "A9": 8, "A10": 4,
    "B1": 6, "B2": 5, "B3": 16, "B4": 9, "B5": 5,
    "D1": 21,
}
ROW = re.compile(r"^\| ([ABD]\d+\.\d+) \| (.+?) \| (.*?) ?\|$", re.M)
TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\s*\)|^\s+def (test_\w+)\(", re.M)
# A name begins with its numbers: A1_1_…, test_a1_1_and_b3_8_…
NUMBERS = re.compile(r"(?:test_)?((?:[ABD]\d+_\d+_(?:and_)?)+)", re.I)


def numbers_of(name):
    """The lines that a test is named after."""
    found = NUMBERS.match(name)
    words = re.findall(r"[ABD]\d+_\d+", found.group(1), re.I) if found else []
    return [word.upper().replace("_", ".") for word in words]


def lines_with_tests():
    """For each line the files that have a test named after it."""
    result = {}
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix not in (".cpp", ".py") or path == Path(__file__).resolve():
            continue
        for names in TEST.findall(path.read_text(encoding="utf-8")):
            for line in numbers_of("".join(names)):
                result.setdefault(line, set()).add(str(path.relative_to(ROOT)))
    return result


class List(unittest.TestCase):
    def rows(self):
        return ROW.findall(PAGE.read_text(encoding="utf-8"))

    def test_has_each_line_once_and_in_order(self):
        wanted = ["%s.%d" % (part, i + 1) for part, count in LINES.items() for i in range(count)]

        self.assertEqual([line for line, _, _ in self.rows()], wanted)

    def test_names_the_tests_of_each_line_or_says_why_there_are_none(self):
        there = lines_with_tests()
        for line, here, tests in self.rows():
            with self.subTest(line):
                named = set(re.findall(r"`([^`]+)`", tests))
                self.assertEqual(named, there.pop(line, set()))
                self.assertTrue(named or here.startswith("*Differs*: "), "neither test nor reason")
        self.assertEqual(there, {}, "tests named after lines that are none")

    def test_numbers_are_found_in_names(self):
        self.assertEqual(numbers_of("A10_4_ends"), ["A10.4"])
        self.assertEqual(numbers_of("test_a5_1_and_d1_3_goes_on"), ["A5.1", "D1.3"])
        self.assertEqual(numbers_of("test_a_1_2_something"), [])
        self.assertEqual(numbers_of("r1_2_A1_1"), [])


if __name__ == "__main__":
    unittest.main()
