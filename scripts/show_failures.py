#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows once more, at the end, what the tests that failed said: among thousands of lines of ctest
one does not find them.

    show_failures.py BUILD_DIRECTORY
"""
import re
import sys
from pathlib import Path

SHOWN_LINES = 60
RULE = "-" * 58


# One test in ctest's log.
TEST = re.compile(
    r"^\d+/\d+ Testing: (?P<name>.*?)$.*?^Output:\n-+\n(?P<said>.*?)^<end of output>$.*?^-+\n"
    r"(?P<end>.*?)\.?$",
    re.MULTILINE | re.DOTALL,
)
GOOD_ENDS = ("Test Passed", "Test Skipped")


def main():
    log = Path(sys.argv[1], "Testing", "Temporary", "LastTest.log").read_text(errors="replace")
    for test in TEST.finditer(log):
        if test["end"] in GOOD_ENDS:
            continue
        lines = test["said"].splitlines()
        print("\n%s\n%s: %s. The end of what it said:\n" % (RULE, test["name"], test["end"]))
        print("\n".join(lines[-SHOWN_LINES:]))


if __name__ == "__main__":
    main()
